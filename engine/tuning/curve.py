"""Precision and recall of a whole corpus at every value of the abstain bias.

Adding b to declining makes each document's best output piecewise constant in b, so its counts are a step function; the
corpus curve is the sum of these. Point i holds on [bias[i], bias[i + 1]); the first bias is -inf. If search is
approximate, the points are a grid and `exact` is False.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.arrays import Flags, Floats, Ints, Places


@dataclass(frozen=True, eq=False)
class Steps:
    """The documents' own step functions, for resampling: from bias[i] on, document[i] has counts[i].

    Sorted by document, then bias; counts are (correct, found, predicted); gold has one number per document.
    """

    document: Ints
    bias: Floats
    counts: Ints
    gold: Ints

    def __len__(self) -> int:
        """The number of documents."""
        return len(self.gold)

    def pieces(self, at_once: int) -> Iterator[Steps]:
        """The same for some documents at a time, which are counted from 0 in each piece."""
        for first in range(0, len(self.gold), at_once):
            last = min(first + at_once, len(self.gold))
            own = slice(*np.searchsorted(self.document, [first, last]).tolist())
            yield Steps(self.document[own] - first, self.bias[own], self.counts[own], self.gold[first:last])


@dataclass(frozen=True)
class Point:
    bias: float
    precision: float
    recall: float
    f1: float

    def to_json(self) -> dict[str, float | None]:
        """The point as JSON. JSON has no infinities, so an unbounded bias is null."""
        bias = self.bias if np.isfinite(self.bias) else None
        return {"bias": bias, "precision": self.precision, "recall": self.recall, "f1": self.f1}


@dataclass(frozen=True, eq=False)
class Curve:
    """Step functions of the bias. `correct` counts right predictions, `found` gold items that were found
    (the same number unless one prediction may match several gold items)."""

    bias: Floats
    correct: Ints
    found: Ints
    predicted: Ints
    gold: int
    exact: bool = True
    steps: Steps | None = None
    first: float = -np.inf
    """The bias at which the first point of a grid was measured; the others were measured at their own bias."""

    def pieces(self) -> Iterator[Curve]:
        """The curve in one piece; a LongCurve has more."""
        yield self

    @property
    def precision(self) -> Floats:
        return _ratio(self.correct, self.predicted)

    @property
    def known_precision(self) -> Floats:
        """Precision where something is predicted, else NaN, for plots."""
        return np.where(self.predicted > 0, self.precision, np.nan)

    @property
    def recall(self) -> Floats:
        return _ratio(self.found, np.full_like(self.found, self.gold))

    def f(self, beta: float = 1.0) -> Floats:
        """F-beta in van Rijsbergen's convention: beta above 1 favours recall."""
        p, r = self.precision, self.recall
        b2 = beta * beta
        return _ratio((1 + b2) * p * r, b2 * p + r)

    def index_at(self, bias: float) -> int:
        return int(np.searchsorted(self.bias, bias, side="right")) - 1

    def point(self, index: int) -> Point:
        return Point(
            float(self.bias[index]),
            float(self.precision[index]),
            float(self.recall[index]),
            float(self.f()[index]),
        )

    def at(self, bias: float) -> Point:
        return self.point(self.index_at(bias))

    def best_index(self, beta: float = 1.0) -> int:
        """The point with the highest F-beta; among equals the widest step, which is the safest choice."""
        f = self.f(beta)
        best = self.widest(f, float(f.max()))
        assert best is not None
        return best[0]

    def widest(self, f: Floats, highest: float, end: float = np.inf) -> tuple[int, float] | None:
        """The widest step of those with the highest F, and its width; None if none of these points has it. The last
        step goes up to `end`."""
        ties = np.flatnonzero(f >= highest - 1e-12)
        if not len(ties):
            return None
        widths = np.diff(np.append(self.bias, end))[ties]
        # The two unbounded steps are poor settings, so they are chosen only if nothing else ties with them.
        widths[~np.isfinite(widths)] = 0.0
        best = int(np.argmax(widths))
        return int(ties[best]), float(widths[best])

    def best_bias(self, beta: float = 1.0) -> float:
        """A bias that gives the best point."""
        return self.bias_of(self.best_index(beta))

    def bias_of(self, index: int, end: float = np.inf) -> float:
        """A bias that gives this point: in the middle of its step, so that rounding cannot move it off; for a grid, the
        bias at which it was measured, since the result of the search nearby is unknown. The last step goes up to
        `end`."""
        low = float(self.bias[index])
        if not self.exact:
            return low if np.isfinite(low) else self.first
        high = float(self.bias[index + 1]) if index + 1 < len(self.bias) else end
        if np.isfinite(low) and np.isfinite(high):
            return (low + high) / 2
        if np.isfinite(high):
            return high - 1.0
        return low + 1.0 if np.isfinite(low) else 0.0

    def for_precision(self, target: float) -> int | None:
        """The point with the highest recall among those that reach the target precision."""
        return _most(self.recall, (self.precision >= target) & (self.predicted > 0))

    def for_recall(self, target: float) -> int | None:
        """The point with the highest precision among those that reach the target recall."""
        return _most(self.precision, self.recall >= target)

    def area(self) -> float:
        """Area under precision against recall, precision interpolated from the right."""
        return math.fsum(strips(*unbeaten(self.recall, self.precision)))

    def points(self) -> Iterator[Point]:
        """All points, one after the other."""
        columns = zip(self.bias, self.precision, self.recall, self.f(), strict=True)
        return (Point(*map(float, row)) for row in columns)

    def to_json(self) -> dict[str, Any]:
        return {"points": [point.to_json() for point in self.points()], **self.summary()}

    def summary(self) -> dict[str, Any]:
        """The contents of `to_json` apart from the points."""
        best = self.best_index()
        return {
            "best": {**self.point(best).to_json(), "bias": self.bias_of(best)},
            "area": self.area(),
            "exact": self.exact,
        }

    def changes(self) -> Ints:
        """The change of the counts (correct, found, predicted) at each bias."""
        counts = np.stack([self.correct, self.found, self.predicted], axis=1)
        return np.diff(counts, axis=0, prepend=np.zeros((1, 3), dtype=np.int64))


