"""Boosting of yes-or-no questions."""

from __future__ import annotations

import numpy as np
import pytest

from engine.learners.base import fit
from engine.learners.trees.binary import Answered, BinaryBoosting
from tests.learners.registry import yes_or_no


def test_the_loss_falls_and_is_that_of_the_scorer():
    instances = yes_or_no()
    features = np.concatenate([instance.features for instance in instances])
    yes = np.concatenate([instance.yes for instance in instances])
    rounds = list(BinaryBoosting(trees=30, min_leaf=3, column_share=1.0).rounds(instances))
    for step in rounds:
        p = 1.0 / (1.0 + np.exp(-step.scorer.scores(features)))
        assert step.objective == pytest.approx(-np.log(np.where(yes, p, 1.0 - p)).mean())
    objectives = [step.objective for step in rounds]
    assert objectives == sorted(objectives, reverse=True)
    assert np.mean((rounds[-1].scorer.scores(features) > 0) == yes) > 0.9


@pytest.mark.parametrize("answer", [True, False])
def test_one_answer_only_gives_a_constant_that_leans_to_it_more_the_more_rows_there_are(answer: bool):
    def constant(n: int) -> float:
        (only,) = BinaryBoosting().rounds([Answered(np.zeros((n, 2), np.float32), np.full(n, answer))])
        assert not only.scorer.trees
        return only.scorer.start

    few, many = constant(3), constant(30)
    assert few == pytest.approx(np.log(3.5 / 0.5) * (1 if answer else -1))
    assert abs(many) > abs(few)


def test_tables_one_after_another_are_one_table():
    one, two = yes_or_no()
    whole = Answered(np.concatenate([one.features, two.features]), np.concatenate([one.yes, two.yes]))
    learner = BinaryBoosting(trees=5, seed=3)
    np.testing.assert_array_equal(
        fit(learner, [one, two]).scores(whole.features), fit(learner, [whole]).scores(whole.features)
    )
