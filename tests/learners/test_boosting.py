"""Boosting on structures: its gradient, its special cases, and what must not change."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingClassifier

from engine.learners.base import Instance, fit
from engine.learners.joined import join
from engine.learners.trees.boosting import Boosting
from engine.learners.trees.forest import Forest
from engine.learners.trees.losses import Hinge, Logistic, log_loss
from engine.structures.chain import Chain
from engine.structures.nonoverlap import NonOverlap
from tests.oracles import numerical_gradient
from tests.structures.test_nonoverlap import random_lattices


def lattice_instances(n: int, seed: int, n_features: int = 4):
    """Lattices whose gold is what hidden tree-like scores decode to."""
    rng = np.random.default_rng(seed)
    instances = []
    for _ in range(n):
        n_parts = int(rng.integers(3, 12))
        starts = rng.integers(0, 8, n_parts)
        lattice = NonOverlap(starts, starts + rng.integers(1, 4, n_parts))
        features = rng.normal(size=(n_parts, n_features)).astype(np.float32)
        hidden = 4.0 * (features[:, 0] > 0.2) * (features[:, 1] < 0.5) - 2.0 + 0.1 * features[:, 2]
        gold = np.zeros(n_parts, bool)
        gold[lattice.argmax(hidden.astype(float))] = True
        instances.append(Instance(lattice, features, gold, np.where(gold, -1.0, 1.0)))
    return instances


def accuracy(instances, scorer) -> float:
    return float(
        np.mean(
            [set(i.structure.argmax(scorer.scores(i.features))) == set(np.flatnonzero(i.consistent)) for i in instances]
        )
    )


def test_the_gradient_of_the_log_loss_equals_finite_differences_on_lattices_with_latent_gold():
    rng = np.random.default_rng(0)
    for starts, ends, scores in random_lattices(1000, seed=11):
        scores = np.where(np.isfinite(scores), scores, 0.5)
        lattice, consistent = NonOverlap(starts, ends), rng.random(len(starts)) < 0.4
        residuals = Logistic(lattice, consistent).gradient(scores)[1]
        numeric = numerical_gradient(lambda s: log_loss(lattice, consistent, s), scores)  # noqa: B023
        np.testing.assert_allclose(-residuals, numeric, atol=1e-6)


def test_the_residual_of_the_hinge_loss_is_its_negative_gradient_where_it_has_one():
    rng = np.random.default_rng(1)
    for starts, ends, _ in random_lattices(100, seed=12):
        scores = rng.normal(size=len(starts))
        gold = np.zeros(len(starts), bool)
        gold[NonOverlap(starts, ends).argmax(rng.normal(size=len(starts)))] = True
        instance = Instance(
            NonOverlap(starts, ends), np.zeros((len(starts), 1), np.float32), gold, rng.random(len(starts))
        )
        problem = Hinge(instance.structure, instance.consistent, instance.cost)
        numeric = numerical_gradient(lambda s: problem.gradient(s)[0], scores, step=1e-7)  # noqa: B023
        np.testing.assert_allclose(-problem.gradient(scores)[1], numeric, atol=1e-5)
        assert problem.gradient(scores)[0] >= -1e-12


def test_the_log_loss_falls_every_round_at_a_small_rate():
    instances = lattice_instances(60, 1)
    objectives = [r.objective for r in Boosting(trees=40, rate=0.1, min_leaf=5).rounds(instances)]
    assert all(later < earlier for earlier, later in itertools.pairwise(objectives))


def test_the_objective_of_a_round_is_the_exact_mean_loss_of_its_scorer():
    instances = lattice_instances(30, 2)
    corpus = join(instances)
    for step in Boosting(trees=6, min_leaf=5).rounds(instances):
        scores = step.scorer.scores(corpus.features)
        assert step.objective == pytest.approx(log_loss(corpus.structure, corpus.consistent, scores), abs=1e-9)


def test_several_forests_are_the_mean_of_forests_that_grew_apart():
    instances = lattice_instances(30, 2)
    corpus = join(instances)
    learner = Boosting(trees=6, forests=3, min_leaf=5, column_share=0.5)
    step = list(learner.rounds(instances))[-1]
    trees, start = step.scorer.trees, step.scorer.start
    assert len(trees) == 18
    # Trees of one round follow each other; undo the mean to have each forest by itself.
    apart = [Forest(tuple(t.scaled(3.0) for t in trees[f::3]), start).scores(corpus.features) for f in range(3)]
    mean = step.scorer.scores(corpus.features)
    np.testing.assert_allclose(mean, np.mean(apart, axis=0))
    assert not np.allclose(apart[0], apart[1])
    assert step.objective == pytest.approx(log_loss(corpus.structure, corpus.consistent, mean), abs=1e-9)


def test_several_forests_without_samples_are_all_the_same_forest():
    instances = lattice_instances(30, 2)
    rows = join(instances).features
    one, three = (fit(Boosting(trees=6, forests=n, min_leaf=5), instances).scores(rows) for n in (1, 3))
    np.testing.assert_allclose(one, three)


@pytest.mark.parametrize("excludes", ["structure", "mention", "nothing"])
def test_disjoint_single_spans_reduce_to_log_loss_boosting(excludes):
    rng = np.random.default_rng(3)
    features = (rng.integers(0, 50, (600, 5)) / 7).astype(np.float32)
    labels = rng.random(600) < 1 / (1 + np.exp(-(features[:, 0] - 3 * (features[:, 1] > 4))))
    places = np.arange(600)
    instance = Instance(NonOverlap(places, places + 1), features, labels, np.zeros(600))
    learner = Boosting(trees=25, rate=0.2, max_leaves=8, max_depth=3, min_leaf=10, l2=0.0, excludes=excludes)
    own = fit(learner, [instance]).scores(features)
    peer = GradientBoostingClassifier(
        n_estimators=25, learning_rate=0.2, max_depth=3, min_samples_leaf=10, random_state=0
    ).fit(features, labels)
    np.testing.assert_allclose(own, peer.decision_function(features), atol=1e-6)


def test_two_entities_of_a_mention_are_a_softmax_whatever_the_other_mentions_do():
    """Crossing mentions, no structure: the loss must be the sum of softmax losses with Nil at 0."""
    starts, ends = np.array([0, 0, 1, 1]), np.array([2, 2, 3, 3])
    scores, gold = np.array([0.3, -1.0, 2.0, 0.1]), np.array([True, False, False, False])
    batch = NonOverlap(starts, ends).by_span()
    expected = np.log(1 + np.exp(scores[:2]).sum()) - scores[0] + np.log(1 + np.exp(scores[2:]).sum())
    assert log_loss(batch, gold, scores) == pytest.approx(expected)


def test_on_overlapping_gold_structure_beats_yes_or_no_training():
    train, test = lattice_instances(400, 5), lattice_instances(200, 6)
    structured = fit(Boosting(trees=60, min_leaf=10), train)
    separate = fit(Boosting(trees=60, min_leaf=10, excludes="nothing"), train)
    hinge = fit(Boosting(trees=60, min_leaf=10, loss="hinge", rate=0.3), train)
    untrained = np.mean([not i.consistent.any() for i in test])
    assert accuracy(test, structured) >= accuracy(test, separate)
    assert accuracy(test, hinge) > untrained


def chain_instances(n: int, seed: int):
    """Label t is what a threshold on the first feature says, unless the label before forbids it."""
    rng = np.random.default_rng(seed)
    instances = []
    for _ in range(n):
        length = int(rng.integers(2, 6))
        chain = Chain(length, 2)
        seen = rng.normal(size=length)
        labels = np.zeros(length, int)
        for t in range(length):
            labels[t] = seen[t] > 0 and not (t and labels[t - 1])
        before = np.concatenate([[-1, -1], np.tile([0, 0, 1, 1], length - 1)])
        after = np.concatenate([[0, 1], np.tile([0, 1], 2 * (length - 1))])
        position = np.concatenate([[0, 0], np.repeat(np.arange(1, length), 4)])
        features = np.stack([seen[position], before, after], axis=1).astype(np.float32)
        gold = np.zeros(chain.n_parts, bool)
        gold[chain.parts_of(labels)] = True
        instances.append(Instance(chain, features, gold, np.where(gold, -1.0, 1.0)))
    return instances


@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_tree_crf_is_the_chain_case_and_learns_what_no_single_position_shows(loss):
    train, test = chain_instances(150, 0), chain_instances(80, 1)
    scorer = fit(Boosting(trees=60, min_leaf=5, loss=loss, rate=0.3), train)
    # Deciding each position by its own sign is the best one can do without the chain.
    alone = np.mean(
        [
            (np.array([i.features[0, 0], *i.features[2::4, 0]]) > 0).astype(int).tolist()
            == i.structure.labels_of(np.flatnonzero(i.consistent)).tolist()
            for i in test
        ]
    )
    assert accuracy(test, scorer) > alone


def test_a_sampled_run_depends_on_the_seed_and_on_nothing_else():
    instances = lattice_instances(40, 8)
    learner = Boosting(trees=8, min_leaf=5, row_share=0.6, column_share=0.5, seed=3)
    features = join(instances).features
    one, two = fit(learner, instances).scores(features), fit(learner, instances).scores(features)
    other = fit(dataclasses.replace(learner, seed=4), instances).scores(features)
    np.testing.assert_array_equal(one, two)
    assert (one != other).any()


def test_mention_scope_is_refused_where_there_are_no_mentions():
    with pytest.raises(ValueError, match="mentions"):
        next(Boosting(excludes="mention").rounds(chain_instances(3, 0)))
