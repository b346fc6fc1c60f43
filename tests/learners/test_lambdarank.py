"""LambdaRank: the pulls of a mention by hand, and a ranking that a line cannot learn."""

from __future__ import annotations

import numpy as np
import pytest

from engine.learners.base import Instance
from engine.learners.linear.scaled import Scaling
from engine.learners.ranking.lambdarank import LambdaRank, Network, lambdas
from engine.structures.chain import Chain
from engine.structures.nonoverlap import NonOverlap


def test_each_wrong_item_and_the_right_one_pull_by_the_change_of_ndcg():
    # Ranks: entity 1 (score 2), Nil (0), entity 0 (-1), which is right.
    gradient, ndcg = lambdas(np.array([-1.0, 2.0]), np.array([0, 2]), np.array([0]))
    worth = 1 / np.log2([2, 3, 4])
    above = (worth[0] - worth[2]) / (1 + np.exp(-1.0 - 2.0))
    nil = (worth[1] - worth[2]) / (1 + np.exp(-1.0 - 0.0))
    np.testing.assert_allclose(gradient, [-above - nil, above])
    assert ndcg[0] == pytest.approx(worth[2])


def test_where_nil_is_right_every_entity_is_pushed_down():
    gradient, ndcg = lambdas(np.array([0.5, -3.0, 1.0]), np.array([0, 3]), np.array([-1]))
    assert (gradient > 0).all()
    assert ndcg[0] == pytest.approx(1 / np.log2(4))


def test_the_pulls_on_a_mention_sum_to_nothing_when_nil_is_counted():
    """Swaps among entities only move score around: with Nil far away the gradient sums to 0."""
    scores = np.array([100.0, 101.0, 99.0])
    gradient, _ = lambdas(scores, np.array([0, 3]), np.array([0]))
    assert gradient.sum() == pytest.approx(0.0, abs=1e-12)
    assert gradient[0] < 0 < gradient[1]


def ring_instances(n: int, seed: int):
    """Of five entities right is the one whose two features lie in a ring, if any."""
    rng = np.random.default_rng(seed)
    instances = []
    for _ in range(n):
        starts = np.repeat(np.arange(3), 5)
        features = rng.normal(0, 1, (15, 2)).astype(np.float32)
        inside = np.abs(np.linalg.norm(features, axis=1) - 1.2) < 0.12
        gold = np.zeros(15, bool)
        for m in range(3):
            own = np.flatnonzero(inside & (starts == m))
            gold[own[:1]] = True
        instances.append(Instance(NonOverlap(starts, starts + 1), features, gold, np.where(gold, -1.0, 1.0)))
    return instances


def test_the_ranking_improves_and_beats_always_saying_nil():
    instances = ring_instances(300, 0)
    rounds = list(LambdaRank(n_rounds=30, rate=0.02, mentions=8).rounds(instances))
    assert rounds[-1].objective < rounds[0].objective
    nil = np.concatenate([i.consistent for i in instances]).reshape(-1, 5).any(axis=1)
    # With every entity below Nil, a mention with a gold entity has NDCG 1 / log2(3) at best.
    assert rounds[-1].scores["ndcg"] > np.where(nil, 1 / np.log2(3), 1.0).mean()


def test_structures_without_mentions_are_refused():
    chain = Chain(2, 2)
    n = chain.n_parts
    instance = Instance(chain, np.zeros((n, 1), np.float32), np.ones(n, bool), np.zeros(n))
    with pytest.raises(ValueError, match="mentions"):
        next(LambdaRank().rounds([instance]))


def test_contributions_are_the_integral_of_the_gradient_and_sum_to_the_score():
    rng = np.random.default_rng(3)
    features = rng.normal(size=(6, 4))
    features[0] = 0.0
    network = Network(rng.normal(size=(5, 5)), rng.normal(size=5), 0.3, Scaling.fit(features))
    added = network.contributions(features)
    assert added.sum(axis=1) == pytest.approx(network.scores(features), abs=1e-5)
    # The gradient at many points between the average row and each row, averaged.
    rows = network.scaling.apply(features, constant=False).astype(float)
    total = np.zeros_like(rows)
    steps = (np.arange(2000) + 0.5) / 2000
    for t in steps:
        active = np.tanh(t * rows @ network.hidden[:, :-1].T + network.hidden[:, -1])
        total += ((1 - active**2) * network.out) @ network.hidden[:, :-1]
    assert added[:, :-1] == pytest.approx(rows * total / len(steps), abs=1e-5)
