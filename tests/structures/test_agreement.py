"""Dual decomposition: bounds that hold, certificates that are true, and prices with the right sign."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.structures.agreement import Counted, per_label, two_prices


def _problem(seed: int, n: int = 7, curvature: float = 0.0):
    """worth(fp, fn) + score . y over y in {0, 1}^n, solvable by enumeration."""
    rng = np.random.default_rng(seed)
    gold = rng.random(n) < 0.5
    score = rng.normal(size=n)

    def worth(fp, fn):
        return 0.6 * fp + 0.9 * fn - curvature * (fp * fp + fn * fn)

    def counts_of(y):
        return int((y & ~gold).sum()), int((gold & ~y).sum())

    def value(y):
        return worth(*counts_of(y)) + float(score[y].sum())

    every = [np.array(y, dtype=bool) for y in itertools.product((0, 1), repeat=n)]
    best = max(value(y) for y in every)
    return gold, score, worth, counts_of, value, every, best


def _two(seed, curvature, **options):
    gold, score, worth, counts_of, value, _, best = _problem(seed, curvature=curvature)
    positives, negatives = int(gold.sum()), int((~gold).sum())

    def counts(p, q):
        grid = [(worth(a, b) - p * a - q * b, a, b) for a in range(negatives + 1) for b in range(positives + 1)]
        return max(grid)

    def model(p, q):
        y = score + np.where(gold, -q, p) > 0
        fp, fn = counts_of(y)
        plain = float(score[y].sum())
        return Counted(plain + p * fp + q * fn, fp, fn, plain, y)

    return two_prices(worth, counts, model, (1.5, 1.5), **options), value, best


@given(st.integers(0, 10_000), st.sampled_from([0.0, 0.05, 0.2]))
def test_two_prices_bound_the_optimum_and_certify_only_what_is_optimal(seed, curvature):
    found, value, best = _two(seed, curvature)
    assert found.value == pytest.approx(value(found.proposal))
    assert found.value <= best + 1e-9
    assert found.bound >= best - 1e-9
    if found.certified:
        assert found.value >= best - 1e-3 * abs(found.bound) - 1e-9


def _with_proofs(seed, curvature, n=7):
    gold, score, worth, counts_of, value, _, best = _problem(seed, n=n, curvature=curvature)
    positives, negatives = int(gold.sum()), int((~gold).sum())
    every = [(a, b) for a in range(negatives + 1) for b in range(positives + 1)]

    def counts(p, q):
        return max((worth(a, b) - p * a - q * b, a, b) for a, b in every)

    def model(p, q):
        y = score + np.where(gold, -q, p) > 0
        fp, fn = counts_of(y)
        plain = float(score[y].sum())
        return Counted(plain + p * fp + q * fn, fp, fn, plain, y)

    def ceiling(limits):
        return max((worth(a, b) + min(v - p * a - q * b for v, p, q in limits), a, b) for a, b in every)

    plain = two_prices(worth, counts, model, (3.0, 3.0))
    return plain, two_prices(worth, counts, model, (3.0, 3.0), ceiling=ceiling, proofs=60), value, best


@given(st.integers(0, 10_000), st.sampled_from([-0.3, -0.1, 0.1]))
def test_the_ceiling_over_the_counts_is_a_bound_and_what_it_certifies_is_optimal(seed, curvature):
    plain, proved, value, best = _with_proofs(seed, curvature)
    assert best - 1e-9 <= proved.bound <= plain.bound + 1e-9
    assert proved.value == pytest.approx(value(proved.proposal)) and proved.value <= best + 1e-9
    if proved.certified:
        assert proved.value >= best - 1e-3 * abs(proved.bound) - 1e-9


def test_a_worth_that_is_not_concave_is_certified_by_the_ceiling_and_not_by_the_dual():
    pairs = [_with_proofs(seed, -0.05, n=8) for seed in range(20)]
    assert np.mean([plain.certified for plain, *_ in pairs]) < 0.5
    assert np.mean([proved.certified for _, proved, *_ in pairs]) > 0.85


def test_an_additive_worth_is_always_certified():
    assert all(_two(seed, 0.0)[0].certified for seed in range(40))


def test_most_concave_problems_are_certified():
    assert np.mean([_two(seed, 0.05)[0].certified for seed in range(60)]) > 0.6


def _single(seed, most):
    gold, score, _, counts_of, value, every, best = _problem(seed)
    del gold, counts_of, value

    def worth_of(y):
        return 0.3 * float(y.sum()) - 0.04 * float(y.sum()) ** 2

    best = max(worth_of(y) + float(score[y].sum()) for y in every)

    def first(lam):
        return max(((worth_of(y) + float(lam[y].sum()), y) for y in every), key=lambda pair: pair[0])

    def second(lam):
        y = score - lam > 0
        return float((score - lam)[y].sum()), y, y

    found = per_label(first, second, lambda on, y: worth_of(on) + float(score[y].sum()), score.shape, most=most)
    return found, best


@pytest.mark.parametrize("seed", range(15))
def test_the_dual_of_the_subgradient_method_falls_from_its_start_and_stays_a_bound(seed):
    found, best = _single(seed, 200)
    duals = [step.dual for step in found.steps]
    assert min(duals) >= best - 1e-9
    # With the sign of the multipliers turned round the dual climbs away from its start.
    assert found.bound <= duals[0] + 1e-12
    assert len(duals) == 1 or min(duals) < duals[0]


def test_easy_problems_are_certified_by_the_subgradient_method():
    solved = [_single(seed, 300) for seed in range(15)]
    assert np.mean([found.certified for found, _ in solved]) > 0.6
    for found, best in solved:
        if found.certified:
            assert found.value == pytest.approx(best, abs=2e-3 * max(1.0, abs(best)))
