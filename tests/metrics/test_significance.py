"""Significance tests against scipy and against what must hold of any such test."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from engine.metrics.significance import (
    as_counts,
    bootstrap_interval,
    f1,
    holm,
    paired_bootstrap,
    paired_permutation,
    t_interval,
    wilcoxon,
)


def mean_of(sums):
    return sums[..., 0] / sums[..., 1]


def with_ones(values):
    return np.column_stack([values, np.ones(len(values))])


def random_counts(seed: int, n: int = 80, skill: float = 0.6):
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 5, n)
    correct = rng.binomial(gold, skill)
    return np.column_stack([correct, correct, correct + rng.integers(0, 3, n), gold])


def test_the_permutation_test_is_exact_on_small_data():
    rng = np.random.default_rng(0)
    for _ in range(5):
        a, b = rng.normal(size=8), rng.normal(0.6, 1, 8)
        peer = scipy.stats.permutation_test(
            (a, b), lambda x, y: np.mean(y) - np.mean(x), permutation_type="samples", n_resamples=np.inf
        )
        assert paired_permutation(with_ones(a), with_ones(b), mean_of) == pytest.approx(peer.pvalue)


def test_random_permutations_approach_the_exact_answer():
    rng = np.random.default_rng(1)
    a, b = with_ones(rng.normal(size=12)), with_ones(rng.normal(0.5, 1, 12))
    exact = paired_permutation(a, b, mean_of, samples=2**12)
    drawn = paired_permutation(a, b, mean_of, samples=2**12 - 1, seed=3)
    assert drawn == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 2**12))


def test_the_bootstrap_interval_is_that_of_scipy():
    values = np.random.default_rng(2).exponential(size=60)
    own = bootstrap_interval(with_ones(values), mean_of, samples=20_000)
    peer = scipy.stats.bootstrap((values,), np.mean, n_resamples=20_000, method="percentile", rng=0).confidence_interval
    assert own.value == pytest.approx(values.mean())
    spread = values.std() / np.sqrt(60)
    assert own.low == pytest.approx(peer.low, abs=0.1 * spread)
    assert own.high == pytest.approx(peer.high, abs=0.1 * spread)


def test_a_system_does_not_differ_from_itself():
    counts = random_counts(3)
    same = paired_bootstrap(counts, counts)
    assert (same.value, same.low, same.high, same.p) == (0.0, 0.0, 0.0, 1.0)
    assert paired_permutation(counts, counts) == 1.0


def test_swapping_the_systems_turns_the_difference_round():
    a, b = random_counts(4), random_counts(5, skill=0.75)
    there, back = paired_bootstrap(a, b), paired_bootstrap(b, a)
    assert there.value == -back.value == pytest.approx(f1(b.sum(0)) - f1(a.sum(0)))
    assert (there.low, there.high) == pytest.approx((-back.high, -back.low))
    assert there.p == back.p
    assert paired_permutation(a, b) == paired_permutation(b, a)


def test_a_large_difference_is_significant_in_both_tests_and_its_interval_excludes_nothing_less():
    a, b = random_counts(6, skill=0.3), random_counts(6, skill=0.9)
    result = paired_bootstrap(a, b)
    assert result.low > 0 and result.p < 0.01
    assert paired_permutation(a, b) < 0.01


def test_under_the_null_p_values_are_not_small_too_often():
    small = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        a, b = random_counts(1000 + seed, n=40), random_counts(5000 + seed, n=40)
        swap = rng.random(40) < 0.5
        a[swap], b[swap] = b[swap].copy(), a[swap].copy()
        small += paired_permutation(a, b, samples=400, seed=seed) < 0.1
    # Binomial(200, 0.1): 20 expected, 4 standard deviations are 17.
    assert small <= 37


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9]) == pytest.approx([1.0, 1.0])
    assert holm([]) == []


def test_intervals_of_runs_and_signed_ranks_agree_with_scipy():
    values = np.array([66.1, 65.7, 67.0, 66.4])
    own = t_interval(values, 0.9)
    low, high = scipy.stats.t.interval(0.9, 3, loc=values.mean(), scale=scipy.stats.sem(values))
    assert (own.value, own.low, own.high) == pytest.approx((values.mean(), low, high))
    assert t_interval([3.0]).low == -np.inf
    a, b = np.random.default_rng(8).normal(size=(2, 9))
    assert wilcoxon(a, b) == pytest.approx(scipy.stats.wilcoxon(b, a).pvalue)
    assert wilcoxon(a, a) == 1.0


def test_counts_come_from_the_rows_that_tasks_give():
    rows = [
        {"correct": 1, "found": 1, "predicted": 2, "gold": 1},
        {"correct": 0, "found": 0, "predicted": 0, "gold": 1},
    ]
    assert f1(as_counts(rows).sum(axis=0)) == pytest.approx(0.5)
    assert f1(as_counts([]).sum(axis=0)) == 0.0


def test_unpaired_counts_are_refused():
    with pytest.raises(ValueError, match="same documents"):
        paired_bootstrap(random_counts(0, n=3), random_counts(0, n=4))
