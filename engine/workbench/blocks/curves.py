"""The curve of a source over a corpus with gold: exact if the curves of blocks are, else on a common grid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from engine.arrays import Floats, Ints
from engine.metrics.tally import Tally
from engine.tasks.registry import get
from engine.tasks.scored import Scored
from engine.tuning.curve import Curve, summed
from engine.workbench.blocks.corpus import Corpus
from engine.workbench.blocks.portions import Portion
from engine.workbench.blocks.running import Running
from engine.workbench.blocks.sources import Item, Source

STEPS: Final = ("document", "bias", "counts", "gold")
"""The columns of engine.tuning.curve.Steps."""


@dataclass(frozen=True)
class Tracing:
    """The work: the changes of a block's curve at each bias. If the curve is a grid and the outline of the whole corpus
    is not known yet, only the block's contribution to the outline."""

    source: Source
    outline: Tally | None = None
    steps: bool = False
    """Whether the step functions of the documents are kept as well, if the curve has them."""

    def __call__(self, made: object, items: list[Item]) -> Portion:
        scored = self.source.scored(made, items)
        assert scored is not None
        return Portion(len(items), self.tallies(scored))

    def tallies(self, scored: Scored) -> dict[str, Tally]:
        """The tallies of a scored block: its part of the curve, or of the outline."""
        task = get(self.source.task)
        if self.outline is None:
            outline = task.outline(scored)
            if outline is not None:
                return {"outline": outline}
        curve = task.curve(scored, self.outline)
        found = Tally(facts={"exact": curve.exact, "first": curve.first, "bias": scored.bias})
        found.count("gold", n=curve.gold)
        found.extend("bias", curve.bias)
        found.extend("changes", _small(curve.changes()))
        if not self.steps or curve.steps is None:
            return {"curve": found}
        own = Tally()
        for name in STEPS:
            own.extend(name, getattr(curve.steps, name))
        return {"curve": found, "steps": own}


@dataclass(frozen=True)
class Traced:
    curve: Curve
    bias: float
    """The operating point of the source."""


def trace_curve(source: Source, corpus: Corpus, running: Running) -> Traced:
    """The curve of the whole corpus."""
    found = _taken(Tracing(source), corpus, running, "scoring")
    if found.columns.get("bias") is None and found.columns:
        found = _taken(Tracing(source, found), corpus, running, "tracing the curve")
    return Traced(merged(found), float(found.facts.get("bias", 0.0)))


def merged(found: Tally) -> Curve:
    """The curve from the tallies of all blocks."""
    bias: Floats = found.column("bias")
    changes: Ints = found.column("changes").reshape(-1, 3)
    grid_from = None if found.facts.get("exact", True) else float(found.facts["first"])
    return summed(bias, changes, found.number("gold"), grid_from=grid_from)


def _taken(work: Tracing, corpus: Corpus, running: Running, doing: str) -> Tally:
    found = Tally()
    for portion in running.portions(work, work.source, work.source.items(corpus), doing=doing):
        for tally in portion.tallies.values():
            found.take(tally)
    return found


def _small(changes: Ints) -> Ints:
    """The same numbers in a quarter of the space if they are small, as those of a block are."""
    short = changes.astype(np.int16)
    return np.asarray(short) if np.array_equal(short, changes) else changes
