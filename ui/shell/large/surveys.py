"""Surveys of large corpora, needed before one is opened: computed once, in the background, and kept in files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from engine.data.document import Document
from engine.store.large.room import Room
from engine.workbench.large import survey
from engine.workbench.large.survey import Survey
from ui.background.beside import Beside, Progress, Soon

LOOKED_AT: Final = 200
"""Number of documents on which lists of corpora are based as long as a corpus has not been surveyed."""


def room(directory: Path) -> Room:
    """The cache of computed results of this workspace."""
    return Room(directory / "computed")


def known(directory: Path, hash: str) -> Survey | None:
    return survey.known(room(directory), hash)


def soon(beside: Beside, directory: Path, hash: str, documents: Sequence[Document]) -> Soon[Survey]:
    """The survey of the corpus with this hash, started if necessary."""

    def compute(progress: Progress) -> Survey:
        progress.begin("Reading the corpus", len(documents))
        return survey.make(room(directory), hash, documents, progress.tick)

    return beside.soon(("survey", str(directory), hash), compute, again=False)


def matching(documents: Sequence[Document], search: str) -> list[int]:
    """Positions of the documents whose id or text contains every word of the search, for a corpus in memory."""
    words = search.casefold().split()
    return [
        i
        for i, document in enumerate(documents)
        if all(word in document.id.casefold() or word in document.text.casefold() for word in words)
    ]
