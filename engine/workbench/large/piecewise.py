"""Scores, curve and errors of a corpus in memory, computed piece by piece so that progress can be shown.

The result is the same as in one piece: pieces of a scored corpus are joined again, curves are summed, errors are
concatenated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from engine.data.document import Document
from engine.metrics.errors import Error
from engine.tasks.base import AnyModel, AnyTask
from engine.tasks.outside.records import errors_of
from engine.tasks.scored import Scored
from engine.tuning.curve import Curve, joined

CHARACTERS: Final = 1 << 14
"""Approximate number of characters of a piece: a second or two of the slowest system."""


@dataclass(frozen=True)
class Watch:
    """Callbacks for progress: the beginning of a stage, with its name and number of documents, and the number done."""

    begin: Callable[[str, int], None]
    tick: Callable[[int], None]

    def over(self, documents: Sequence[Document], doing: str) -> Iterator[tuple[int, int]]:
        """First and last document of each piece."""
        self.begin(doing, len(documents))
        first = room = 0
        for last, document in enumerate(documents, 1):
            room += len(document.text)
            if room >= CHARACTERS or last == len(documents):
                yield first, last
                self.tick(last)
                first, room = last, 0


def scored(task: AnyTask, documents: Sequence[Document], model: AnyModel, watch: Watch) -> Scored:
    """`task.scored`, piece by piece; imported scores are taken at once, as they already exist and belong together."""
    pieces = None
    if model.outside is None:
        pieces = (documents[first:last] for first, last in watch.over(documents, "Scoring"))
    found: Scored = task.scored(documents, model, blocks=pieces)
    return found


def curve(task: AnyTask, found: Scored, watch: Watch) -> Curve:
    """`task.curve`, piece by piece."""
    outline = task.outline(found)
    pieces = [
        task.curve(found.part(first, last), outline) for first, last in watch.over(found.documents, "Tracing the curve")
    ]
    return joined(pieces) if pieces else task.curve(found)


def errors(task: AnyTask, found: Scored, watch: Watch) -> list[Error]:
    """Every error of the run's own decisions."""
    out: list[Error] = []
    for piece in watch.over(found.documents, "Finding errors"):
        part = found.part(*piece)
        out += errors_of(task, part, task.decide(part))
    return out
