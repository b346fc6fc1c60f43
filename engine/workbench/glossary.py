"""The glossary: one file of definitions (glossary.toml) for tooltips, the Help page and the docs.

Settings and learners are described in their code; here these descriptions are combined with references to the papers,
so that one list holds everything and nothing is described twice.
"""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from engine.tasks.registry import get, names

FILE: Final = Path(__file__).with_name("glossary.toml")

KINDS: Final = {
    "term": "Terms",
    "knob": "The knob",
    "stage": "Stages of an error",
    "metric": "Scores",
    "page": "Pages",
    "tab": "Tabs",
    "learner": "Learners",
    "setting": "Settings",
}
"""Kinds of entries, in the order of the Help page, and their headings there."""


@dataclass(frozen=True)
class Paper:
    key: str
    title: str
    authors: str
    venue: str
    system: str

    @property
    def short(self) -> str:
        """Yang and Chang (ACL 2015)."""
        people = [name.split()[-1] for name in self.authors.replace(" and ", ", ").split(", ")]
        who = people[0] if len(people) == 1 else " and ".join(people) if len(people) == 2 else f"{people[0]} et al."
        return f"{who} ({self.venue})"


@dataclass(frozen=True)
class Entry:
    """A term with its definition and, if a paper introduces it, the paper and the place in it."""

    kind: str
    name: str
    title: str
    sentence: str
    paper: Paper | None = None
    where: str = ""

    @property
    def source(self) -> str:
        """The paper and the place in it; empty for our own terms and common knowledge."""
        if self.paper is None:
            return ""
        return ", ".join(filter(None, [self.paper.short, self.where]))

    @property
    def tooltip(self) -> str:
        return f"{self.sentence} {self.source}." if self.source else self.sentence


@cache
def _read() -> Mapping[str, Mapping[str, Mapping[str, str]]]:
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


@cache
def papers() -> Mapping[str, Paper]:
    return {key: Paper(key, **values) for key, values in _read()["paper"].items()}


@cache
def of_file() -> Mapping[tuple[str, str], Entry]:
    """Every entry of the file, by kind and name."""
    return {
        (kind, name): _entry(kind, name, values)
        for kind, group in _read().items()
        if kind not in ("paper", "setting")
        for name, values in group.items()
    }


@cache
def entries() -> Mapping[tuple[str, str], Entry]:
    """Those of the file, and every learner and setting of the registered systems, which are imported for this."""
    found = dict(of_file())
    for system in names():
        task = get(system)
        for learner in task.learners.values():
            entry = Entry("learner", learner.name, f"{learner.title} ({system})", learner.sentence)
            found.setdefault(("learner", f"{system} {learner.name}"), entry)
            for spec in dataclasses.fields(learner.settings):
                found.setdefault(("setting", f"{system} {spec.name}"), _setting(system, spec))
    return found


def look_up(kind: str, name: str) -> Entry | None:
    return of_file().get((kind, name)) or entries().get((kind, name))


def tooltip(kind: str, name: str) -> str | None:
    """The tooltip of a term; None if it is not in the glossary (a label of somebody's own corpus, for example)."""
    entry = look_up(kind, name)
    return None if entry is None else entry.tooltip


def title(kind: str, name: str) -> str:
    """The title of a term; if it has none, its name without underscores."""
    entry = look_up(kind, name)
    return name.replace("_", " ") if entry is None else entry.title


def setting_help(system: str, name: str, help: str) -> str:
    """The help sentence of a setting, with the paper that introduces it."""
    return Entry("setting", name, name, help, *_source_of_setting(system, name)).tooltip


def tabs() -> dict[str, str]:
    """The name of every tab, and its tooltip."""
    return {entry.title: entry.tooltip for (kind, _), entry in of_file().items() if kind == "tab"}


def by_kind() -> dict[str, list[Entry]]:
    """All entries under the headings of the Help page; those of the file in file order, the others by name."""
    return {kind: [entry for (of, _), entry in entries().items() if of == kind] for kind in KINDS}


def _entry(kind: str, name: str, values: Mapping[str, str]) -> Entry:
    return Entry(kind, name, values.get("title", name), values["sentence"], *_source(values))


def _setting(system: str, spec: dataclasses.Field[Any]) -> Entry:
    shown = f"{spec.name.replace('_', ' ')} ({system})"
    return Entry("setting", spec.name, shown, spec.metadata["help"], *_source_of_setting(system, spec.name))


def _source_of_setting(system: str, name: str) -> tuple[Paper | None, str]:
    """The place where the system's paper introduces a setting; another system's setting of that name is not meant."""
    paper, where = _source(_read()["setting"].get(name, {}))
    return (paper, where) if paper is not None and paper.system == system else (None, "")


def _source(values: Mapping[str, str]) -> tuple[Paper | None, str]:
    return (papers()[values["paper"]] if "paper" in values else None), values.get("where", "")
