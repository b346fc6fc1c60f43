"""The data of the Help and About pages, without drawing."""

from __future__ import annotations

import re
from importlib import metadata
from typing import Final

from engine.workbench.glossary import KINDS, Entry, by_kind, papers
from ui.tab import pages
from ui.tab.pages import Keys

DISTRIBUTION: Final = "espalier"


def found(search: str) -> dict[str, list[Entry]]:
    """Entries that contain every word of the search, by heading; empty headings are left out."""
    wanted = search.casefold().split()

    def suits(entry: Entry) -> bool:
        text = f"{entry.title} {entry.name} {entry.sentence} {entry.source}".casefold()
        return all(word in text for word in wanted)

    kept = {KINDS[kind]: [entry for entry in entries if suits(entry)] for kind, entries in by_kind().items()}
    return {heading: entries for heading, entries in kept.items() if entries}


def rows(entries: list[Entry]) -> list[dict[str, str]]:
    return [{"word": entry.title, "what it means": entry.sentence, "from": entry.source} for entry in entries]


def key_rows(common: Keys) -> list[dict[str, str]]:
    """Every key, by the page it works on."""
    listed = [("every page", common)]
    listed += [(info.title, pages.own_keys(info.name)) for group in pages.groups().values() for info in group]
    return [
        {"page": page, "keys": "  ".join(names), "what they do": meaning}
        for page, keys in listed
        for names, meaning in keys
    ]


def papers_in_words() -> list[str]:
    """The papers in Markdown, each with the system that is based on it; all of it is our own text."""
    return [f"**{one.system.capitalize()}.** {one.authors}: *{one.title}*. {one.venue}" for one in papers().values()]


def licence_rows() -> list[dict[str, str]]:
    """Name, version and licence of every installed package that Espalier requires."""
    there = []
    for name in sorted(_required(), key=str.casefold):
        try:
            known = metadata.metadata(name)
        except metadata.PackageNotFoundError:
            continue
        there.append({"package": known["Name"], "version": known["Version"], "licence": _licence(known)})
    return there


def _required() -> set[str]:
    """Names of the required packages, from the installed distribution or the checkout's requirements.txt."""
    try:
        wanted = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        lines = (pages.ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
        wanted = [line for line in lines if line.strip() and not line.startswith(("#", "-"))]
    named = (re.match(r"[A-Za-z0-9._-]+", line.strip()) for line in wanted if "extra ==" not in line)
    return {match[0] for match in named if match}


def _licence(known: metadata.PackageMetadata) -> str:
    """The licence as stated by the package: its expression, its classifiers, or the first line of its licence."""
    classified = [one.rsplit(" :: ", 1)[1] for one in known.get_all("Classifier") or () if one.startswith("License ::")]
    lines = (known["License"] if "License" in known else "").splitlines()
    expressed = known["License-Expression"] if "License-Expression" in known else ""
    return expressed or ", ".join(classified) or (lines[0][:80] if lines else "not stated")
