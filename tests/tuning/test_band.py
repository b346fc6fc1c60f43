"""The bootstrap band: its counts are the curve's, and it agrees with scipy's bootstrap of the same statistic."""

import numpy as np
import pytest

from engine.tuning.band import bootstrap_band, counts_at
from engine.tuning.curve import merge_paths


def random_curve(seed, n=40):
    rng = np.random.default_rng(seed)
    document, bias, counts, gold = [], [], [], []
    for d in range(n):
        steps = np.sort(rng.normal(size=rng.integers(0, 4)))
        total = rng.integers(1, 6)
        for b in (-np.inf, *steps):
            right = rng.integers(0, total + 1)
            document.append(d)
            bias.append(b)
            counts.append((right, right, right + rng.integers(0, 3)))
        gold.append(total)
    return merge_paths(np.array(document), np.array(bias), np.array(counts), np.array(gold))


def test_counts_of_all_documents_sum_to_the_curve():
    curve = random_curve(0)
    table = counts_at(curve.steps, curve.bias).sum(axis=0)
    assert table[:, 0].tolist() == curve.correct.tolist()
    assert table[:, 2].tolist() == curve.predicted.tolist()


def test_the_band_agrees_with_scipy():
    from scipy.stats import bootstrap

    curve = random_curve(1)
    band = bootstrap_band(curve, points=1, resamples=4000, level=0.9)
    table = counts_at(curve.steps, band.bias)[:, 0]

    def recall(found, gold, axis=-1):
        return found.sum(axis=axis) / gold.sum(axis=axis)

    data = (table[:, 1], curve.steps.gold.astype(float))
    theirs = bootstrap(
        data, recall, paired=True, n_resamples=4000, confidence_level=0.9, method="percentile", rng=1
    ).confidence_interval
    assert band.recall[0] == pytest.approx([theirs.low, theirs.high], abs=0.01)


def test_limits_enclose_the_curve():
    curve = random_curve(2, n=200)
    band = bootstrap_band(curve, points=20, level=0.99)
    at = [curve.index_at(b) for b in band.bias]
    assert np.all(band.precision[:, 0] <= curve.precision[at]) and np.all(curve.precision[at] <= band.precision[:, 1])


def test_a_curve_without_documents_says_so():
    curve = merge_paths(np.zeros(1, int), np.array([-np.inf]), np.ones((1, 3), int), 3)
    with pytest.raises(ValueError, match="per document"):
        bootstrap_band(curve)


def test_precision_has_limits_only_where_something_is_predicted():
    # One link, dropped at bias 1; half of the resamples of two documents miss the one that has it.
    rows = [(0, -np.inf, (1, 1, 1)), (0, 1.0, (0, 0, 0)), (1, -np.inf, (0, 0, 0))]
    document, bias, counts = (np.array(column) for column in zip(*rows, strict=True))
    curve = merge_paths(document, bias, counts, np.array([1, 1]))
    band = bootstrap_band(curve)
    assert band.precision[0].tolist() == [1.0, 1.0]
    assert np.isnan(band.precision[1]).all() and np.isnan(curve.known_precision[1])
    assert band.f[1].tolist() == [0.0, 0.0]
