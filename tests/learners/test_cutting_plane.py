"""Laws of the one-slack cutting plane, against scipy on problems small enough to write down."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.optimize import minimize

from engine.learners.margin.cutting_plane import Plane, PlaneRound, one_slack


def _problem(seed: int, n_planes: int = 40, dim: int = 5):
    rng = np.random.default_rng(seed)
    directions = rng.normal(size=(n_planes, dim))
    offsets = rng.uniform(0, 2, size=n_planes)

    def oracle(weights):
        worst = int(np.argmax(offsets - directions @ weights))
        return Plane(directions[worst], float(offsets[worst]))

    return oracle, directions, offsets


def _rounds(seed: int, C: float, **options) -> list[PlaneRound]:
    oracle, directions, _ = _problem(seed)
    return list(one_slack(oracle, directions.shape[1], C, 1e-6, **options))


@pytest.mark.parametrize("C", [0.01, 1.0, 50.0])
@pytest.mark.parametrize("step", [1.0, 0.4])
@pytest.mark.parametrize("seed", range(3))
def test_the_optimum_is_that_of_the_whole_problem(seed, C, step):
    _, directions, offsets = _problem(seed)
    last = _rounds(seed, C, step=step)[-1]

    def constraint(x):
        return x[-1] - (offsets - directions @ x[:-1])

    start = np.append(np.zeros(directions.shape[1]), offsets.max())
    whole = minimize(
        lambda x: 0.5 * x[:-1] @ x[:-1] + C * x[-1],
        start,
        constraints=[{"type": "ineq", "fun": constraint}, {"type": "ineq", "fun": lambda x: x[-1]}],
        options={"maxiter": 1000, "ftol": 1e-12},
    )
    assert last.primal == pytest.approx(whole.fun, rel=1e-4, abs=1e-5 * C)


@pytest.mark.parametrize("seed", range(5))
def test_the_dual_rises_the_primal_falls_and_they_meet(seed):
    rounds = _rounds(seed, 2.0)
    primals = [r.primal for r in rounds]
    duals = [r.dual for r in rounds]
    assert all(a >= b for a, b in itertools.pairwise(primals))
    assert all(a <= b + 1e-9 for a, b in itertools.pairwise(duals))
    assert all(p >= d - 1e-9 for p, d in zip(primals, duals, strict=True))
    assert rounds[-1].gap <= 1e-6 * 2.0


def test_the_reported_objective_is_that_of_the_reported_weights():
    _, directions, offsets = _problem(7)
    for r in _rounds(7, 3.0):
        risk = max(0.0, float((offsets - directions @ r.weights).max()))
        assert r.primal == pytest.approx(0.5 * r.weights @ r.weights + 3.0 * risk)


def test_resuming_from_the_planes_of_a_solved_problem_takes_fewer_rounds():
    cold = _rounds(3, 5.0)
    warm = _rounds(3, 5.0, planes=cold[-1].planes, start=cold[-1].weights)
    assert len(warm) < len(cold)
    assert warm[-1].primal == pytest.approx(cold[-1].primal, rel=1e-5)


def test_repeated_planes_do_not_break_the_solver():
    plane = Plane(np.array([1.0, 0.0]), 1.0)
    last = list(one_slack(lambda w: plane, 2, 10.0, 1e-9, planes=[plane] * 5, most=5))[-1]
    assert last.weights == pytest.approx([1.0, 0.0], abs=1e-4)


def test_a_loss_that_is_never_positive_leaves_the_weights_at_zero():
    last = list(one_slack(lambda w: Plane(np.zeros(3), 0.0), 3, 1.0, 1e-6))[-1]
    assert not last.weights.any() and last.primal == 0.0
