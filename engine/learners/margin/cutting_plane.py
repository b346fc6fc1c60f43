"""One-slack cutting planes: min over w of |w|^2 / 2 + C max over planes of (offset - direction . w).

The maximum runs over too many planes to list (one for every output of the whole corpus), so an oracle is asked for
the highest one at the present w, and the small problem over the planes seen so far is solved again. That problem is
the quadratic programme of Joachims, Finley and Yu (Machine Learning 2009), in its dual:

    max over a >= 0, sum a <= C of   offsets . a - |sum_j a_j direction_j|^2 / 2,      w = sum_j a_j direction_j

solved by quadprog (Goldfarb and Idnani). Its value is a lower bound on the optimum, the objective at any w an upper
bound; training stops when they meet. As long as the oracle is exact both bounds are exact too.

Between the best w so far and the newest solution the oracle is asked at a point part of the way (Franc and Sonnenburg
2009 do the same with a line search): the plain method oscillates when C is large.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.learners.margin.quadratic import solve_qp

Weights: TypeAlias = NDArray[Any]
"""float64, or float32 where there are millions of weights."""


_RIDGES: Final = (1e-9, 1e-7, 1e-5, 1e-3)


@dataclass(frozen=True, eq=False)
class Plane:
    """One output of the corpus, seen from the weights: it violates its margin by offset - direction . w.

    `direction` is features of the good output minus features of this one, `offset` its loss. `note` is the oracle's
    own (what the output was), so that a plane can be priced again when loss or good output change.
    """

    direction: Weights
    offset: float
    note: Any = None

    def violation(self, weights: Weights) -> float:
        return self.offset - float(weights @ self.direction)


Oracle: TypeAlias = Callable[[Weights], Plane]
"""The plane of largest violation at these weights."""


@dataclass(frozen=True, eq=False)
class PlaneRound:
    """The best weights so far with the bounds around the optimum; `planes` are those that may still matter."""

    index: int
    weights: Weights
    primal: float
    dual: float
    planes: tuple[Plane, ...] = field(repr=False)

    @property
    def gap(self) -> float:
        return self.primal - self.dual


def one_slack(
    oracle: Oracle,
    dim: int,
    C: float,
    tol: float,
    *,
    most: int = 500,
    planes: Sequence[Plane] = (),
    start: Weights | None = None,
    idle: int = 25,
    step: float = 1.0,
) -> Iterator[PlaneRound]:
    """Rounds until primal - dual <= tol * C, or `most` of them.

    `planes` and `start` resume from earlier work. A plane that had no weight for `idle` rounds is dropped.
    `step` in (0, 1] is how far from the best weights towards the newest solution the oracle is asked.
    """
    working = _WorkingSet(dim, C, idle)
    for plane in planes:
        working.add(plane)
    solution = working.solve()
    dual = working.dual
    best = solution if start is None else start
    working.keep_products(best)
    best_primal = best_risk = np.inf
    for index in range(most):
        # The first question is asked at the start itself, so that its objective is known.
        share = 0.0 if index == 0 else step
        probe = best if index == 0 else best + np.asarray(share, best.dtype) * (solution - best)
        plane = oracle(probe)
        # No plane is below zero violation: the good output itself has offset and direction 0.
        risk = max(0.0, plane.violation(probe), working.highest(share))
        primal = 0.5 * float(probe @ probe) + C * risk
        if primal < best_primal:
            best, best_primal, best_risk = probe, primal, risk
            working.move_products(share)
        elif plane.violation(best) > best_risk:
            # Only an oracle that is not exact can have missed this plane at the best weights.
            best_primal += C * (plane.violation(best) - best_risk)
            best_risk = plane.violation(best)
        working.add(plane, at=best)
        solution = working.solve()
        dual = max(dual, working.dual)
        yield PlaneRound(index, best, best_primal, dual, working.planes)
        if best_primal - dual <= tol * C:
            return


class _WorkingSet:
    """The planes in use, their Gram matrix, and the solution of the small problem over them.

    Products of the planes with the best weights and with the solution are kept, so that the violations at any point
    between the two cost nothing.
    """

    def __init__(self, dim: int, C: float, idle: int) -> None:
        self._dim, self._C, self._idle = dim, C, idle
        self._planes: list[Plane] = []
        self._gram = np.zeros((0, 0))
        self._unused = np.zeros(0, dtype=np.int64)
        self._at_best = np.zeros(0)
        self._at_solution = np.zeros(0)
        self.dual = 0.0

    @property
    def planes(self) -> tuple[Plane, ...]:
        return tuple(self._planes)

    def add(self, plane: Plane, at: Weights | None = None) -> None:
        n = len(self._planes)
        gram = np.empty((n + 1, n + 1))
        gram[:n, :n] = self._gram
        for j, other in enumerate(self._planes):
            gram[n, j] = gram[j, n] = float(plane.direction @ other.direction)
        gram[n, n] = float(plane.direction @ plane.direction)
        self._gram = gram
        self._planes.append(plane)
        self._unused = np.append(self._unused, 0)
        if at is not None:
            self._at_best = np.append(self._at_best, float(plane.direction @ at))

    def keep_products(self, best: Weights) -> None:
        self._at_best = np.array([float(plane.direction @ best) for plane in self._planes])

    def move_products(self, share: float) -> None:
        """The best weights have moved this share of the way to the solution."""
        self._at_best = self._between(share)

    def highest(self, share: float) -> float:
        """The largest violation among the planes in use, this share of the way from the best to the solution."""
        if not self._planes:
            return 0.0
        return float((self._offsets() - self._between(share)).max())

    def _between(self, share: float) -> NDArray[np.float64]:
        return self._at_best + share * (self._at_solution - self._at_best) if share else self._at_best

    def _offsets(self) -> NDArray[np.float64]:
        return np.array([plane.offset for plane in self._planes])

    def solve(self) -> Weights:
        """Weights that are optimal over the planes in use; planes long without weight leave."""
        if not self._planes:
            return np.zeros(self._dim)
        offsets = self._offsets()
        multipliers = _simplex_qp(self._gram, offsets, self._C)
        self.dual = float(offsets @ multipliers - 0.5 * multipliers @ self._gram @ multipliers)
        weights = np.zeros(self._dim, dtype=self._planes[0].direction.dtype)
        used = multipliers > 1e-9 * self._C
        for j in np.flatnonzero(used):
            weights += self._planes[j].direction * np.asarray(multipliers[j], weights.dtype)
        self._at_solution = self._gram @ multipliers
        self._unused = np.where(used, 0, self._unused + 1)
        keep = self._unused < self._idle
        if not keep.all():
            self._planes = [plane for plane, kept in zip(self._planes, keep, strict=True) if kept]
            self._gram = self._gram[np.ix_(keep, keep)]
            self._unused = self._unused[keep]
            self._at_solution = self._at_solution[keep]
            if len(self._at_best):
                self._at_best = self._at_best[keep]
        return weights


def _simplex_qp(gram: NDArray[np.float64], offsets: NDArray[np.float64], C: float) -> NDArray[np.float64]:
    """argmax over a >= 0, sum a <= C of offsets . a - a' gram a / 2."""
    n = len(offsets)
    # In units of C, and with a ridge: quadprog wants a positive definite matrix and planes may repeat. Any feasible
    # answer gives a valid dual value, so the ridge can only cost a little of the bound, never its truth.
    scaled = gram * C
    scale = max(float(np.trace(scaled)) / n, 1e-12)
    rows = np.zeros((n, n + 1))
    rows[:, 0] = -1.0
    rows[:, 1:] = np.eye(n)
    bounds = np.zeros(n + 1)
    bounds[0] = -1.0
    for ridge in _RIDGES:
        try:
            shares = solve_qp(scaled / scale + ridge * np.eye(n), offsets / scale, rows, bounds)[0]
            break
        except ValueError:
            # float32 directions leave the Gram matrix positive definite only up to their rounding.
            if ridge == _RIDGES[-1]:
                raise
    shares = np.maximum(shares, 0.0)
    total = shares.sum()
    return shares * (C / total if total > 1.0 else C)
