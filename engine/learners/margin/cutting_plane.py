"""One-slack cutting planes: min over w of |w|^2 / 2 + C max over planes of (offset - direction . w).

The maximum runs over too many planes to list (one for every output of the whole corpus), so an oracle finds the highest
one at the current w, and the small problem over the planes seen so far is solved again. That problem is the quadratic
programme of Joachims, Finley and Yu (Machine Learning 2009), in its dual:

    max over a >= 0, sum a <= C of   offsets . a - |sum_j a_j direction_j|^2 / 2,      w = sum_j a_j direction_j

solved exactly (quadratic.py). Its value is a lower bound on the optimum, the objective at any w an upper
bound; training stops when they meet. As long as the oracle is exact both bounds are exact too.

The oracle is called at a point between the best w so far and the newest solution (Franc and Sonnenburg 2009 do the same
with a line search), because the plain method oscillates if C is large.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import numpy as np

from engine.arrays import Array, Floats, Ints
from engine.learners.margin.quadratic import solve_on_simplex

Weights: TypeAlias = Array
"""float64, or float32 if there are millions of weights."""

_RIDGES: Final = (1e-9, 1e-7, 1e-5, 1e-3)
# A plane that has had no weight for this many rounds is dropped.
_IDLE: Final = 25


@dataclass(frozen=True, eq=False)
class Plane:
    """One output of the corpus as a function of the weights: it violates its margin by offset - direction . w.

    `direction` is features of the good output minus features of this one, `offset` its loss. `note` belongs to the
    oracle (the output itself), so that a plane can be recomputed when the loss or the good output changes.
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
    step: float = 1.0,
) -> Iterator[PlaneRound]:
    """Rounds until primal - dual <= tol * C, or `most` of them.

    `planes` and `start` continue earlier work. `step` in (0, 1] is how far from the best weights towards the newest
    solution the oracle is called.
    """
    cutting = CuttingPlanes(Problem(dim, C, tol, most, step), planes=planes, start=start)
    while not cutting.finished:
        yield cutting.advance(oracle)


@dataclass(frozen=True)
class Problem:
    """The number of weights, the weight of the loss, the stopping criterion, and the length of steps."""

    dim: int
    C: float
    tol: float
    most: int
    step: float


class CuttingPlanes:
    """The method in progress; every `advance` adds one plane."""

    def __init__(self, problem: Problem, *, planes: Sequence[Plane] = (), start: Weights | None = None) -> None:
        self._problem = problem
        self._working = _WorkingSet(problem.dim, problem.C)
        for plane in planes:
            self._working.add(plane)
        self._solution = self._working.solve()
        self._dual = self._working.dual
        self.best = self._solution if start is None else start
        self._working.keep_products(self.best)
        self._primal = self._risk = np.inf
        self._done = 0

    @property
    def finished(self) -> bool:
        return self._done >= self._problem.most or self.solved

    @property
    def solved(self) -> bool:
        """Whether the bounds have met."""
        return self._primal - self._dual <= self._problem.tol * self._problem.C

    def advance(self, oracle: Oracle) -> PlaneRound:
        """Get a plane from the oracle, and solve again with it."""
        C, working, best = self._problem.C, self._working, self.best
        # The first call is at the start itself, so that its objective is known.
        share = 0.0 if self._done == 0 else self._problem.step
        probe = best if self._done == 0 else best + np.asarray(share, best.dtype) * (self._solution - best)
        plane = oracle(probe)
        # The largest violation is never below 0: the good output itself has offset and direction 0.
        risk = max(0.0, plane.violation(probe), working.highest(share))
        primal = 0.5 * float(probe @ probe) + C * risk
        if primal < self._primal:
            self.best, self._primal, self._risk = probe, primal, risk
            working.move_products(share)
        elif plane.violation(best) > self._risk:
            # Only an inexact oracle can have missed this plane at the best weights.
            self._primal += C * (plane.violation(best) - self._risk)
            self._risk = plane.violation(best)
        working.add(plane, at=self.best)
        self._solution = working.solve()
        self._dual = max(self._dual, working.dual)
        self._done += 1
        return PlaneRound(self._done - 1, self.best, self._primal, self._dual, working.planes)

    def to_parts(self) -> dict[str, Array]:
        """The current state, without the oracle's notes."""
        numbers = np.array([self._primal, self._risk, self._dual, float(self._done)])
        own = {"best": self.best, "solution": self._solution, "numbers": numbers}
        return {**own, **self._working.to_parts()}

    def restore(self, parts: Mapping[str, Array]) -> None:
        """Restore the state saved by `to_parts`."""
        self.best, self._solution = parts["best"], parts["solution"]
        self._primal, self._risk, self._dual = (float(number) for number in parts["numbers"][:3])
        self._done = int(parts["numbers"][3])
        self._working.restore(parts)


