"""The corpus curve is the sum of the documents' step functions, exactly."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.tuning.curve import Curve, merge_paths, thin

count = st.integers(0, 5)
path = st.tuples(
    st.tuples(count, count, count),
    st.lists(st.tuples(st.integers(-4, 4), count, count, count), max_size=4, unique_by=lambda step: step[0]),
)


def rows_of(paths):
    document, bias, counts = [], [], []
    for d, (start, steps) in enumerate(paths):
        for b, *c in [(-np.inf, *start), *sorted(steps)]:
            document.append(d)
            bias.append(float(b))
            counts.append(c)
    return np.array(document), np.array(bias), np.array(counts, dtype=np.int64).reshape(-1, 3)


@given(st.lists(path, min_size=1, max_size=6))
def test_every_point_is_the_sum_over_documents_at_that_bias(paths):
    curve = merge_paths(*rows_of(paths), gold=10)
    assert curve.bias[0] == -np.inf and np.all(np.diff(curve.bias) > 0)
    for at in [-9.0, *curve.bias[1:], *(curve.bias[1:] + 0.5)]:
        expected = np.zeros(3, dtype=int)
        for start, steps in paths:
            now = start
            for b, *c in sorted(steps):
                if b <= at:
                    now = c
            expected += np.array(now)
        i = curve.index_at(at)
        assert [curve.correct[i], curve.found[i], curve.predicted[i]] == expected.tolist()


def make(bias, correct, predicted, gold):
    correct = np.array(correct)
    return Curve(np.array(bias), correct, correct, np.array(predicted), gold)


CURVE = make([-np.inf, 0.0, 1.0, 3.0, 4.0], [4, 4, 3, 3, 0], [10, 8, 4, 3, 0], 5)


def test_precision_recall_and_f_follow_their_definitions():
    assert CURVE.precision.tolist() == [0.4, 0.5, 0.75, 1.0, 0.0]
    assert CURVE.recall.tolist() == [0.8, 0.8, 0.6, 0.6, 0.0]
    assert CURVE.f()[3] == pytest.approx(0.75)
    assert CURVE.f(2.0)[3] == pytest.approx(5 * 1.0 * 0.6 / (4 * 1.0 + 0.6))
    assert CURVE.best_index() == 3 and CURVE.best_bias() == 3.5


def test_targets_give_the_best_point_that_reaches_them():
    assert CURVE.for_precision(0.7) == 2
    assert CURVE.for_precision(1.1) is None
    assert CURVE.for_recall(0.8) == 1
    assert CURVE.for_recall(0.81) is None


def test_area_integrates_the_interpolated_precision():
    assert CURVE.area() == pytest.approx(0.6 * 1.0 + 0.2 * 0.5)


def test_json_holds_no_infinities_and_the_best_bias_is_usable():
    record = CURVE.to_json()
    assert record["points"][0]["bias"] is None
    assert record["best"]["bias"] == 3.5 and record["best"]["f1"] == pytest.approx(0.75)


def test_the_middle_of_an_unbounded_step_is_finite_and_inside():
    for i in range(len(CURVE.bias)):
        assert CURVE.index_at(CURVE.bias_of(i)) == i


def test_thinning_keeps_what_it_is_told_to():
    n = 5000
    curve = make(np.append(-np.inf, np.arange(1.0, n)), np.arange(n, 0, -1), np.arange(n, 0, -1), n)
    kept = thin(curve, keep=[1234], most=100)
    assert len(kept) <= 101 and {0, 1234, n - 1} <= set(kept.tolist())


def test_a_corpus_in_which_nothing_counts_has_a_curve_of_one_empty_point():
    nothing = np.zeros(0, dtype=np.int64)
    curve = merge_paths(nothing, np.zeros(0), np.zeros((0, 3), dtype=np.int64), nothing)
    assert curve.bias.tolist() == [-np.inf] and curve.gold == 0
    assert (curve.predicted.tolist(), curve.precision.tolist(), curve.recall.tolist()) == ([0], [0.0], [0.0])
