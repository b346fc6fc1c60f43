"""All best outputs of many problems as a bias goes from -inf to +inf, given a solver for one bias at a time.

If the bias is added once per declined decision, an output scores base + slope * bias, and a problem's best score is the
upper envelope of such lines: convex and piecewise linear. Its pieces are found from both ends inwards: the problem is
solved at the bias where the lines of two known outputs cross; either nothing beats them there, and the crossing is a
breakpoint, or a new line lies between. All problems take each step together, so that batch solvers are called only once
per step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Generic, TypeAlias, TypeVar

import numpy as np

from engine.arrays import Floats, Ints

P = TypeVar("P")

CLOSE: Final = 1e-9
"""Scores and biases this close, relative to their size, are equal."""


@dataclass(frozen=True, eq=False)
class Line(Generic[P]):
    """An output and its score as a function of the bias: base + slope * bias."""

    base: float
    slope: float
    output: P

    def at(self, bias: float) -> float:
        return self.base + self.slope * bias


Solve: TypeAlias = Callable[[Ints, Floats], list[Line[P]]]
"""Problems and a bias for each (a problem may occur twice) -> their best outputs at that bias."""
Envelope: TypeAlias = list[tuple[float, P]]
"""(bias, output) ascending: the output is best from this bias up to the next; the first bias is -inf."""


def envelopes(solve: Solve[P], far: Floats) -> list[Envelope[P]]:
    """One envelope per problem; beyond +-far[k] nothing changes in problem k."""
    every = np.arange(len(far))
    left, right = solve(every, -far), solve(every, far)
    cuts: list[list[tuple[float, Line[P]]]] = [[] for _ in every]
    waiting = [(int(k), left[k], right[k]) for k in every]
    while True:
        waiting = [(k, low, high) for k, low, high in waiting if high.slope - low.slope > CLOSE]
        if not waiting:
            break
        at = np.array([(low.base - high.base) / (high.slope - low.slope) for _, low, high in waiting])
        found = solve(np.array([k for k, _, _ in waiting], dtype=np.int64), at)
        following: list[tuple[int, Line[P], Line[P]]] = []
        for (k, low, high), bias, line in zip(waiting, at.tolist(), found, strict=True):
            here = low.at(bias)
            if line.at(bias) > here + CLOSE * (1.0 + abs(here)) and low.slope < line.slope < high.slope:
                following += [(k, low, line), (k, line, high)]
            else:
                cuts[k].append((bias, high))
        waiting = following
    return [_ascending(left[k], cuts[k]) for k in every]


def _ascending(first: Line[P], cuts: list[tuple[float, Line[P]]]) -> Envelope[P]:
    steps = [(-np.inf, first)]
    for bias, line in sorted(cuts, key=lambda cut: cut[0]):
        # A line found where two others meet may touch the best score in only that point, so it is best on no interval.
        if bias <= steps[-1][0] + CLOSE * (1.0 + abs(bias)):
            steps[-1] = (steps[-1][0], max(steps[-1][1], line, key=lambda one: one.slope))
        else:
            steps.append((bias, line))
    return [(bias, line.output) for bias, line in steps]