class _WorkingSet:
    """The planes in use, their Gram matrix, and the solution of the small problem over them.

    Products of the planes with the best weights and with the solution are kept, so that violations at any point between
    the two take no extra work.
    """

    def __init__(self, dim: int, C: float) -> None:
        self._dim, self._C = dim, C
        self._planes: list[Plane] = []
        self._gram: Floats = np.zeros((0, 0))
        self._unused: Ints = np.zeros(0, dtype=np.int64)
        self._at_best: Floats = np.zeros(0)
        self._at_solution: Floats = np.zeros(0)
        self.dual = 0.0

    @property
    def planes(self) -> tuple[Plane, ...]:
        return tuple(self._planes)

    def to_parts(self) -> dict[str, Array]:
        directions = [plane.direction for plane in self._planes]
        return {
            "directions": np.array(directions) if directions else np.zeros((0, self._dim)),
            "offsets": self._offsets(),
            "gram": self._gram,
            "unused": self._unused,
            "at_best": self._at_best,
            "at_solution": self._at_solution,
            "working_dual": np.array(self.dual),
        }

    def restore(self, parts: Mapping[str, Array]) -> None:
        offsets = parts["offsets"].tolist()
        self._planes = [
            Plane(direction, offset) for direction, offset in zip(parts["directions"], offsets, strict=True)
        ]
        self._gram, self._unused = parts["gram"], parts["unused"]
        self._at_best, self._at_solution = parts["at_best"], parts["at_solution"]
        self.dual = float(parts["working_dual"])

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
        """Update the products after the best weights have moved this share of the way to the solution."""
        self._at_best = self._between(share)

    def highest(self, share: float) -> float:
        """The largest violation among the planes in use, at this share of the way from the best weights to the
        solution."""
        if not self._planes:
            return 0.0
        return float((self._offsets() - self._between(share)).max())

    def _between(self, share: float) -> Floats:
        return self._at_best + share * (self._at_solution - self._at_best) if share else self._at_best

    def _offsets(self) -> Floats:
        return np.array([plane.offset for plane in self._planes])

    def solve(self) -> Weights:
        """The optimal weights over the planes in use; planes that have had no weight for long are dropped."""
        if not self._planes:
            return np.zeros(self._dim)
        offsets = self._offsets()
        multipliers = _simplex_qp(self._gram, offsets, self._C)
        self.dual = float(offsets @ multipliers - 0.5 * multipliers @ self._gram @ multipliers)
        weights: Weights = np.zeros(self._dim, dtype=self._planes[0].direction.dtype)
        used = multipliers > 1e-9 * self._C
        for j in np.flatnonzero(used):
            weights += self._planes[j].direction * np.asarray(multipliers[j], weights.dtype)
        self._at_solution = self._gram @ multipliers
        self._unused = np.where(used, 0, self._unused + 1)
        keep = self._unused < _IDLE
        if not keep.all():
            self._planes = [plane for plane, kept in zip(self._planes, keep, strict=True) if kept]
            self._gram = self._gram[np.ix_(keep, keep)]
            self._unused = self._unused[keep]
            self._at_solution = self._at_solution[keep]
            if len(self._at_best):
                self._at_best = self._at_best[keep]
        return weights


def _simplex_qp(gram: Floats, offsets: Floats, C: float) -> Floats:
    """argmax over a >= 0, sum a <= C of offsets . a - a' gram a / 2."""
    n = len(offsets)
    # In units of C, and with a ridge, since the solver needs a positive definite matrix and planes may repeat. Any
    # feasible answer gives a valid dual value, so the ridge can loosen the bound a little but never invalidate it.
    scaled = gram * C
    scale = max(float(np.trace(scaled)) / n, 1e-12)
    for ridge in _RIDGES:
        try:
            shares = solve_on_simplex(scaled / scale + ridge * np.eye(n), offsets / scale)
            break
        except ValueError:
            # With float32 directions the Gram matrix is positive definite only up to rounding.
            if ridge == _RIDGES[-1]:
                raise
    shares = np.maximum(shares, 0.0)
    total = shares.sum()
    prices: Floats = shares * (C / total if total > 1.0 else C)
    return prices
