"""Every error of a source with its stage, and the scores without the errors of each stage."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from engine.metrics.errors import STAGES, Error, Stage
from engine.metrics.tally import Tally
from engine.tasks.base import AnyTask
from engine.tasks.registry import get
from engine.workbench.blocks.corpus import Corpus
from engine.workbench.blocks.portions import Portion
from engine.workbench.blocks.running import Running
from engine.workbench.blocks.sources import Answered, Item, Source
from engine.workbench.repair import repaired_layers

NOW: Final = "now"
"""The name of the tally of the actual scores."""


@dataclass(frozen=True)
class Blaming:
    """The work: the errors of a block, their numbers by stage, and what the block would contribute to the scores
    without the errors of one stage, for every stage with errors in this block."""

    source: Source

    def __call__(self, made: object, items: list[Item]) -> Portion:
        found = self.source.answered(made, items)
        return self.portion(found, found.errors(get(self.source.task)))

    def portion(self, found: Answered, errors: Sequence[Error]) -> Portion:
        """The portion of a block whose answers and errors are already known."""
        tallies = blame_tallies(get(self.source.task), found, errors)
        return Portion(len(found.documents), tallies, records=tuple(dataclasses.asdict(error) for error in errors))


def blame_tallies(task: AnyTask, found: Answered, errors: Sequence[Error]) -> dict[str, Tally]:
    """The tallies of a block with these errors, which `Blamed` takes."""
    stages = Tally()
    tallies = {NOW: task.tally(found.documents, found.layers, found.scored), "stages": stages}
    for stage in STAGES:
        own = [error for error in errors if error.stage == stage]
        if own:
            stages.count(stage, n=len(own))
            repaired = repaired_layers(found.documents, found.layers, own, task.decides)
            tallies[stage] = task.tally(found.documents, repaired, found.scored)
    return tallies


@dataclass
class Blamed:
    """The results so far: the actual scores, and those without the errors of a stage, for stages that have some."""

    now: Tally = field(default_factory=Tally)
    fixed: dict[Stage, Tally] = field(default_factory=dict)
    stages: Tally = field(default_factory=Tally)

    def take(self, portion: Portion) -> None:
        now = portion.tallies[NOW]
        for stage in STAGES:
            own = portion.tallies.get(stage)
            if own is not None and stage not in self.fixed:
                # Earlier documents had no such errors, so fixing them would have changed nothing.
                self.fixed[stage] = self.now.copy()
            if stage in self.fixed:
                self.fixed[stage].take(now if own is None else own)
        self.now.take(now)
        self.stages.take(portion.tallies["stages"])

    def errors(self, stage: Stage) -> int:
        return self.stages.number(stage)


def blame(work: Blaming, corpus: Corpus, running: Running, found: Blamed) -> Iterator[Mapping[str, Any]]:
    """The errors, document by document; afterwards `found` holds the whole corpus."""
    for portion in running.portions(work, work.source, work.source.items(corpus), doing="scoring"):
        found.take(portion)
        yield from portion.records
