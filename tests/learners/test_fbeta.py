"""The worst labels under F-beta, against enumeration of all labellings."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from engine.learners.fbeta import ceiling, f_beta, from_van_rijsbergen, grid, search, to_van_rijsbergen, worst_labels

BETAS = (0.0, 0.2, 0.5, 0.833, 1.0)


def loss(gold, labels, beta):
    """1 - F from precision and recall, as equation 2 has it."""
    right = int((gold & labels).sum())
    if right == 0:
        return 1.0
    precision, recall = right / labels.sum(), right / gold.sum()
    return 1.0 - 1.0 / (beta / precision + (1 - beta) / recall)


def enumerate_worst(gold, lam, beta, scale=1.0):
    labellings = (np.array(y) for y in itertools.product((0, 1), repeat=len(gold)))
    return max(scale * loss(gold, y, beta) + lam @ y for y in labellings)


def cases(n_cases):
    rng = np.random.default_rng(11)
    for case in range(n_cases):
        n = int(rng.integers(1, 8))
        kind = case % 5
        gold = (rng.random(n) < (0.0, 1.0, 0.5, 0.3, 0.7)[kind]).astype(np.int64)
        lam = rng.integers(-2, 3, n) / 4 if case % 2 else rng.normal(scale=0.3, size=n)
        yield gold, lam, BETAS[(case // 5) % len(BETAS)], (1.0, 3.0)[case % 3 == 0]


def test_worst_labels_equal_enumeration_with_ties_and_one_sided_gold():
    for gold, lam, beta, scale in cases(2000):
        value, labels = worst_labels(gold, lam, beta, scale=scale)
        assert value == pytest.approx(enumerate_worst(gold, lam, beta, scale), abs=1e-9)
        assert scale * loss(gold, labels, beta) + lam @ labels == pytest.approx(value, abs=1e-9)


def test_worst_labels_of_which_some_gold_is_missing_in_any_case_equal_enumeration():
    rng = np.random.default_rng(3)
    for _ in range(300):
        gold = (rng.random(6) < 0.6).astype(np.int64)
        missing = int(rng.integers(0, gold.sum() + 1))
        lam, beta = rng.normal(scale=0.3, size=6), float(rng.choice(BETAS))
        best = -np.inf
        for y in itertools.product((0, 1), repeat=6):
            on = np.array(y)
            fp, fn = int((on & ~gold & 1).sum()), int((gold & ~on & 1).sum()) - missing
            if fn >= 0:
                best = max(best, 1.0 - f_beta(fp, fn, int(gold.sum()) - missing, beta) + lam @ on)
        value, labels = worst_labels(gold, lam, beta, missing=missing)
        assert value == pytest.approx(best, abs=1e-9)
        assert (gold & ~labels & 1).sum() >= missing


def test_exhaustive_search_equals_exact_search_and_climbing_never_beats_it():
    rng = np.random.default_rng(5)
    for _ in range(100):
        gold = rng.random(60) < 0.3
        over = grid(gold, rng.normal(scale=0.05, size=60))
        for beta in BETAS:
            exact = search(over, beta)
            assert search(over, beta, method="exhaustive").value == pytest.approx(exact.value, abs=1e-12)
            climbed = search(over, beta, method="climb", seed=3)
            assert climbed.value <= exact.value + 1e-12
            values = [over.value(fp, fn, beta) for fp, fn in climbed.steps]
            assert values == sorted(values)


def test_the_loss_is_that_of_precision_and_recall():
    rng = np.random.default_rng(2)
    for _ in range(200):
        gold, labels = rng.random((2, 9)) < 0.5
        fp, fn = int((labels & ~gold).sum()), int((gold & ~labels).sum())
        for beta in BETAS:
            assert 1 - f_beta(fp, fn, gold.sum(), beta) == pytest.approx(loss(gold, labels, beta))


def test_beta_outside_its_range_is_refused():
    with pytest.raises(ValueError, match="weight on precision"):
        worst_labels(np.ones(2), np.zeros(2), 2.0)


@pytest.mark.parametrize("beta", BETAS)
def test_both_conventions_of_beta_name_the_same_measure(beta):
    other = to_van_rijsbergen(beta)
    assert from_van_rijsbergen(other) == pytest.approx(beta)
    p, r = 0.6, 0.3
    if 0 < beta:
        expected = (1 + other**2) * p * r / (other**2 * p + r)
        assert 1 / (beta / p + (1 - beta) / r) == pytest.approx(expected)


def test_the_ceiling_equals_enumeration_of_the_counts():
    rng = np.random.default_rng(3)
    for _ in range(60):
        positives, most_fp, beta, scale = (
            int(rng.integers(1, 8)),
            int(rng.integers(0, 9)),
            rng.random(),
            5 * rng.random(),
        )
        limits = rng.normal(size=(int(rng.integers(1, 6)), 3))
        found = ceiling(limits, beta, scale, most_fp, positives)
        best = max(
            scale * (1 - f_beta(fp, fn, positives, beta)) + min(v - p * fp - q * fn for v, p, q in limits)
            for fp in range(most_fp + 1)
            for fn in range(positives + 1)
        )
        assert found.value == pytest.approx(best)
        here = scale * (1 - f_beta(found.fp, found.fn, positives, beta))
        assert here + min(v - p * found.fp - q * found.fn for v, p, q in limits) == pytest.approx(best)
