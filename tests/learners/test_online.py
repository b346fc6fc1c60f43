"""Perceptron and passive-aggressive learning: their theorems, and the compiled loop against the plain one."""

from __future__ import annotations

import numpy as np
import pytest

from engine.learners.base import Instance, complete, contrast, fit, worst
from engine.learners.linear.online import Online
from engine.learners.linear.scaled import Linear, Scaling
from engine.learners.linear.steps import passive_aggressive_step
from engine.structures.chain import Chain
from engine.structures.nonoverlap import NonOverlap, NonOverlapBatch


def separable(n: int, seed: int, n_features: int = 5, n_parts: int = 6):
    """Lattices whose gold is the argmax of hidden weights by a margin."""
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=n_features)
    hidden /= np.linalg.norm(hidden)
    instances, margin, radius = [], np.inf, 0.0
    while len(instances) < n:
        starts = rng.integers(0, 5, n_parts)
        lattice = NonOverlap(starts, starts + rng.integers(1, 3, n_parts))
        features = rng.normal(size=(n_parts, n_features)).astype(np.float32)
        best = lattice.k_best(features @ hidden, 200)
        if len(best) < 2 or best[0][0] - best[1][0] < 0.3:
            continue
        gold = np.zeros(n_parts, bool)
        gold[best[0][1]] = True
        instance = Instance(lattice, features, gold, np.where(gold, -1.0, 1.0))
        margin = min(margin, best[0][0] - best[1][0])
        radius = max(radius, *(np.linalg.norm(contrast(instance, best[0][1], parts)) for _, parts in best[1:]))
        instances.append(instance)
    return instances, margin, radius


class Slow:
    """The same lattice without its batch, so that learners take the general way."""

    def __init__(self, lattice):
        self._lattice, self.n_parts = lattice, lattice.n_parts

    def argmax(self, scores, *, pins=()):
        return self._lattice.argmax(scores)

    def completion(self, scores, consistent):
        return self._lattice.completion(scores, consistent)


@pytest.mark.parametrize("seed", [0, 1])
def test_on_separable_data_the_perceptron_makes_few_enough_updates_and_ends_without_errors(seed):
    instances, margin, radius = separable(40, seed)
    learner = Online(n_rounds=300, averaged=False, scaled=False, seed=seed)
    updates, rounds = 0.0, list(learner.rounds(instances))
    for step in rounds:
        updates += step.scores["updates"]
    assert rounds[-1].objective == 0.0
    assert updates <= (radius / margin) ** 2
    for instance in instances:
        assert set(instance.structure.argmax(rounds[-1].scorer.scores(instance.features))) == set(
            np.flatnonzero(instance.consistent)
        )


def test_after_an_uncapped_passive_aggressive_step_the_violated_margin_holds_with_equality():
    instances, _, _ = separable(1, 3)
    instance = instances[0]
    bad = worst(instance, np.zeros(instance.structure.n_parts))
    good = complete(instance, np.zeros(instance.structure.n_parts))
    scorer = fit(Online(step="pa", C=1e9, n_rounds=1, averaged=False, scaled=False), [instance])
    loss = instance.cost[bad].sum() - instance.cost[good].sum()
    assert loss > 0
    assert scorer.weights @ contrast(instance, good, bad) == pytest.approx(loss, rel=1e-6)


def test_a_passive_aggressive_step_is_never_longer_than_allowed_nor_backwards():
    assert passive_aggressive_step(5.0, 0.1, C=2.0) == 2.0
    assert passive_aggressive_step(1.0, 4.0, C=2.0) == 0.25
    assert passive_aggressive_step(-1.0, 4.0, C=2.0) == 0.0
    assert passive_aggressive_step(1.0, 0.0, C=2.0) == 0.0


@pytest.mark.parametrize("step", ["perceptron", "pa"])
@pytest.mark.parametrize("averaged", [True, False])
def test_the_compiled_loop_over_lattices_is_the_plain_loop(step, averaged):
    instances, _, _ = separable(30, 4)
    rng = np.random.default_rng(4)
    # Some ambiguous gold: two consistent parts that overlap.
    for instance in instances[::3]:
        instance.consistent[rng.integers(0, instance.structure.n_parts)] = True
    learner = Online(step=step, n_rounds=4, averaged=averaged, C=0.3)
    general = [Instance(Slow(i.structure), i.features, i.consistent, i.cost) for i in instances]
    batch = NonOverlapBatch.of([i.structure for i in instances])
    whole = Instance(
        batch,
        np.concatenate([i.features for i in instances]),
        np.concatenate([i.consistent for i in instances]),
        np.concatenate([i.cost for i in instances]),
    )
    for fast, one, slow in zip(
        learner.rounds(instances), learner.rounds([whole]), learner.rounds(general), strict=True
    ):
        np.testing.assert_allclose(fast.scorer.weights, slow.scorer.weights, atol=1e-5)
        np.testing.assert_array_equal(fast.scorer.weights, one.scorer.weights)
        assert fast.objective == pytest.approx(slow.objective, abs=1e-6)


def test_the_average_is_the_mean_of_the_weights_after_every_document():
    instances, _, _ = separable(12, 5)
    weights = np.zeros(5)
    every = []
    for instance in instances:
        scores = instance.features @ weights
        good, bad = complete(instance, scores), instance.structure.argmax(scores)
        weights = weights + contrast(instance, good, bad)
        every.append(weights)
    scorer = fit(Online(n_rounds=1, scaled=False, shuffle=False), instances)
    np.testing.assert_allclose(scorer.weights, np.mean(every, axis=0), atol=1e-6)


def test_chains_learn_through_their_own_argmax():
    rng = np.random.default_rng(6)
    hidden = rng.normal(size=6)
    instances = []
    for _ in range(30):
        chain = Chain(4, 3)
        features = rng.normal(size=(chain.n_parts, 6)).astype(np.float32)
        gold = np.zeros(chain.n_parts, bool)
        gold[chain.argmax((features @ hidden).astype(float))] = True
        instances.append(Instance(chain, features, gold, np.where(gold, -1.0, 1.0)))
    # The hidden weights decode every chain rightly, so the perceptron must end without errors.
    errors = [r.objective for r in Online(n_rounds=400, averaged=False, scaled=False).rounds(instances)]
    assert errors[0] > 0.0
    assert errors[-1] == 0.0


def test_scaling_forgives_units_missing_values_and_constants():
    rng = np.random.default_rng(7)
    features = rng.normal(size=(50, 3)).astype(np.float32)
    features[:, 1] = 4.0
    features[3, 0] = np.nan
    scaling = Scaling.fit(features)
    scaled = scaling.apply(features)
    assert (scaled[:, 1] == 0).all() and (scaled[:, 3] == 1).all() and scaled[3, 0] == 0
    np.testing.assert_allclose(scaled[:, 2].std(), 1.0, rtol=1e-5)
    shifted = features * [1000, 1, 0.001] + [5, 0, 3]
    np.testing.assert_allclose(Scaling.fit(shifted).apply(shifted), scaled, atol=1e-4)
    linear = Linear(rng.normal(size=4), scaling)
    np.testing.assert_allclose(linear.contributions(features).sum(axis=1), linear.scores(features), atol=1e-6)
