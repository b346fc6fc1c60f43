"""Slow, obvious answers that the engine's kernels are held against."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

Output = tuple[int, ...]


def disjoint_sets(starts: Sequence[int], ends: Sequence[int]) -> Iterator[Output]:
    """Every set of spans no two of which share a token."""
    n = len(starts)
    clash = [[starts[p] < ends[q] and starts[q] < ends[p] for q in range(n)] for p in range(n)]
    for size in range(n + 1):
        for chosen in itertools.combinations(range(n), size):
            if not any(clash[p][q] for p, q in itertools.combinations(chosen, 2)):
                yield chosen


def total(scores: NDArray[np.float64], output: Output) -> float:
    return float(sum(scores[p] for p in output))


def best_score(scores: NDArray[np.float64], outputs: Sequence[Output]) -> float:
    return max(total(scores, output) for output in outputs)


def log_z(scores: NDArray[np.float64], outputs: Sequence[Output]) -> float:
    return float(np.logaddexp.reduce([total(scores, output) for output in outputs]))


def marginals(scores: NDArray[np.float64], outputs: Sequence[Output]) -> NDArray[np.float64]:
    normaliser = log_z(scores, outputs)
    on = np.zeros(len(scores))
    for output in outputs:
        on[list(output)] += np.exp(total(scores, output) - normaliser)
    return on


def numerical_gradient(
    function: Callable[[NDArray[np.float64]], float], at: NDArray[np.float64], step: float = 1e-5
) -> NDArray[np.float64]:
    gradient = np.zeros_like(at)
    for i in range(len(at)):
        up, down = at.copy(), at.copy()
        up[i] += step
        down[i] -= step
        gradient[i] = (function(up) - function(down)) / (2 * step)
    return gradient
