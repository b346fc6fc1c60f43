"""The solver of the cutting planes against all sets of positive entries, and against what makes an optimum."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.learners.margin.quadratic import solve_on_simplex


def objective(matrix: np.ndarray, linear: np.ndarray, x: np.ndarray) -> float:
    return float(linear @ x - x @ matrix @ x / 2)


def brute_force(matrix: np.ndarray, linear: np.ndarray) -> float:
    """The best over all sets of positive entries, with the sum free or 1: each is one linear system."""
    best, n = 0.0, len(linear)
    for size in range(1, n + 1):
        for chosen in combinations(range(n), size):
            inside = np.ix_(chosen, chosen)
            candidates = [np.linalg.solve(matrix[inside], linear[list(chosen)])]
            system = np.ones((size + 1, size + 1))
            system[:size, :size], system[size, size] = matrix[inside], 0.0
            candidates.append(np.linalg.solve(system, np.append(linear[list(chosen)], 1.0))[:size])
            for values in candidates:
                if (values >= 0).all() and values.sum() <= 1 + 1e-9:
                    x = np.zeros(n)
                    x[list(chosen)] = values
                    best = max(best, objective(matrix, linear, x))
    return best


def programme(seed: int, n: int, rank: int) -> tuple[np.ndarray, np.ndarray]:
    """A Gram matrix of planes, some of which may repeat, with a ridge, as the learner has them."""
    rng = np.random.default_rng(seed)
    directions = rng.normal(size=(n, rank))
    directions[rng.random(n) < 0.3] = directions[0]
    matrix = directions @ directions.T
    return matrix + 1e-9 * max(float(np.trace(matrix)) / n, 1e-12) * np.eye(n), rng.normal(size=n)


@given(seed=st.integers(0, 2**32), n=st.integers(1, 6), rank=st.integers(1, 8))
@settings(deadline=None)
def test_the_answer_is_the_best_of_all(seed: int, n: int, rank: int) -> None:
    matrix, linear = programme(seed, n, rank)
    matrix = matrix + 1e-4 * np.eye(n)
    x = solve_on_simplex(matrix, linear)
    assert (x >= 0).all() and x.sum() <= 1 + 1e-12
    assert objective(matrix, linear, x) == pytest.approx(brute_force(matrix, linear), rel=1e-9, abs=1e-12)


@given(seed=st.integers(0, 2**32), n=st.integers(1, 60), rank=st.integers(1, 40))
@settings(deadline=None, max_examples=50)
def test_the_answer_satisfies_what_makes_an_optimum(seed: int, n: int, rank: int) -> None:
    """Karush, Kuhn and Tucker: one price for the sum, paid by every positive entry, and no entry worth more."""
    matrix, linear = programme(seed, n, rank)
    x = solve_on_simplex(matrix, linear)
    assert (x >= 0).all() and x.sum() <= 1 + 1e-12
    worth = linear - matrix @ x
    slack = 1 - x.sum()
    price = float(worth @ x) / x.sum() if slack < 1e-12 else 0.0
    near = 1e-7 * max(1.0, float(np.abs(linear).max()), float(np.abs(matrix).max()))
    assert price >= -near
    assert (worth <= price + near).all()
    assert np.abs(worth[x > 1e-9] - price).max(initial=0.0) <= near


def test_where_nothing_is_gained_the_answer_is_zero() -> None:
    assert solve_on_simplex(np.eye(3), np.array([-1.0, 0.0, -2.0])).tolist() == [0.0, 0.0, 0.0]


def test_a_known_programme() -> None:
    x = solve_on_simplex(np.eye(3) + 0.1, np.array([0.0, 1.0, 2.0]))
    assert np.round(x, 6).tolist() == [0.0, 0.0, 1.0]


def test_equal_planes_share_in_any_way_and_cost_the_same() -> None:
    matrix = np.ones((4, 4)) + 1e-9 * np.eye(4)
    x = solve_on_simplex(matrix, np.full(4, 0.5))
    assert x.sum() == pytest.approx(0.5, rel=1e-6)
