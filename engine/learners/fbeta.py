"""The F-beta loss as a function of (FP, FN), and the labels that are worst under it.

beta here is a weight in [0, 1] on precision (Haffari et al. 2015, equation 2): F = 1 / (beta / P + (1 - beta) / R), so
0.5 is F1; it is not van Rijsbergen's beta, which is sqrt((1 - beta) / beta) of this one. With P gold labels,

    F = (P - FN) / (P + beta (FP - FN)),     0 if nothing is right.

Equation 14 seeks the labelling that maximises 1 - F plus a sum of label scores. For given counts the best labelling
turns the highest-scored wrong labels on and the lowest-scored right ones off, so only the grid (FP, FN) is left
(Algorithm 3 there climbs hills on it). For a fixed FN both the loss and the sorted sums are concave in FP, hence the
best FP is found by bisection: O(P log N) in all, exactly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from engine.arrays import Array, Flags, Floats, Int, Ints, Places
from engine.kernels import kernel

Search: TypeAlias = Literal["exact", "climb", "exhaustive"]


def f_beta(fp: float, fn: float, positives: float, beta: float) -> float:
    """F with weight beta on precision; 0 when nothing is right."""
    right = positives - fn
    if right <= 0:
        return 0.0
    return right / (positives + beta * (fp - fn))


def to_van_rijsbergen(beta: float) -> float:
    """Van Rijsbergen's beta (above 1 favours recall) for this weight on precision."""
    return math.inf if beta == 0 else math.sqrt((1 - beta) / beta)


def from_van_rijsbergen(beta: float) -> float:
    """The weight on precision for van Rijsbergen's beta."""
    return 0.0 if math.isinf(beta) else 1.0 / (1.0 + beta * beta)


@dataclass(frozen=True, eq=False)
class Grid:
    """What the search needs from the label scores: sums of the highest wrong ones and of the lowest right ones.

    `wrong[k]` is the sum of the k highest scores of labels that are not gold, `right[k]` of the `missing` + k lowest of
    the gold ones: `missing` of these are off in any case, and count neither as gold nor as errors. Which labels these
    are is looked up in `gold` and `lam` once the counts are known: sorting values is much cheaper than sorting
    positions.
    """

    wrong: Floats
    right: Floats
    gold: Flags
    lam: Floats
    missing: int = 0

    @property
    def positives(self) -> int:
        return len(self.right) - 1

    @property
    def negatives(self) -> int:
        return len(self.wrong) - 1

    def value(self, fp: int, fn: int, beta: float, scale: float = 1.0) -> float:
        """Loss plus label scores of the best labelling with these counts."""
        loss = 1.0 - f_beta(fp, fn, self.positives, beta)
        return float(scale * loss + self.wrong[fp] + self.right[-1] - self.right[fn])

    def labelling(self, fp: int, fn: int) -> Flags:
        """The best labelling with these counts; among labels with equal scores, the first ones count as lowest."""
        labels = self.gold.copy()
        labels[_lowest(self.lam, np.flatnonzero(self.gold), self.missing + fn)] = False
        labels[_lowest(-self.lam, np.flatnonzero(~self.gold), fp)] = True
        return labels


def _lowest(values: Floats, among: Places, k: int) -> Places:
    """Positions of the k lowest values, ties by position."""
    if k == 0 or k == len(among):
        return among[:k]
    mine = values[among]
    limit = np.partition(mine, k - 1)[k - 1]
    below = among[mine < limit]
    return np.concatenate([below, among[mine == limit][: k - len(below)]])


@dataclass(frozen=True)
class Worst:
    """The grid point found, its value, and the points that the search visited."""

    fp: int
    fn: int
    value: float
    steps: tuple[tuple[int, int], ...] = ()


def grid(gold: Array, lam: Array, missing: int = 0) -> Grid:
    """Sorted sums of the label scores `lam`, split by `gold`, of which `missing` labels are off in any case."""
    gold = np.asarray(gold, dtype=np.bool_).ravel()
    lam = np.asarray(lam, dtype=np.float64).ravel()
    return Grid(_prefix(np.sort(lam[~gold])[::-1]), _prefix(np.sort(lam[gold]))[missing:], gold, lam, missing)


