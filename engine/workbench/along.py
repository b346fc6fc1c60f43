"""Any score of a report as a function of the bias, computed at a number of biases.

A curve has precision and recall at every step. But the CoNLL average, an accuracy over several kinds of answers or a
mean over types is not a function of the counts that a curve keeps, so for those the corpus is decided and evaluated
again at a number of biases.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from engine.arrays import Floats
from engine.tasks.base import AnyTask
from engine.tasks.scored import Scored
from engine.tuning.curve import Curve
from engine.tuning.window import useful_window

POINTS: Final = 17
"""Number of biases at which the corpus is evaluated, besides the chosen one."""


@dataclass(frozen=True, eq=False)
class Along:
    """One score at some biases, ascending."""

    name: str
    bias: Floats
    values: Floats

    @property
    def best(self) -> int:
        """Where it is highest."""
        return int(np.argmax(self.values))


def scores_in(report: Mapping[str, Any], path: tuple[str, ...] = ()) -> dict[tuple[str, ...], float]:
    """Every fraction of a report by its path: ("relations", "macro", "f1") -> 0.7."""
    found: dict[tuple[str, ...], float] = {}
    for name, value in report.items():
        if isinstance(value, Mapping):
            found |= scores_in(value, (*path, str(name)))
        elif isinstance(value, float):
            found[(*path, str(name))] = value
    return found


def biases_of(curve: Curve, chosen: float, points: int = POINTS) -> Floats:
    """The biases to evaluate: evenly spaced over the useful window, and the chosen bias."""
    low, high = useful_window(curve)
    at = np.linspace(low, high, points)
    if not curve.exact:
        # The result of a search between two points of a grid is unknown, so the grid's own points are used.
        at = np.array([curve.bias_of(curve.index_at(float(bias))) for bias in at])
    return np.unique(np.append(at, chosen))


def along(task: AnyTask, scored: Scored, biases: Sequence[float] | Floats, path: tuple[str, ...], name: str) -> Along:
    """The score at `path` of the report, at each of the biases."""
    at = np.unique(np.asarray(biases, dtype=np.float64))
    values = [_score(task, scored.at(float(bias)), path) for bias in at]
    return Along(name, at, np.array(values, dtype=np.float64))


def _score(task: AnyTask, scored: Scored, path: tuple[str, ...]) -> float:
    return scores_in(task.evaluate(scored.documents, task.decide(scored), scored))[path]
