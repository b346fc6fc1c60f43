"""Dual decomposition: two parts of a problem are solved separately, and prices make them agree.

To maximise worth(Y) + score(Y), where worth looks only at the counts of Y (false positives and negatives) and score
decomposes over bags, each side gets its own copy of Y and disagreeing is priced. For any prices the sum of the two
maxima is an upper bound (the dual); a labelling that the second side proposes is a lower bound (the primal); when they
meet, the labelling is certified to be best.

* `per_label`: one price per label of every bag, moved by subgradient steps of length 1 / sqrt(t) (Haffari et al. 2015,
  Algorithm 2). It rarely meets within a few hundred steps when there are thousands of labels.
* `two_prices`: one price per false positive and one per false negative. It is the same dual restricted to a plane, so
  it is still a bound, and a convex function of two numbers can be minimised for good: a polygon that holds the minimum
  is cut through its centroid, along the subgradient, until it is small. Each cut costs one exact pass over the bags.

If worth is not concave in the counts, the dual never meets the primal, however good the proposal, because it replaces
worth by its concave hull. But every pass gives more than its own dual: no output with counts (fp, fn) scores more than
value - p fp - q fn. The minimum of these lines over all passes, plus the original worth, bounds the answer for each
pair of counts, and the maximum of that over the counts is a much tighter bound, the ceiling. `two_prices` can continue
by pricing the counts at which the ceiling is attained, until ceiling and primal meet. The gap that remains is due only
to the bags' own scores not being concave, and is negligible if there are many bags.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Generic, TypeAlias, TypeVar

import numpy as np

from engine.arrays import Flags, Floats

P = TypeVar("P")

# A gap of at most this share of the bound counts as none.
_TOLERANCE: Final = 1e-3


@dataclass(frozen=True)
class Step:
    """One evaluation of the dual; `primal` is the value of the labelling proposed here, not the best so far.

    In a step made for the certificate, `dual` is the ceiling over the counts.
    """

    dual: float
    primal: float
    disagreement: float


@dataclass(frozen=True, eq=False)
class Agreement(Generic[P]):
    """The best proposal, its value, the lowest upper bound, and how the search went."""

    proposal: P
    value: float
    bound: float
    certified: bool
    steps: tuple[Step, ...]

    @property
    def gap(self) -> float:
        return max(0.0, self.bound - self.value)


@dataclass(frozen=True, eq=False)
class Counted(Generic[P]):
    """A maximum at given prices: its value with prices, its counts, its value without prices, and the output itself."""

    value: float
    fp: int
    fn: int
    plain: float
    proposal: P


Worth: TypeAlias = Callable[[int, int], float]
"""The worth of an output with these numbers of false positives and negatives."""
CountSide: TypeAlias = Callable[[float, float], tuple[float, int, int]]
"""Prices -> max over counts of worth - price_fp * fp - price_fn * fn, and the counts."""
Point: TypeAlias = tuple[float, float]
Limit: TypeAlias = tuple[float, float, float]
"""(value, p, q): no output with counts (fp, fn) scores more than value - p fp - q fn."""
Ceiling: TypeAlias = Callable[[list[Limit]], tuple[float, int, int]]
"""The largest worth + least limit over all counts, and where."""


class _Progress(Generic[P]):
    """The best proposal so far, the lowest bound so far, and how the search went."""

    def __init__(self) -> None:
        self.bound, self.value = math.inf, -math.inf
        self._proposal: P | None = None
        self._steps: list[Step] = []

    def note(self, step: Step, proposal: P) -> None:
        self._steps.append(step)
        self.lower(step.dual)
        if step.primal > self.value:
            self.value, self._proposal = step.primal, proposal

    def lower(self, bound: float) -> None:
        self.bound = min(self.bound, bound)

    @property
    def met(self) -> bool:
        """Whether bound and value are close enough for the proposal to count as optimal."""
        return self.bound - self.value <= _TOLERANCE * max(abs(self.bound), 1e-9)

    def outcome(self) -> Agreement[P]:
        assert self._proposal is not None
        return Agreement(self._proposal, self.value, self.bound, self.met, tuple(self._steps))


def two_prices(
    worth: Worth,
    counts: CountSide,
    model: Callable[[float, float], Counted[P]],
    highest: Point,
    *,
    most: int = 40,
    ceiling: Ceiling | None = None,
    proofs: int = 0,
) -> Agreement[P]:
    """Search prices in [0, highest] in at most `most` passes; stop when bound and value meet or the polygon is tiny.

    `model(p, q)` maximises score + p fp + q fn. Prices lie between 0 and the steepest slope of the worth: beyond, one
    side always takes everything or nothing. With a `ceiling`, at most `proofs` passes more lower the bound.
    """
    polygon: list[Point] = [(0.0, 0.0), (highest[0], 0.0), highest, (0.0, highest[1])]
    whole = _area(polygon)
    progress: _Progress[P] = _Progress()
    passes: list[tuple[Point, Counted[P]]] = []
    for _ in range(most):
        prices = _centroid(polygon)
        loss, fp, fn = counts(*prices)
        found = model(*prices)
        passes.append((prices, found))
        progress.note(_step(loss + found.value, worth, found, (fp, fn)), found.proposal)
        slope = (float(found.fp - fp), float(found.fn - fn))
        if progress.met or slope == (0.0, 0.0):
            break
        # The dual is convex: its minimum lies in the direction against the slope.
        polygon = _cut(polygon, prices, slope)
        if len(polygon) < 3 or _area(polygon) <= 1e-7 * whole:
            break
    for _ in range(proofs if ceiling is not None else 0):
        assert ceiling is not None
        top, fp, fn = ceiling([(found.value, *at) for at, found in passes])
        progress.lower(top)
        if progress.met:
            break
        prices = _pricing(passes, (fp, fn), highest)
        found = model(*prices)
        passes.append((prices, found))
        progress.note(_step(top, worth, found, (fp, fn)), found.proposal)
    return progress.outcome()


def _step(dual: float, worth: Worth, found: Counted[P], other: tuple[int, int]) -> Step:
    """The record of a pass in which the other side preferred these counts."""
    primal = worth(found.fp, found.fn) + found.plain
    return Step(dual, primal, abs(found.fp - other[0]) + abs(found.fn - other[1]))


def _pricing(passes: list[tuple[Point, Counted[P]]], target: tuple[int, int], highest: Point) -> Point:
    """The prices that are most informative about outputs with the target's counts: the centre of the region that the
    passes leave open.

    The minimum of the limits at given counts is again the minimum of a convex function of the prices. At the edges of
    the grid it may lie outside of the worth's own slopes, hence the wider box.
    """
    reach = 1.0 + max(highest)
    room: list[Point] = [(-reach, -reach), (2 * reach, -reach), (2 * reach, 2 * reach), (-reach, 2 * reach)]
    for at, found in passes:
        slope = (float(found.fp - target[0]), float(found.fn - target[1]))
        smaller = _cut(room, at, slope) if slope != (0.0, 0.0) else room
        # Ties between outputs would leave slivers, but only a polygon with an area has a centroid.
        if len(smaller) >= 3 and _area(smaller) > 1e-12:
            room = smaller
    return _centroid(room)


def per_label(
    first: Callable[[Floats], tuple[float, Flags]],
    second: Callable[[Floats], tuple[float, Flags, P]],
    value_of: Callable[[Flags, P], float],
    shape: tuple[int, ...],
    *,
    most: int = 200,
) -> Agreement[P]:
    """Subgradient descent on one price per label, in at most `most` steps.

    `first(lam)` maximises worth + lam . y, `second(lam)` score - lam . y; the second one's labels are legal, so they
    are the proposals.
    """
    lam = np.zeros(shape)
    progress: _Progress[P] = _Progress()
    for t in range(1, most + 1):
        worth, ours = first(lam)
        score, theirs, candidate = second(lam)
        differing = ours != theirs
        progress.note(Step(worth + score, value_of(theirs, candidate), float(differing.sum())), candidate)
        if progress.met or not differing.any():
            break
        lam -= 1.0 / math.sqrt(t) * (ours.astype(np.float64) - theirs)
    return progress.outcome()


def _area(polygon: list[Point]) -> float:
    total = 0.0
    for (ax, ay), (bx, by) in zip(polygon, polygon[1:] + polygon[:1], strict=True):
        total += ax * by - bx * ay
    return abs(total) / 2


def _centroid(polygon: list[Point]) -> Point:
    area = x = y = 0.0
    for (ax, ay), (bx, by) in zip(polygon, polygon[1:] + polygon[:1], strict=True):
        cross = ax * by - bx * ay
        area += cross
        x += (ax + bx) * cross
        y += (ay + by) * cross
    if abs(area) < 1e-300:
        n = len(polygon)
        return sum(p[0] for p in polygon) / n, sum(p[1] for p in polygon) / n
    return x / (3 * area), y / (3 * area)


def _cut(polygon: list[Point], through: Point, slope: Point) -> list[Point]:
    """The part of the polygon where slope . (x - through) <= 0."""

    def side(point: Point) -> float:
        return slope[0] * (point[0] - through[0]) + slope[1] * (point[1] - through[1])

    kept: list[Point] = []
    for here, after in zip(polygon, polygon[1:] + polygon[:1], strict=True):
        a, b = side(here), side(after)
        if a <= 0:
            kept.append(here)
        if (a < 0 < b) or (b < 0 < a):
            share = a / (a - b)
            kept.append((here[0] + share * (after[0] - here[0]), here[1] + share * (after[1] - here[1])))
    return kept
