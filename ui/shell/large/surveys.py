"""What has to be known of a large corpus before it is opened: read once, beside the pages, and kept in files."""

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
"""Documents that lists of corpora go by as long as a corpus has not been surveyed."""


def room(directory: Path) -> Room:
    """Where results of this workspace are kept."""
    return Room(directory / "computed")


def known(directory: Path, hash: str) -> Survey | None:
    return survey.known(room(directory), hash)


def soon(beside: Beside, directory: Path, hash: str, documents: Sequence[Document]) -> Soon[Survey]:
    """The survey of the corpus with this hash, begun where nobody has begun it."""

    def compute(progress: Progress) -> Survey:
        progress.begin("Reading the corpus", len(documents))
        return survey.make(room(directory), hash, documents, progress.tick)

    return beside.soon(("survey", str(directory), hash), compute, again=False)


def matching(documents: Sequence[Document], search: str) -> list[int]:
    """Positions of the documents whose id or text has every word of the search, of a corpus in memory."""
    words = search.casefold().split()
    return [
        i
        for i, document in enumerate(documents)
        if all(word in document.id.casefold() or word in document.text.casefold() for word in words)
    ]