def counts_grid(fp_price: float, fn_price: float, most_fp: int, positives: int) -> Grid:
    """The grid in which every false positive costs one price and every false negative another."""
    nothing = np.zeros(0)
    wrong = np.arange(most_fp + 1, dtype=np.float64) * -fp_price
    right = np.arange(positives + 1, dtype=np.float64) * fn_price
    return Grid(wrong, right, nothing.astype(np.bool_), nothing)


def search(
    over: Grid,
    beta: float,
    *,
    scale: float = 1.0,
    method: Search = "exact",
    start: tuple[int, int] | None = None,
    seed: int = 0,
) -> Worst:
    """The grid point of largest scale * (1 - F) + label scores.

    `climb` is the paper's local search: from a random point to the best of the points at exponentially growing
    distances in all eight directions, until none is better. It may end in a local optimum.
    """
    if not 0.0 <= beta <= 1.0:
        raise ValueError(f"beta is a weight on precision in [0, 1], not {beta}")
    if method == "exact":
        fp, fn = _exact(over.wrong, over.right, beta, scale)
    elif method == "exhaustive":
        fp, fn = _exhaustive(over.wrong, over.right, beta, scale)
    else:
        if start is None:
            rng = np.random.default_rng(seed)
            start = int(rng.integers(over.negatives + 1)), int(rng.integers(over.positives + 1))
        path = _climb(over.wrong, over.right, beta, scale, *start)
        steps = tuple((int(a), int(b)) for a, b in path)
        fp, fn = steps[-1]
        return Worst(fp, fn, over.value(fp, fn, beta, scale), steps)
    return Worst(int(fp), int(fn), over.value(int(fp), int(fn), beta, scale))


def ceiling(limits: Floats, beta: float, scale: float, most_fp: int, positives: int) -> Worst:
    """The counts of largest scale * (1 - F) + least limit, where limit (v, p, q) allows v - p fp - q fn.

    For fixed FN both terms are concave in FP, so FP is found by bisection; every FN is tried.
    """
    value, fp, fn = _ceiling(np.ascontiguousarray(limits, dtype=np.float64), beta, scale, most_fp, positives)
    return Worst(int(fp), int(fn), float(value))


def worst_labels(
    gold: Array,
    lam: Array,
    beta: float,
    *,
    scale: float = 1.0,
    method: Search = "exact",
    seed: int = 0,
    missing: int = 0,
) -> tuple[float, Ints]:
    """max and argmax over y in {0, 1}^n of scale * (1 - F_beta(gold, y)) + lam . y.

    With `missing`, only labellings without that many of the gold labels are considered, and F does not count these.
    """
    over = grid(gold, lam, missing)
    worst = search(over, beta, scale=scale, method=method, seed=seed)
    return worst.value, over.labelling(worst.fp, worst.fn).astype(np.int64)


def _prefix(values: Floats) -> Floats:
    sums = np.empty(len(values) + 1)
    sums[0] = 0.0
    np.cumsum(values, out=sums[1:])
    return sums


@kernel
def _value(wrong: Floats, right: Floats, fp: Int, fn: Int, beta: float, scale: float) -> float:
    positives = len(right) - 1
    correct = positives - fn
    f = correct / (positives + beta * (fp - fn)) if correct > 0 else 0.0
    value: float = scale * (1.0 - f) + wrong[fp] - right[fn]
    return value


