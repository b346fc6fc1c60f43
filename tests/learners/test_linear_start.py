"""Boosting on top of a line: the line is calibrated, the trees only add to it, and the sum is explained."""

from __future__ import annotations

import numpy as np
import pytest

from engine.learners import scorers
from engine.learners.base import Instance, fit
from engine.learners.trees.boosting import Boosting, log_loss
from engine.learners.trees.linear_start import LinearForest, LinearStartBoosting, calibrate
from engine.structures.nonoverlap import NonOverlapBatch


@pytest.fixture(scope="module")
def instance():
    rng = np.random.default_rng(3)
    n_documents, per = 60, 6
    n = n_documents * per
    starts = rng.integers(0, 5, n)
    batch = NonOverlapBatch(starts, starts + rng.integers(1, 3, n), np.arange(n_documents + 1) * per)
    features = rng.normal(size=(n, 4)).astype(np.float32)
    truth = 2.0 * features[:, 0] - features[:, 1] - 1.0 + 2.0 * (features[:, 2] > 0.5)
    gold = np.zeros(n, dtype=np.bool_)
    gold[batch.argmax(truth + rng.gumbel(size=n) * 0.3)] = True
    return Instance(batch, features, gold, np.where(gold, -1.0, 1.0))


def test_no_other_slope_and_offset_nearby_has_less_loss(instance):
    scores = instance.features @ np.array([5.0, -2.0, 1.0, 0.0])
    slope, offset = calibrate(instance.structure, instance.consistent, scores)
    best = log_loss(instance.structure, instance.consistent, slope * scores + offset)
    for a, b in ((1.02, 0.0), (0.98, 0.0), (1.0, 0.02), (1.0, -0.02)):
        assert log_loss(instance.structure, instance.consistent, a * slope * scores + offset + b) >= best - 1e-9


def test_the_trees_lower_the_loss_of_the_line(instance):
    learner = LinearStartBoosting(trees=20, min_leaf=5)
    losses = [r.objective for r in learner.rounds([instance])]
    _, start = learner.start(instance, instance.structure)
    assert losses[-1] < log_loss(instance.structure, instance.consistent, start)


def test_without_the_line_it_is_boosting(instance):
    plain = fit(Boosting(trees=5, min_leaf=5), [instance])
    same = fit(LinearStartBoosting(trees=5, min_leaf=5, linear=False), [instance])
    assert np.array_equal(plain.scores(instance.features), same.scores(instance.features))


def test_contributions_sum_to_the_score_and_parts_give_the_scorer_back(instance):
    scorer = fit(LinearStartBoosting(trees=5, min_leaf=5), [instance])
    assert isinstance(scorer, LinearForest)
    scores = scorer.scores(instance.features)
    assert scorer.contributions(instance.features).sum(axis=1) == pytest.approx(scores, abs=1e-6)
    again = scorers.unpack(scorers.pack(scorer))
    assert np.array_equal(again.scores(instance.features), scores)
