"""Compares several sources on the same corpus: what each document contributes to the scores of each source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from engine.metrics.significance import as_counts
from engine.metrics.tally import Tally
from engine.tasks.registry import get
from engine.workbench.blocks.corpus import Corpus
from engine.workbench.blocks.portions import Portion
from engine.workbench.blocks.running import Running
from engine.workbench.blocks.sources import Item, Source
from engine.workbench.comparison import Counted
from engine.workers.base import Places, as_named


@dataclass(frozen=True)
class Comparing:
    """The work, and its own recipe: a block scored by every source."""

    sources: tuple[Source, ...]
    asked: frozenset[str]

    @property
    def files(self) -> tuple[Path, ...]:
        return tuple(path for source in self.sources for path in source.files)

    def make(self, places: Places = as_named) -> tuple[Any, ...]:
        return tuple(source.make(places) for source in self.sources)

    def items(self, corpus: Corpus) -> Iterator[Item]:
        """Every document with the contents of each source's file for it."""
        streams = [source.items(corpus) for source in self.sources]
        for together in zip(*streams, strict=True):
            yield together[0][0], tuple(said for _, said in together)

    def __call__(self, made: Sequence[Any], items: list[Item]) -> Portion:
        tallies = {}
        for number, (source, shared) in enumerate(zip(self.sources, made, strict=True)):
            task = get(source.task)
            found = source.answered(shared, [(document, said[number]) for document, said in items])
            tally = task.tally(found.documents, found.layers, found.scored)
            rows = task.counts(found.documents, found.layers, self.asked)
            names = tuple(rows[0])
            tally.facts["counted"] = list(names)
            tally.extend("counted", as_counts(rows, names))
            tallies[str(number)] = tally
        return Portion(len(items), tallies)


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
    return [_compared(total) for total in totals]


def _compared(total: Tally) -> Compared:
    names = tuple(total.facts.get("counted", ()))
    rows = np.asarray(total.column("counted"), dtype=np.float64).reshape(-1, len(names))
    return Compared(Counted(names, rows), total)
