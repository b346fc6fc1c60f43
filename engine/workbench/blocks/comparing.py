"""Compares several sources on the same corpus: what each document contributes to the scores of each source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from engine.metrics.significance import as_counts
from engine.metrics.tally import Tally
from engine.tasks.base import AnyTask
from engine.tasks.registry import get
from engine.workbench.blocks.corpus import Corpus
from engine.workbench.blocks.portions import Portion
from engine.workbench.blocks.running import Running
from engine.workbench.blocks.sources import Answered, Item, Source, UnparsedItem
from engine.workbench.comparison import Counted
from engine.workers.base import Places, as_named


@dataclass(frozen=True)
class Together:
    """Several sources on the same documents, as a recipe: what each of them needs, and what their files say of every
    document."""

    sources: tuple[Source, ...]
    asked: frozenset[str]

    @property
    def files(self) -> tuple[Path, ...]:
        return tuple(path for source in self.sources for path in source.files)

    def make(self, places: Places = as_named) -> tuple[Any, ...]:
        return tuple(source.make(places) for source in self.sources)

    def items(self, corpus: Corpus) -> Iterator[UnparsedItem]:
        """Every document with the contents of each source's file for it."""
        streams = [source.items(corpus) for source in self.sources]
        for together in zip(*streams, strict=True):
            yield together[0][0], tuple(said for _, said in together)

    def answered(self, made: Sequence[Any], items: list[Item]) -> Iterator[Answered]:
        """The answers of each source to a block."""
        for number, (source, shared) in enumerate(zip(self.sources, made, strict=True)):
            yield source.answered(shared, [(document, said[number]) for document, said in items])


@dataclass(frozen=True)
class Comparing(Together):
    """The work, and its own recipe: a block scored by every source."""

    def __call__(self, made: Sequence[Any], items: list[Item]) -> Portion:
        tallies = {}
        for number, found in enumerate(self.answered(made, items)):
            task = get(self.sources[number].task)
            tallies[str(number)] = task.tally(found.documents, found.layers, found.scored)
            tallies[str(number)].take(counted_tally(task, found, self.asked))
        return Portion(len(items), tallies)


def counted_tally(task: AnyTask, found: Answered, asked: frozenset[str] | None) -> Tally:
    """What each document of a block contributes to the scores. `asked` is what the gold of the whole corpus asks for;
    None if the block is the whole corpus."""
    rows = task.counts(found.documents, found.layers, asked)
    names = tuple(rows[0]) if rows else ()
    made = Tally(facts={"counted": list(names)})
    made.extend("counted", as_counts(rows, names))
    return made


def counted_of(total: Tally) -> Counted:
    """The counts of all documents."""
    names = tuple(total.facts.get("counted", ()))
    rows = np.asarray(total.column("counted"), dtype=np.float64).reshape(-1, len(names))
    return Counted(names, rows)


@dataclass(frozen=True)
class Compared:
    """One source: the counts of its documents, and the tally of all scores."""

    counted: Counted
    tally: Tally


def compare_sources(sources: Sequence[Source], corpus: Corpus, running: Running) -> list[Compared]:
    """The counts and tallies of all sources, in order."""
    work = Comparing(tuple(sources), corpus.look.asked)
    totals = [Tally() for _ in sources]
    for portion in running.portions(work, work, work.items(corpus), doing="scoring"):
        for number, total in enumerate(totals):
            total.take(portion.tallies[str(number)])
    return [Compared(counted_of(total), total) for total in totals]
