"""The nearest bias at which a wrong answer is right.

Between two breakpoints of its document's curve nothing changes, so every step is tried once, the nearest first. If the
curve is a grid, only its points are known.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.metrics.cases import Case
from engine.tasks.base import AnyTask
from engine.tasks.scored import Scored
from engine.tuning.curve import Curve
from engine.workbench.why.ways import still_wrong


@dataclass(frozen=True)
class Nearest:
    """The nearest step at which the answer is right."""

    bias: float
    """A bias well inside the step."""
    edge: float
    """Where the step begins, coming from the current bias; for a grid, the point itself."""
    exact: bool


def nearest(task: AnyTask, scored: Scored, case: Case) -> Nearest | None:
    """The step of the document's curve nearest to the current bias at which the case is not an error."""
    curve, here = task.curve(scored), scored.bias
    present = curve.index_at(here)
    steps = sorted((i for i in range(len(curve.bias)) if i != present), key=lambda i: _edge(curve, i, here)[1])
    for i in steps:
        at = curve.bias_of(i)
        moved = scored.at(at)
        if not still_wrong(task, moved, task.decide(moved)[0], case):
            return Nearest(at, _edge(curve, i, here)[0] if curve.exact else at, curve.exact)
    return None


def _edge(curve: Curve, index: int, here: float) -> tuple[float, float]:
    """The end of a step that is nearer to the current bias, and its distance; for a grid, the point itself."""
    if not curve.exact:
        at = curve.bias_of(index)
        return at, abs(at - here)
    if index > curve.index_at(here):
        return float(curve.bias[index]), float(curve.bias[index]) - here
    return float(curve.bias[index + 1]), here - float(curve.bias[index + 1])
