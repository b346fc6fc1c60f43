"""The curve of a source over a corpus with gold: exact if the curves of blocks are, else on a common grid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from engine.arrays import Ints
from engine.metrics.tally import Tally
from engine.tasks.base import AnyTask
from engine.tasks.registry import get
from engine.tasks.scored import Scored
from engine.tuning.curve import Steps
from engine.tuning.long_curve import Changes, LongCurve
from engine.tuning.long_steps import LongSteps
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
        return curve_tallies(get(self.source.task), scored, self.outline, steps=self.steps)


def curve_tallies(task: AnyTask, scored: Scored, outline: Tally | None, *, steps: bool) -> dict[str, Tally]:
    """The same, given the task; `steps` asks for the step functions of the documents, too."""
    if outline is None:
        own_outline = task.outline(scored)
        if own_outline is not None:
            return {"outline": own_outline}
    curve = task.curve(scored, outline)
    found = Tally(facts={"exact": curve.exact, "first": curve.first, "bias": scored.bias})
    found.count("gold", n=curve.gold)
    found.extend("bias", curve.bias)
    found.extend("changes", _small(curve.changes()))
    if not steps or curve.steps is None:
        return {"curve": found}
    own = Tally()
    for name in STEPS:
        own.extend(name, getattr(curve.steps, name))
    return {"curve": found, "steps": own}


@dataclass(frozen=True)
class Traced:
    curve: LongCurve
    bias: float
    """The operating point of the source."""
    steps: LongSteps | None
    """The step functions of the documents; None if some block came without them."""


class Joining:
    """Joins the curves of the blocks; or their outlines, if the curve needs the outline of the whole corpus first."""

    def __init__(self) -> None:
        self.outline, self._found = Tally(), Tally()
        self._changes = Changes()
        self._steps: LongSteps | None = LongSteps()

    def take(self, tallies: Mapping[str, Tally]) -> None:
        """Add the tallies of the next block."""
        if "outline" in tallies:
            self.outline.take(tallies["outline"])
        if "curve" in tallies:
            own = tallies["curve"]
            self._changes.add(own.column("bias"), own.column("changes").reshape(-1, 3))
            self._found.take(Tally(own.counts, facts=own.facts))
            self._take_steps(tallies.get("steps"))

    def _take_steps(self, own: Tally | None) -> None:
        if own is None:
            self._steps = None
        elif self._steps is not None:
            document, bias, counts, gold = map(own.column, STEPS)
            self._steps.add(Steps(document, bias, counts.reshape(-1, 3), gold))

    @property
    def needs_outline(self) -> bool:
        """Whether the blocks gave only their outlines, so that they have to be asked again with that of the corpus."""
        return bool(self.outline.columns) and not self._found.facts

    @property
    def traced(self) -> Traced:
        facts = self._found.facts
        curve = LongCurve(
            self._changes, self._found.number("gold"), facts.get("exact", True), float(facts.get("first", -np.inf))
        )
        return Traced(curve, float(facts.get("bias", 0.0)), self._steps)


def trace_curve(source: Source, corpus: Corpus, running: Running) -> Traced:
    """The curve of the whole corpus."""
    found = _joined(Tracing(source), corpus, running, "scoring")
    if found.needs_outline:
        found = _joined(Tracing(source, found.outline), corpus, running, "tracing the curve")
    return found.traced


def _joined(work: Tracing, corpus: Corpus, running: Running, doing: str) -> Joining:
    found = Joining()
    for portion in running.portions(work, work.source, work.source.items(corpus), doing=doing):
        found.take(portion.tallies)
    return found


def _small(changes: Ints) -> Ints:
    """The same numbers in a quarter of the space if they are small, as those of a block are."""
    short = changes.astype(np.int16)
    return np.asarray(short) if np.array_equal(short, changes) else changes
