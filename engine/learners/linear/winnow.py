"""Winnow in the manner of SNoW: a sparse network of linear units with multiplicative updates.

Every class is a linear unit over the same on/off features with positive weights. A unit whose class is right but whose
activation stays below the threshold promotes the weights of the active features; one whose class is wrong but reaches
the threshold demotes them. The threshold is thick: examples within its margin count as mistakes too. Activations become
probabilities by a softmax (Roth and Yih 2004, section 4), sharpened by a factor that the caller fits out of fold.
Mistakes on a k-literal disjunction over n features grow with k log n, not with n (Littlestone 1988). With several
shards, each pass learns them side by side and averages their weights (engine/learners/mixing.py).
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from engine.arrays import Floats, Int, Ints, ShortInts
from engine.kernels import kernel
from engine.learners.base import Round, Saved
from engine.learners.linear.onoff import Classifier, Labelled, join_labelled
from engine.learners.mixing import Learnt, Mixing, mean, orders_of, shards_of
from engine.learners.training import Training, rng_from, rng_parts
from engine.settings import setting
from engine.workers.crews import ALONE, Crew, Keepers


@dataclass(frozen=True, kw_only=True)
class Winnow(Mixing):
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

    def rounds(
        self, instances: Sequence[Labelled], *, resume: Saved | None = None, crew: Crew = ALONE
    ) -> Iterator[Round[Classifier]]:
        """One round per pass; its classifier has the weights averaged over all rows so far, or the last ones.

        With one shard the crew has nothing to do: each row is learnt with the weights that the previous one left.
        """
        yield from _Units(self, join_labelled(instances), crew).rounds(self.n_rounds, resume)


class _Examples(NamedTuple):
    """Rows of on/off features, and the class of each."""

    starts: Ints
    columns: ShortInts
    classes: Ints

    def part(self, first: int, last: int) -> _Examples:
        """Rows [first, last)."""
        begin, end = self.starts[first], self.starts[last]
        return _Examples(self.starts[first : last + 1] - begin, self.columns[begin:end], self.classes[first:last])


class _Sums(NamedTuple):
    """Weights [classes, columns and one that is always on], their sums over the steps, and the step up to which each is
    summed; the value since then is added when the weight changes."""

    weights: Floats
    total: Floats
    stamp: Ints

    @classmethod
    def begin(cls, weights: Floats) -> _Sums:
        return cls(weights.copy(), np.zeros(weights.shape), np.zeros(weights.shape, dtype=np.int64))

    def up_to(self, time: int) -> Floats:
        """The sums over all steps before this one."""
        total: Floats = self.total + (time - self.stamp) * self.weights
        return total


class _Factors(NamedTuple):
    promotion: float
    demotion: float
    thickness: float


class _Told(NamedTuple):
    """What a shard tells after a pass."""

    learnt: Learnt
    mistakes: int


def _learn(shard: _Examples, shared: tuple[Floats, _Factors], order: Ints) -> _Told:
    """One pass over a shard, from the weights that all shards begin with."""
    weights, factors = shared
    sums = _Sums.begin(weights)
    mistakes = _pass(order, shard, sums, 0, factors)
    return _Told(Learnt(sums.weights, sums.up_to(len(order))), mistakes)


class _Units(Training[Round[Classifier]]):
    kind: ClassVar[str] = "winnow"

    def __init__(self, settings: Winnow, data: Labelled, crew: Crew) -> None:
        super().__init__()
        rows = data.rows
        self._examples = _Examples(rows.starts, rows.columns, np.asarray(data.classes, dtype=np.int64))
        self._factors = _Factors(settings.promotion, settings.demotion, settings.thickness)
        self._averaged = settings.averaged
        self._rng = np.random.default_rng(settings.seed)
        # A unit starts with weights that put a typical example at the threshold.
        active = max(float(np.diff(rows.starts).mean()), 1.0) if len(rows) else 1.0
        shape = (data.n_classes, rows.n_columns + 1)
        self._sums = _Sums.begin(np.full(shape, 1.0 / active))
        self._time = 0
        self._shards: Keepers[_Examples] | None = None
        if settings.shards > 1:
            self._cuts = shards_of(len(rows), settings.shards)
            self._shards = crew.keep([self._examples.part(first, last) for first, last in self._cuts])

    @property
    def size(self) -> tuple[int, ...]:
        return (len(self._examples.classes), *self._sums.weights.shape)

    def step(self) -> Round[Classifier]:
        mistakes = self._in_turn() if self._shards is None else self._side_by_side(self._shards)
        weights = self._sums.weights
        used = self._sums.up_to(self._time) / max(self._time, 1) if self._averaged else weights.copy()
        return Round(self.done, float(mistakes), Classifier(used[:, :-1], used[:, -1]))

    def _in_turn(self) -> int:
        [order] = orders_of([len(self._examples.classes)], self._rng)
        mistakes = _pass(order, self._examples, self._sums, self._time, self._factors)
        self._time += len(order)
        return mistakes

    def _side_by_side(self, shards: Keepers[_Examples]) -> int:
        orders = orders_of([last - first for first, last in self._cuts], self._rng)
        told = shards.ask(_learn, (self._sums.weights, self._factors), orders)
        total = functools.reduce(np.add, [one.learnt.total for one in told], self._sums.up_to(self._time))
        self._time += len(self._examples.classes)
        weights = mean([one.learnt.weights for one in told])
        self._sums = _Sums(weights, total, np.full(weights.shape, self._time, dtype=np.int64))
        return sum(one.mistakes for one in told)

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
