"""Winnow's mistake bound, logistic regression's optimum, and calibration."""

from __future__ import annotations

import numpy as np
import pytest

from engine.learners.linear.logistic import Logistic
from engine.learners.linear.onoff import Classifier, Labelled, Rows, fit_sharpness, log_softmax
from engine.learners.linear.winnow import Winnow


def rows_of(matrix):
    starts = np.concatenate([[0], np.cumsum(matrix.sum(axis=1))]).astype(np.int64)
    return Rows(starts, np.nonzero(matrix)[1].astype(np.int32), matrix.shape[1])


def disjunction(n_columns, n_rows=300, k=2):
    rng = np.random.default_rng(0)
    matrix = np.zeros((n_rows, n_columns), dtype=np.int64)
    for row in matrix:
        row[rng.choice(n_columns, size=8, replace=False)] = 1
    matrix[: n_rows // 2, :k] |= rng.integers(0, 2, size=(n_rows // 2, k))
    return rows_of(matrix), matrix[:, :k].any(axis=1).astype(np.int64)


def total_mistakes(n_columns):
    rows, classes = disjunction(n_columns)
    return sum(one.objective for one in Winnow(thickness=0.0, n_rounds=12).rounds([Labelled(rows, classes, 2)]))


def test_winnow_learns_a_disjunction_and_mistakes_grow_slowly_with_irrelevant_features():
    rows, classes = disjunction(64)
    *_, last = Winnow(n_rounds=40).rounds([Labelled(rows, classes, 2)])
    assert (last.scorer.activations(rows).argmax(axis=1) == classes).mean() > 0.97
    # Littlestone: mistakes grow with log n; a factor 16 in n must cost far less than a factor 16.
    assert total_mistakes(1024) < 4 * total_mistakes(64)


def test_winnow_weights_stay_positive_and_the_same_seed_gives_the_same_weights():
    rows, classes = disjunction(32)
    *_, one = Winnow(seed=3, n_rounds=5).rounds([Labelled(rows, classes, 2)])
    *_, two = Winnow(seed=3, n_rounds=5).rounds([Labelled(rows, classes, 2)])
    *_, other = Winnow(seed=4, n_rounds=5).rounds([Labelled(rows, classes, 2)])
    assert (one.scorer.weights > 0).all()
    assert (one.scorer.weights == two.scorer.weights).all()
    assert (one.scorer.weights != other.scorer.weights).any()


def test_averaged_weights_are_the_mean_over_all_steps():
    rows, classes = rows_of(np.array([[1, 0], [0, 1], [1, 1]])), np.array([0, 1, 1])
    settings = dict(promotion=2.0, demotion=0.5, thickness=0.0)
    *_, last = Winnow(n_rounds=3, seed=1, **settings).rounds([Labelled(rows, classes, 2)])
    rng = np.random.default_rng(1)
    weights = np.full((2, 3), 1.0 / np.diff(rows.starts).mean())
    total, steps = np.zeros_like(weights), 0
    dense = np.hstack([np.asarray(rows.matrix().todense()), np.ones((3, 1))])
    for _ in range(3):
        for row in rng.permutation(3):
            for c in range(2):
                activation = float(weights[c] @ dense[row])
                if classes[row] == c and activation < 1.0:
                    weights[c, dense[row] > 0] *= 2.0
                elif classes[row] != c and activation > 1.0:
                    weights[c, dense[row] > 0] *= 0.5
            # After each row the weights as they then are count once.
            total += weights
            steps += 1
    assert np.hstack([last.scorer.weights, last.scorer.intercepts[:, None]]) == pytest.approx(total / steps)


def test_a_bad_factor_is_refused():
    with pytest.raises(ValueError, match="promotion"):
        Winnow(promotion=0.9)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_logistic_regression_is_at_its_optimum(n_classes):
    rng = np.random.default_rng(0)
    matrix = (rng.random((120, 6)) < 0.4).astype(np.int64)
    classes = (matrix[:, 0] + matrix[:, 1] * rng.integers(0, 2, 120)) % n_classes
    rows, strength = rows_of(matrix), 0.7
    *_, last = Logistic(C=strength, tolerance=1e-9, most_iterations=5000).rounds([Labelled(rows, classes, n_classes)])
    probabilities = np.exp(last.scorer.log_probabilities(rows))
    residual = np.eye(n_classes)[classes] - probabilities
    # Stationarity: C X'(y - p) = w; for two classes scikit-learn penalises the difference of the two rows once.
    scale = 2.0 if n_classes == 2 else 1.0
    assert strength * residual.T @ matrix == pytest.approx(scale * last.scorer.weights, abs=1e-3)
    assert residual.sum(axis=0) == pytest.approx(np.zeros(n_classes), abs=1e-3)


def test_classes_that_never_occur_are_all_but_ruled_out():
    rows = rows_of(np.array([[1, 0], [0, 1]]))
    for classes in ([0, 0], [0, 2]):
        *_, last = Logistic().rounds([Labelled(rows, np.array(classes), 3)])
        assert np.exp(last.scorer.log_probabilities(rows))[:, 1].max() < 1e-6


def test_sharpness_maximises_the_likelihood():
    rng = np.random.default_rng(1)
    activations = rng.normal(size=(400, 3))
    drawn = np.array([rng.choice(3, p=np.exp(row)) for row in log_softmax(2.5 * activations)])
    best = fit_sharpness(activations, drawn)

    def likelihood(factor):
        return log_softmax(factor * activations)[np.arange(400), drawn].mean()

    assert likelihood(best) >= max(likelihood(best * f) for f in (0.9, 1.1))
    classifier = Classifier(np.zeros((3, 2)), np.zeros(3), best)
    assert np.exp(classifier.log_probabilities(rows_of(np.array([[1, 0]])))).sum() == pytest.approx(1.0)
