"""A corpus in memory, scored, traced and judged piece by piece, so that whoever waits hears how far it is.

The result is that of one piece: pieces of a scored corpus are joined again, curves are summed, errors follow each
other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from engine.data.document import Document
from engine.metrics.errors import Error
from engine.tasks.base import AnyModel, AnyTask
from engine.tasks.outside.records import errors_of
from engine.tasks.outside.run import is_outside
from engine.tasks.scored import Scored
from engine.tuning.curve import Curve, joined

CHARACTERS: Final = 1 << 14
"""Of a piece, about: a second or two of the slowest system."""


@dataclass(frozen=True)
class Watch:
    """Who hears that a stage begins, with its name and its number of documents, and how many are done."""

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
    """`task.scored`. Scores from outside are there anyway, and belong together."""
    pieces = None
    if not is_outside(model):
        pieces = (documents[first:last] for first, last in watch.over(documents, "Scoring"))
    found: Scored = task.scored(documents, model, blocks=pieces)
    return found


def curve(task: AnyTask, found: Scored, watch: Watch) -> Curve:
    """`task.curve`."""
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
