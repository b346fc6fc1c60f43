"""The bootstrap band: its counts are the curve's, and it agrees with scipy's bootstrap of the same statistic."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.tuning.band import bootstrap_band, counts_at
from engine.tuning.curve import merge_paths
from engine.tuning.window import useful_window, whole


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
    band = bootstrap_band(curve, points=4, resamples=4000, level=0.9)
    # At the last bias nothing changes any more, so nothing is widened.
    table = counts_at(curve.steps, band.bias)[:, -1]

    def recall(found, gold, axis=-1):
        return found.sum(axis=axis) / gold.sum(axis=axis)

    data = (table[:, 1], curve.steps.gold.astype(float))
    theirs = bootstrap(
        data, recall, paired=True, n_resamples=4000, confidence_level=0.9, method="percentile", rng=1
    ).confidence_interval
    low, high = band.recall[-1]
    assert high == pytest.approx(theirs.high, abs=0.01) or high >= theirs.high
    assert low == pytest.approx(theirs.low, abs=0.01) or low <= theirs.low


@given(st.integers(0, 10_000), st.integers(3, 40), st.floats(-3, 3), st.floats(0.01, 4))
def test_straight_lines_between_the_limits_enclose_the_whole_curve(seed, points, low, width):
    curve = random_curve(seed, n=12)
    band = bootstrap_band(curve, points=points, window=(low, low + width), level=0.2, resamples=20)
    inside = (curve.bias >= band.bias[0]) & (curve.bias <= band.bias[-1])
    at = curve.bias[inside]
    # Just before a step the value before it still holds.
    before = np.nextafter(at, -np.inf)
    for bias in np.concatenate([at, before[before >= band.bias[0]]]):
        i = curve.index_at(bias)
        for limits, value in ((band.recall, curve.recall[i]), (band.f, curve.f()[i])):
            assert np.interp(bias, band.bias, limits[:, 0]) <= value + 1e-9
            assert np.interp(bias, band.bias, limits[:, 1]) >= value - 1e-9


@given(st.integers(0, 10_000))
def test_the_window_holds_the_best_point_and_what_is_kept(seed):
    curve = random_curve(seed, n=12)
    low, high = useful_window(curve, [7.5])
    first, last = whole(curve)
    assert low <= 7.5 <= high
    assert curve.index_at(low) <= curve.best_index() <= curve.index_at(high)
    assert high <= max(last, 7.5) + 1 + 0.1 * (high - low) and low >= first - 1 - 0.1 * (high - low)


def test_the_window_leaves_out_where_almost_everything_is_answered():
    # A hundred wrong answers that a low bias gives, then ten right ones.
    bias = np.concatenate([[-np.inf], np.linspace(-1000, -10, 100), np.linspace(0, 1, 10)])
    right = np.concatenate([np.full(101, 10), np.arange(9, -1, -1)])
    wrong = np.concatenate([np.arange(100, -1, -1), np.zeros(10, int)])
    counts = np.stack([right, right, right + wrong], axis=1)
    low, high = useful_window(merge_paths(np.zeros(111, int), bias, counts, np.array([10])))
    assert -60 < low < -20 < 0.3 < high < 5


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
    assert np.isnan(band.precision[-1]).all() and np.isnan(curve.known_precision[1])
    assert band.f[-1].tolist() == [0.0, 0.0]