@kernel
def _best_fp(wrong: Floats, right: Floats, fn: Int, beta: float, scale: float, guess: Int) -> Int:
    """The first FP after which one more false positive gains nothing; searched outwards from a guess."""
    n = len(wrong) - 1
    low: Int = 0
    high: Int = n
    width = 1
    if guess < n and _gains(wrong, right, guess, fn, beta, scale):
        low = guess + 1
        while low + width < n and _gains(wrong, right, low + width, fn, beta, scale):
            low += width + 1
            width *= 2
        high = min(n, low + width)
    else:
        high = guess
        while high - width > 0 and not _gains(wrong, right, high - width, fn, beta, scale):
            high -= width
            width *= 2
        low = max(0, high - width)
    while low < high:
        middle = (low + high) // 2
        if _gains(wrong, right, middle, fn, beta, scale):
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def _gains(wrong: Floats, right: Floats, fp: Int, fn: Int, beta: float, scale: float) -> bool:
    """Whether one more false positive increases the value."""
    positives = len(right) - 1
    correct = positives - fn
    rise = 0.0
    if correct > 0:
        below = positives + beta * (fp - fn)
        # 1/below - 1/(below + beta), written so that it does not cancel.
        rise = scale * correct * beta / (below * (below + beta))
    gain: float = rise + wrong[fp + 1] - wrong[fp]
    return gain > 0.0


@kernel
def _exact(wrong: Floats, right: Floats, beta: float, scale: float) -> tuple[Int, Int]:
    best, best_fn = -np.inf, 0
    best_fp: Int = 0
    guess: Int = np.int64(0)
    for fn in range(len(right)):
        # The best FP changes little from one FN to the next.
        guess = _best_fp(wrong, right, fn, beta, scale, guess)
        value = _value(wrong, right, guess, fn, beta, scale)
        if value > best:
            best, best_fp, best_fn = value, guess, fn
    return best_fp, best_fn


@kernel
def _exhaustive(wrong: Floats, right: Floats, beta: float, scale: float) -> tuple[Int, Int]:
    best, best_fp, best_fn = -np.inf, 0, 0
    for fn in range(len(right)):
        for fp in range(len(wrong)):
            value = _value(wrong, right, fp, fn, beta, scale)
            if value > best:
                best, best_fp, best_fn = value, fp, fn
    return best_fp, best_fn


@kernel
def _climb(wrong: Floats, right: Floats, beta: float, scale: float, fp: Int, fn: Int) -> list[tuple[Int, Int]]:
    path = [(fp, fn)]
    here = _value(wrong, right, fp, fn, beta, scale)
    while True:
        best, best_fp, best_fn = here, fp, fn
        distance = 1
        while distance <= len(wrong) or distance <= len(right):
            for across in (-1, 0, 1):
                for along in (-1, 0, 1):
                    a, b = fp + across * distance, fn + along * distance
                    if 0 <= a < len(wrong) and 0 <= b < len(right):
                        value = _value(wrong, right, a, b, beta, scale)
                        if value > best:
                            best, best_fp, best_fn = value, a, b
            distance *= 2
        if best_fp == fp and best_fn == fn:
            return path
        here, fp, fn = best, best_fp, best_fn
        path.append((fp, fn))


@kernel
def _under(limits: Floats, fp: Int, fn: Int, beta: float, scale: float, positives: Int) -> float:
    least = np.inf
    for k in range(len(limits)):
        least = min(least, limits[k, 0] - limits[k, 1] * fp - limits[k, 2] * fn)
    right = positives - fn
    if right <= 0:
        return least + scale
    return least + scale * (1.0 - right / (positives + beta * (fp - fn)))


@kernel
def _ceiling(limits: Floats, beta: float, scale: float, most_fp: Int, positives: Int) -> tuple[float, Int, Int]:
    best, best_fp, best_fn = -np.inf, 0, 0
    for fn in range(positives + 1):
        low, high = 0, int(most_fp)
        while low < high:
            middle = (low + high) // 2
            here = _under(limits, middle, fn, beta, scale, positives)
            if _under(limits, middle + 1, fn, beta, scale, positives) > here:
                low = middle + 1
            else:
                high = middle
        value = _under(limits, low, fn, beta, scale, positives)
        if value > best:
            best, best_fp, best_fn = value, low, fn
    return best, best_fp, best_fn
