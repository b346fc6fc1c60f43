"""Joint training under constraints: which pairs the types allow, and the mixture of two linear classifiers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.learners.linear.onoff import Classifier, Rows
from engine.tasks.base import Resources
from engine.tasks.joint.allowed import allowed_pairs, mixed
from engine.tasks.joint.constraints import Arguments
from engine.tasks.joint.constraints.space import Space
from engine.tasks.joint.settings import LEARNERS
from engine.tasks.joint.training import Trainer
from tests.tasks.test_joint import dev, train

__all__ = ["dev", "train"]  # fixtures
SPACE = Space(("Loc", "Org", "Peop"), ("none", "Kill", "Live", "Near"))
KILL = Arguments(name="k", relation="Kill", head=("Peop",), tail=("Peop",))
LIVE = Arguments(name="l", relation="Live", tail=("Loc", "Org"))


def test_pairs_are_allowed_where_both_types_meet_the_demands():
    # Sentences of two, none, one and three mentions: 2 + 0 + 0 + 6 ordered pairs.
    types, sizes = np.array([2, 0, 1, 2, 2, 1]), np.array([2, 0, 1, 3])
    met = allowed_pairs((KILL, LIVE), SPACE, types, sizes)
    assert set(met) == {1, 2}, "nothing is demanded of Near"
    ends = [(0, 1), (1, 0), (3, 4), (3, 5), (4, 3), (4, 5), (5, 3), (5, 4)]
    assert met[1].tolist() == [types[i] == types[j] == 2 for i, j in ends]
    assert met[2].tolist() == [types[j] != 2 for _, j in ends]


def test_soft_constraints_and_those_switched_off_demand_nothing():
    types, sizes = np.array([2, 0]), np.array([2])
    assert allowed_pairs((replace(KILL, weight=2.0), replace(LIVE, enabled=False)), SPACE, types, sizes) == {}


def test_several_constraints_on_a_relation_must_all_be_met():
    types, sizes = np.array([2, 0, 1]), np.array([3])
    both = allowed_pairs((LIVE, Arguments(name="m", relation="Live", tail=("Org",))), SPACE, types, sizes)
    assert both[2].tolist() == [False, True, False, True, False, False]


def test_the_mixture_scores_as_the_two_classifiers_do():
    rng = np.random.default_rng(3)
    of_all = Classifier(rng.normal(size=(3, 4)), rng.normal(size=3))
    own = Classifier(rng.normal(size=(2, 4)), rng.normal(size=2))
    rows = Rows(np.array([0, 2, 2, 5]), np.array([0, 3, 1, 2, 3], dtype=np.int32), 4)
    a, b = of_all.activations(rows), own.activations(rows)
    made = mixed(of_all, {2: own}, 0.3).activations(rows)
    assert made[:, 0] == pytest.approx(np.zeros(3))
    assert made[:, 1] == pytest.approx(a[:, 1] - a[:, 0]), "a relation without a classifier of its own keeps its score"
    assert made[:, 2] == pytest.approx(0.7 * (a[:, 2] - a[:, 0]) + 0.3 * (b[:, 1] - b[:, 0]))


def test_only_systems_under_constraints_learn_where_types_allow(train):
    def allowed(learner, **settings):
        return Trainer(learner, replace(LEARNERS[learner].settings, **settings), Resources(), train[:60]).allowed

    assert allowed("lp") and allowed("ilp")
    assert not allowed("basic") and not allowed("pipeline") and not allowed("omniscient")
    assert not allowed("lp", allowed=0.0)
    assert LEARNERS["lp"].preset("paper").allowed == 0.0


def test_a_relation_of_its_own_is_learnt_from_allowed_pairs_alone(train):
    """Pairs whose types forbid a relation, moved far away in its classifier's features, do not move its share."""
    trainer = Trainer("lp", replace(LEARNERS["lp"].settings, allowed=1.0), Resources(), train[:60])
    labels = trainer.labels[trainer.kept]
    label, pairs = next((k, v) for k, v in trainer.allowed.items() if (labels[v] == k).any() and not v.all())
    n = len(labels)
    rows = Rows(np.arange(n + 1), np.where(pairs, 0, 1).astype(np.int32), 2)
    fitted = trainer._fit_relations(rows, labels, np.ones(n, dtype=bool)).scorer
    holds = (labels[pairs] == label).mean()
    assert fitted.weights[label, 1] == pytest.approx(0.0, abs=1e-6), "no allowed pair has this feature"
    score = fitted.weights[label, 0] + fitted.intercepts[label]
    assert 1 / (1 + np.exp(-score)) == pytest.approx(holds, abs=0.02)