def summed(bias: Floats, changes: Ints, gold: int, *, grid_from: float | None = None) -> Curve:
    """The curve of a corpus from the changes of its parts' curves, in any order. It cannot be resampled."""
    order = np.argsort(bias, kind="stable")
    values, first = np.unique(bias[order], return_index=True)
    last = np.append(first[1:], len(bias))[: len(first)] - 1
    totals = [np.cumsum(changes[order, column], dtype=np.int64)[last] for column in range(3)]
    if not len(values) or values[0] != -np.inf:
        values = np.concatenate([[-np.inf], values])
        totals = [np.concatenate([np.zeros(1, dtype=np.int64), one]) for one in totals]
    measured_from = -np.inf if grid_from is None else grid_from
    correct, found, predicted = totals
    return Curve(values, correct, found, predicted, gold, grid_from is None, None, measured_from)


def joined(curves: Sequence[Curve]) -> Curve:
    """The curve of a corpus from those of its parts, in order; grids must have been measured at the same biases. It can
    be resampled if all of these can."""
    grid_from = None if all(one.exact for one in curves) else next(one.first for one in curves if not one.exact)
    if len(curves) == 1:
        return curves[0]
    steps = [one.steps for one in curves if one.steps is not None]
    if len(steps) < len(curves):
        bias = np.concatenate([one.bias for one in curves])
        changes = np.concatenate([one.changes() for one in curves])
        return summed(bias, changes, sum(one.gold for one in curves), grid_from=grid_from)
    before = np.cumsum([0, *(len(one.gold) for one in steps[:-1])])
    return merge_paths(
        np.concatenate([one.document + first for one, first in zip(steps, before, strict=True)]),
        np.concatenate([one.bias for one in steps]),
        np.concatenate([one.counts for one in steps]),
        np.concatenate([one.gold for one in steps]),
        grid_from=grid_from,
    )


def merge_paths(
    document: Ints, bias: Floats, counts: Ints, gold: int | Ints, *, grid_from: float | None = None
) -> Curve:
    """The corpus curve from every document's steps; for a grid, `grid_from` is the bias of its first measurement.

    Row i means that from bias[i] on, document[i] has counts[i] = (correct, found, predicted). Each document starts with
    a row at -inf; its rows ascend in bias. With `gold` given per document the curve can be resampled.
    """
    order = np.lexsort((bias, document))
    document, bias, counts = document[order], bias[order], counts[order]
    change = counts.copy()
    same = np.flatnonzero(document[1:] == document[:-1]) + 1
    change[same] = counts[same] - counts[same - 1]
    by_bias = np.argsort(bias, kind="stable")
    values, first = np.unique(bias[by_bias], return_index=True)
    running = np.cumsum(change[by_bias], axis=0)
    last = np.append(first[1:], len(bias))[: len(first)] - 1
    totals = running[last]
    if not len(values) or values[0] != -np.inf:
        values = np.concatenate([[-np.inf], values])
        totals = np.concatenate([np.zeros((1, 3), dtype=np.int64), totals])
    steps = None if isinstance(gold, int) else Steps(document, bias, counts, np.asarray(gold))
    correct, found, predicted = totals.T
    measured_from = -np.inf if grid_from is None else grid_from
    return Curve(values, correct, found, predicted, int(np.sum(gold)), grid_from is None, steps, measured_from)


def unbeaten(recall: Floats, precision: Floats) -> tuple[Floats, Floats]:
    """Recall and precision of the points that no other reaches in both, by ascending recall. Only they bound the area
    under a curve."""
    order = np.lexsort((precision, recall))
    recall, precision = recall[order], precision[order]
    best = np.maximum.accumulate(precision[::-1])[::-1]
    last = np.append(best[1:] < best[:-1], True)[: len(best)]
    return recall[last], best[last]


def strips(recall: Floats, precision: Floats, start: float = 0.0) -> Iterator[float]:
    """The areas below such points, each from the one before it, the first from `start`."""
    yield from (np.diff(recall, prepend=start) * precision).tolist()


def _most(values: Floats, allowed: Flags) -> int | None:
    if not allowed.any():
        return None
    return int(np.argmax(np.where(allowed, values, -1.0)))


def _ratio(top: Any, bottom: Any) -> Floats:
    """top / bottom, and 0 where bottom is 0."""
    top = np.asarray(top, dtype=np.float64)
    bottom = np.asarray(bottom, dtype=np.float64)
    ratio: Floats = np.divide(top, bottom, out=np.zeros_like(top), where=bottom > 0)
    return ratio


def thin(curve: Curve, keep: Sequence[int], most: int) -> Places:
    """Indices of about `most` points that preserve the shape: evenly spaced by rank, plus all of `keep`."""
    return thin_ranks(len(curve.bias), keep, most)


def thin_ranks(n: int, keep: Sequence[int], most: int) -> Places:
    """The same for any curve of so many points."""
    if n <= most:
        return np.arange(n)
    even = np.linspace(0, n - 1, most).round().astype(np.intp)
    return np.unique(np.concatenate([even, np.asarray(keep, dtype=np.intp)]))
