"""An experiment in a folder: what is compared on which documents, and one file for every finished trial.

A trial is written completely or not at all, so an interrupted experiment keeps its finished trials, and the same
command resumes it. The files are JSON and may come from anywhere: anything invalid in them raises InputError.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from engine.corpora import data_hash
from engine.data.errors import InputError
from engine.workbench.experiments.plan import Corpora, Plan, Trial
from engine.workbench.experiments.running import Outcome

ABOUT: Final = "experiment.json"
TRIALS: Final = "trials"
FORMAT: Final = 1


@dataclass(frozen=True)
class About:
    """What an experiment compares, and on what."""

    plan: Plan
    documents: Mapping[str, Mapping[str, Any]]
    """For every corpus, the number of documents and the hash."""
    resources: tuple[str, ...] = ()
    """Names of the other files that training used."""
    forced: str | None = None
    command: str = ""
    """The command line, so that it can be repeated; ignored when two experiments are compared."""

    @property
    def compared(self) -> dict[str, Any]:
        """Everything that must be equal for trials to belong together. More seeds, learners or shares may be added."""
        plan = {"task": self.plan.task, "folds": self.plan.folds, "tunes": self.plan.tunes, "final": self.plan.final}
        told = {"settings": list(self.plan.settings), "forced": self.forced, "resources": list(self.resources)}
        return {**plan, **told, "documents": self.documents}


@dataclass(frozen=True)
class Experiment:
    """The current state of an experiment."""

    folder: Path
    about: About
    outcomes: Mapping[str, Outcome] = field(default_factory=dict)
    """By the key of the trial, in the order of the plan."""

    def path_of(self, trial: Trial) -> Path:
        return self.folder / TRIALS / f"{hashlib.sha256(trial.key.encode()).hexdigest()[:20]}.json"

    def with_outcome(self, outcome: Outcome) -> Experiment:
        """The experiment with one more trial, which is on disk when this returns."""
        write_whole(self.path_of(outcome.trial), json.dumps(_plain(outcome), ensure_ascii=False))
        others = [one for one in self.outcomes.values() if one.trial != outcome.trial]
        return dataclasses.replace(self, outcomes=_in_order(self.about.plan, [*others, outcome]))


def about_documents(corpora: Corpora) -> dict[str, dict[str, Any]]:
    """Every corpus by name, with the number of its documents and their hash."""
    named = {"train": corpora.train, "dev": corpora.dev, **corpora.judged}
    return {
        name: {"documents": len(documents), "hash": data_hash(documents)}
        for name, documents in named.items()
        if documents
    }


def begin(folder: Path, about: About) -> Experiment:
    """A new experiment, or the existing one if it has the same documents and settings."""
    if (folder / ABOUT).exists():
        known = load(folder)
        if known.outcomes and known.about.compared != about.compared:
            raise InputError(
                "this folder holds an experiment on other documents or with other settings; name another", file=folder
            )
        outcomes = list(known.outcomes.values())
    else:
        if folder.exists() and any(folder.iterdir()):
            raise InputError("this folder is not empty and holds no experiment; name another", file=folder)
        outcomes = []
    (folder / TRIALS).mkdir(parents=True, exist_ok=True)
    write_whole(
        folder / ABOUT, json.dumps({"format": FORMAT, **dataclasses.asdict(about)}, ensure_ascii=False, indent=1)
    )
    return Experiment(folder, about, _in_order(about.plan, outcomes))


def load(folder: Path) -> Experiment:
    """The experiment in a folder; InputError if there is none, or if it is damaged."""
    path = folder / ABOUT
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        about = About(
            _plan(raw["plan"]),
            dict(raw["documents"]),
            tuple(map(str, raw["resources"])),
            raw["forced"],
            str(raw["command"]),
        )
        files = sorted((folder / TRIALS).glob("*.json"), key=lambda file: (file.stat().st_mtime_ns, file.name))
        outcomes = [_outcome(json.loads((path := file).read_text(encoding="utf-8"))) for file in files]
    except FileNotFoundError as error:
        raise InputError("there is no experiment in this folder", file=folder) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"this is not part of an experiment, or damaged ({error})", file=path) from error
    return Experiment(folder, about, _in_order(about.plan, outcomes))


def _in_order(plan: Plan, outcomes: Iterable[Outcome]) -> dict[str, Outcome]:
    """The outcomes in the order of the plan. Systems are compared with the first one, which must depend neither on the
    order in which learners were added to a folder nor on the times of its files, since a copy has others."""
    values = [text for axis in plan.varied for text in axis]

    def place(one: Outcome) -> tuple[Any, ...]:
        trial = one.trial
        changes = tuple(_index(values, text) for text in trial.changes)
        return (
            _index(plan.presets, trial.preset),
            _index(plan.learners, trial.learner),
            changes,
            _index(plan.shares, trial.share),
            -1 if trial.fold is None else trial.fold,
            _index(plan.seeds, trial.seed),
        )

    return {one.trial.key: one for one in sorted(outcomes, key=place)}


def _index(known: Sequence[Any], value: Any) -> int:
    """The place of a value; after all others if it is not among them."""
    return known.index(value) if value in known else len(known)


def experiments_in(directory: Path) -> list[Path]:
    """Folders that hold an experiment, the newest first."""
    found = [path.parent for path in directory.glob(f"*/{ABOUT}")]
    return sorted(found, key=lambda folder: (-(folder / ABOUT).stat().st_mtime_ns, folder.name))


def write_whole(path: Path, text: str) -> None:
    """Write a file atomically: it has either the new text or the old."""
    scratch = path.with_name(f"{path.name}.part")
    scratch.write_text(text, encoding="utf-8")
    os.replace(scratch, path)


def _plain(outcome: Outcome) -> dict[str, Any]:
    return dataclasses.asdict(outcome)


def _plan(raw: Mapping[str, Any]) -> Plan:
    return Plan(
        task=str(raw["task"]),
        learners=tuple(map(str, raw["learners"])),
        presets=tuple(map(str, raw["presets"])),
        settings=tuple(map(str, raw["settings"])),
        varied=tuple(tuple(map(str, axis)) for axis in raw["varied"]),
        seeds=tuple(map(int, raw["seeds"])),
        shares=tuple(map(float, raw["shares"])),
        folds=int(raw["folds"]),
        tunes=bool(raw["tunes"]),
        final=bool(raw["final"]),
        deviations=bool(raw.get("deviations", False)),
    )


def _outcome(raw: Mapping[str, Any]) -> Outcome:
    trial = raw["trial"]
    return Outcome(
        trial=Trial(
            str(trial["learner"]),
            str(trial["preset"]),
            tuple(map(str, trial["changes"])),
            int(trial["seed"]),
            float(trial["share"]),
            None if trial["fold"] is None else int(trial["fold"]),
        ),
        chosen=tuple(map(str, raw["chosen"])),
        suited=str(raw.get("suited", "")),
        scores={str(c): {str(k): float(v) for k, v in own.items()} for c, own in raw["scores"].items()},
        counts={str(c): [dict(row) for row in rows] for c, rows in raw["counts"].items()},
        # Experiments of earlier versions lack this field.
        reports={str(c): {str(k): float(v) for k, v in own.items()} for c, own in raw.get("reports", {}).items()},
        curves={str(c): {k: [float(v) for v in own[k]] for k in _CURVE} for c, own in raw["curves"].items()},
        forced={str(c): dict(own) for c, own in raw["forced"].items()},
        rounds=tuple(dict(one) for one in raw["rounds"]),
        notes=tuple(map(str, raw["notes"])),
        bias=float(raw["bias"]),
        seconds=float(raw["seconds"]),
    )


_CURVE: Final = ("bias", "precision", "recall", "f1", "made")
