"""Runs work on blocks, by the available workers, and yields the portions in document order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from engine.workbench.blocks.cut import Cut, length
from engine.workbench.blocks.journal import Journal
from engine.workbench.blocks.portions import Portion
from engine.workbench.blocks.sources import UnparsedItem, parsed
from engine.workers.base import Here, Recipe, Workers

Watch: TypeAlias = Callable[[Iterator[Portion], str], Iterator[Portion]]
"""Shows the progress of the work."""


class Work(Protocol):
    """What is done with a block, given the result of the recipe. It can be sent to another process."""

    def __call__(self, made: Any, items: list[Any]) -> Portion: ...


@dataclass(frozen=True)
class _Parsing:
    """The same work on a block whose documents may be lines: whoever works on it parses them."""

    work: Work

    def __call__(self, made: Any, items: list[UnparsedItem]) -> Portion:
        return self.work(made, list(parsed(items)))


def _unwatched(portions: Iterator[Portion], _doing: str) -> Iterator[Portion]:
    return portions


@dataclass(frozen=True)
class Running:
    """How blocks are processed: the workers, the size of blocks, and the journal of finished ones."""

    workers: Workers = field(default_factory=Here)
    cut: Cut = field(default_factory=Cut)
    journal: Journal | None = None
    watch: Watch = _unwatched

    def portions(
        self, work: Work, recipe: Recipe[Any], items: Iterable[UnparsedItem], *, doing: str = "scoring"
    ) -> Iterator[Portion]:
        """The portion of each block; `doing` names a stage of the work, in words."""
        blocks = self.cut.blocks(items, _size)
        return self.watch(self._made(_Parsing(work), recipe, blocks, doing), doing)

    def _made(self, work: Work, recipe: Recipe[Any], blocks: Iterator[list[Any]], doing: str) -> Iterator[Portion]:
        n_kept = 0
        if self.journal is not None:
            # Blocks are saved in order, so work resumes at the first missing one.
            while (kept := self.journal.kept(n_kept, doing)) is not None:
                next(blocks, None)
                yield kept
                n_kept += 1
        for number, portion in enumerate(self.workers.map(work, recipe, blocks), n_kept):
            if self.journal is not None:
                self.journal.keep(number, portion, doing)
            yield portion

    def done(self) -> None:
        """Delete the journal, because the result has been written."""
        if self.journal is not None:
            self.journal.done()


def _size(item: UnparsedItem) -> int:
    return length(item[0])
