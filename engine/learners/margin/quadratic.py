"""The quadratic programme of the cutting planes, solved exactly: a' x - x' G x / 2 over x >= 0, sum x <= 1.

An active-set method (Lawson and Hanson 1974, chapter 23, on the simplex in place of the orthant). A slack makes the
sum equal to 1, so that a point is optimal exactly if all positive entries have the same gradient and no other has a
smaller one. One entry at a time is freed, the programme is solved over the free entries alone, and entries that would
become negative are fixed at 0 again. Every step lowers the objective, and there are finitely many sets of free entries.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_EXACT: Final = 1e-12
"""Differences of gradients below this, relative to the largest number in the programme, count as rounding errors."""
_MOST_STEPS: Final = 50
"""Maximum number of steps per entry; after more, the numbers are too close to distinguish."""


def solve_on_simplex(matrix: Floats, linear: Floats) -> Floats:
    """argmax over x >= 0, sum x <= 1 of linear . x - x' matrix x / 2, for a positive definite matrix.

    Raises ValueError if the matrix is not positive definite enough to distinguish the best from its neighbours.
    """
    n = len(linear)
    whole = np.zeros((n + 1, n + 1))
    whole[:n, :n] = matrix
    gains = np.append(linear, 0.0)
    least = _EXACT * max(1.0, float(np.abs(whole).max(initial=0.0)), float(np.abs(gains).max()))
    point = np.zeros(n + 1)
    point[n] = 1.0
    free = point > 0
    for _ in range(_MOST_STEPS * (n + 1)):
        gradient = whole @ point - gains
        level = float(gradient[free] @ point[free])
        fixed = np.where(free, np.inf, gradient - level)
        enters = int(np.argmin(fixed))
        if fixed[enters] >= -least:
            return point[:n]
        free[enters] = True
        point = _settle(whole, gains, point, free)
    raise ValueError("the programme has no single best answer that can be told apart")


def _settle(whole: Floats, gains: Floats, point: Floats, free: NDArray[np.bool_]) -> Floats:
    """The best point over the free entries; entries that would become negative are fixed again."""
    while True:
        best = np.zeros_like(point)
        best[free] = _best_over(whole[np.ix_(free, free)], gains[free])
        falling = free & (best <= 0)
        if not falling.any():
            return best
        # Move towards it as far as all entries stay positive; the one that reaches 0 first is fixed there.
        share = float(np.min(point[falling] / (point[falling] - best[falling])))
        point = point + share * (best - point)
        leaves = falling & (point <= 1e-15)
        if not leaves.any():
            leaves = falling & (point <= point[falling].min())
        free &= ~leaves
        point = np.where(free, np.maximum(point, 0.0), 0.0)
        point /= point.sum()


def _best_over(matrix: Floats, gains: Floats) -> Floats:
    """The best point whose entries sum to 1, with any signs: one linear system."""
    n = len(gains)
    system = np.ones((n + 1, n + 1))
    system[:n, :n] = matrix
    system[n, n] = 0.0
    try:
        solved = np.linalg.solve(system, np.append(gains, 1.0))
    except np.linalg.LinAlgError as error:
        raise ValueError("the matrix is not positive definite") from error
    if not np.isfinite(solved).all():
        raise ValueError("the matrix is not positive definite")
    return solved[:n]
