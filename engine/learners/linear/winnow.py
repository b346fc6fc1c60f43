"""Winnow in the manner of SNoW: a sparse network of linear units with multiplicative updates.

Every class is a linear unit over the same on/off features with positive weights. A unit whose class is right but whose
activation stays below the threshold promotes the weights of the active features; one whose class is wrong but reaches
the threshold demotes them. The threshold is thick: examples within its margin count as mistakes too. Activations become
probabilities by a softmax (Roth and Yih 2004, section 4), sharpened by a factor that the caller fits out of fold.
Mistakes on a k-literal disjunction over n features grow with k log n, not with n (Littlestone 1988).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from engine.arrays import Floats, Int, Ints, ShortInts
from engine.kernels import kernel
from engine.learners.base import Round, Saved
from engine.learners.linear.onoff import Classifier, Labelled, join_labelled
from engine.learners.training import Training, rng_from, rng_parts
from engine.settings import Settings, setting


@dataclass(frozen=True, kw_only=True)
class Winnow(Settings):
    """A sparse network of linear units."""

    promotion: float = setting(1.1, "Factor for weights that were too small.")
    demotion: float = setting(0.9, "Factor for weights that were too large.")
    thickness: float = setting(0.1, "Half the width of the threshold, which stands at 1.", low=0.0)
    n_rounds: int = setting(25, "Passes over the rows.", low=1, formerly=("epochs",))
    averaged: bool = setting(True, "Use the average of the weights over all rows seen instead of the last ones.")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (self.promotion > 1.0 > self.demotion > 0.0):
            raise ValueError("promotion must be above 1 and demotion between 0 and 1")

    def rounds(self, instances: Sequence[Labelled], *, resume: Saved | None = None) -> Iterator[Round[Classifier]]:
        """One round per pass; its classifier has the weights averaged over all rows so far, or the last ones."""
        yield from _Units(self, join_labelled(instances)).rounds(self.n_rounds, resume)


class _Examples(NamedTuple):
    """Rows of on/off features, and the class of each."""

    starts: Ints
    columns: ShortInts
    classes: Ints


class _Sums(NamedTuple):
    """Weights [classes, columns and one that is always on], their sums over the steps, and the step up to which each is
    summed; the value since then is added when the weight changes."""

    weights: Floats
    total: Floats
    stamp: Ints


class _Factors(NamedTuple):
    promotion: float
    demotion: float
    thickness: float


class _Units(Training[Round[Classifier]]):
    kind: ClassVar[str] = "winnow"

    def __init__(self, settings: Winnow, data: Labelled) -> None:
        super().__init__()
        rows = data.rows
        self._examples = _Examples(rows.starts, rows.columns, np.asarray(data.classes, dtype=np.int64))
        self._factors = _Factors(settings.promotion, settings.demotion, settings.thickness)
        self._averaged = settings.averaged
        self._rng = np.random.default_rng(settings.seed)
        # A unit starts with weights that put a typical example at the threshold.
        active = max(float(np.diff(rows.starts).mean()), 1.0) if len(rows) else 1.0
        shape = (data.n_classes, rows.n_columns + 1)
        self._sums = _Sums(np.full(shape, 1.0 / active), np.zeros(shape), np.zeros(shape, dtype=np.int64))
        self._time = 0

    @property
    def size(self) -> tuple[int, ...]:
        return (len(self._examples.classes), *self._sums.weights.shape)

    def step(self) -> Round[Classifier]:
        n = len(self._examples.classes)
        mistakes = _pass(self._rng.permutation(n), self._examples, self._sums, self._time, self._factors)
        self._time += n
        weights, total, stamp = self._sums
        used = (total + (self._time - stamp) * weights) / max(self._time, 1) if self._averaged else weights.copy()
        return Round(self.done, float(mistakes), Classifier(used[:, :-1], used[:, -1]))

    def save(self) -> Saved:
        sums = {name: part.copy() for name, part in self._sums._asdict().items()}
        return {**sums, "time": np.array(self._time), "rng": rng_parts(self._rng)}

    def restore(self, saved: Saved) -> None:
        self._sums = _Sums(saved["weights"].copy(), saved["total"].copy(), saved["stamp"].copy())
        self._time, self._rng = int(saved["time"]), rng_from(saved["rng"])


@kernel
def _pass(order: Ints, examples: _Examples, sums: _Sums, time: Int, factors: _Factors) -> int:
    """One pass in this order; returns the number of units on the wrong side of the threshold."""
    starts, columns, classes = examples.starts, examples.columns, examples.classes
    weights, total, stamp = sums.weights, sums.total, sums.stamp
    n_classes, always = weights.shape[0], weights.shape[1] - 1
    mistakes = 0
    for k in range(len(order)):
        row = order[k]
        a, b = starts[row], starts[row + 1]
        for c in range(n_classes):
            activation = weights[c, always]
            for f in range(a, b):
                activation += weights[c, columns[f]]
            is_right = classes[row] == c
            if is_right and activation < 1.0 + factors.thickness:
                factor = factors.promotion
            elif not is_right and activation > 1.0 - factors.thickness:
                factor = factors.demotion
            else:
                continue
            if (activation >= 1.0) != is_right:
                mistakes += 1
            for f in range(a, b + 1):
                column = columns[f] if f < b else always
                total[c, column] += (time + k - stamp[c, column]) * weights[c, column]
                stamp[c, column] = time + k
                weights[c, column] *= factor
    return mistakes
