"""All scores of a source on a corpus with gold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.data.errors import InputError
from engine.metrics.tally import Tally
from engine.tasks.capabilities import ForcesDecisions
from engine.tasks.registry import get
from engine.workbench.blocks.corpus import Corpus
from engine.workbench.blocks.portions import Portion
from engine.workbench.blocks.running import Running
from engine.workbench.blocks.sources import Item, Source


@dataclass(frozen=True)
class Evaluating:
    """The work: what a block contributes to the scores; the counts of each document, if requested; the forced-decision
    test of a relation, if one is named."""

    source: Source
    per_document: bool = False
    asked: frozenset[str] = frozenset()
    forced: str | None = None

    def __call__(self, made: object, items: list[Item]) -> Portion:
        task = get(self.source.task)
        found = self.source.answered(made, items)
        tallies = {"scores": task.tally(found.documents, found.layers, found.scored)}
        if found.scored is not None:
            tallies["notes"] = task.notable(found.scored)
            if self.forced is not None:
                if not isinstance(task, ForcesDecisions):
                    raise InputError(f"{task.name} has no test of forced decisions")
                tallies["forced"] = task.forced_tally(found.scored, self.forced)
        rows: list[Mapping[str, Any]] = []
        if self.per_document:
            counts = task.counts(found.documents, found.layers, self.asked)
            rows = [{"id": one.id, **row} for one, row in zip(found.documents, counts, strict=True)]
        return Portion(len(items), tallies, records=tuple(rows))


@dataclass
class Evaluated:
    """The tallies so far, by name."""

    tallies: dict[str, Tally] = field(default_factory=dict)

    def take(self, portion: Portion) -> None:
        for name, tally in portion.tallies.items():
            self.tallies.setdefault(name, Tally()).take(tally)

    def tally(self, name: str) -> Tally:
        return self.tallies.get(name, Tally())


def evaluate(work: Evaluating, corpus: Corpus, running: Running, found: Evaluated) -> Iterator[Mapping[str, Any]]:
    """The rows of the documents, if requested; afterwards `found` holds the whole corpus."""
    for portion in running.portions(work, work.source, work.source.items(corpus), doing="scoring"):
        found.take(portion)
        yield from portion.records
