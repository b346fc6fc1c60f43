"""Iterative parameter mixing against itself as one would first write it, for all learners that have it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
import pytest

from engine.learners.base import complete, contrast
from engine.learners.laso.arrays import TABLE
from engine.learners.laso.learner import LatentTrees, TreeSettings
from engine.learners.linear.hoffmann import Hoffmann
from engine.learners.linear.online import Online
from engine.learners.linear.onoff import Labelled
from engine.learners.linear.winnow import Winnow
from engine.learners.mixing import shards_of
from engine.learners.training import rng_parts
from engine.structures.bag import complete_all, solver
from tests.learners import naive_laso as naive
from tests.learners.bag_corpora import dense_rows, learnable
from tests.learners.registry import CASES
from tests.learners.test_laso import CLUSTERS, documents
from tests.learners.test_online import separable
from tests.learners.test_winnow import rows_of

D = TypeVar("D")


def mixed(
    first: np.ndarray, made: Sequence[D], n_shards: int, seed: int, learn: Callable[[np.ndarray, D], np.ndarray]
) -> tuple[np.ndarray, np.ndarray, int]:
    """The weights after two passes; the sum of the weights after every document, and how many these were."""
    bounds = [-(-i * len(made) // n_shards) for i in range(n_shards + 1)]
    shards = [made[begin:end] for begin, end in pairwise(bounds)]
    rng, weights, total, count = np.random.default_rng(seed), first, np.zeros(first.shape), 0
    for _ in range(2):
        ended = []
        for shard, order in [(shard, rng.permutation(len(shard))) for shard in shards]:
            own = weights
            for d in order:
                own = learn(own, shard[d])
                total += own
                count += 1
            ended.append(own)
        weights = np.mean(ended, axis=0)
    return weights, total, count


@pytest.mark.parametrize("n_shards", [2, 3, 5])
@pytest.mark.parametrize("averaged", [True, False])
def test_a_mixed_perceptron_is_the_naive_one(n_shards: int, averaged: bool) -> None:
    instances, _, _ = separable(13, 4)

    def learn(weights: np.ndarray, one: Any) -> np.ndarray:
        scores = one.features @ weights
        good, bad = complete(one, scores), one.structure.argmax(scores)
        return weights + contrast(one, good, bad)

    weights, total, count = mixed(np.zeros(5), instances, n_shards, 7, learn)
    learner = Online(n_rounds=2, scaled=False, averaged=averaged, seed=7, shards=n_shards)
    *_, last = learner.rounds(instances)
    np.testing.assert_allclose(last.scorer.weights, total / count if averaged else weights, atol=1e-5)
    *_, alone = replace(learner, shards=1).rounds(instances)
    assert not np.allclose(alone.scorer.weights, last.scorer.weights), "mixing is another learner"


@pytest.mark.parametrize("n_shards", [2, 3])
@pytest.mark.parametrize("averaged", [True, False])
def test_a_mixed_winnow_is_the_naive_one(n_shards: int, averaged: bool) -> None:
    matrix = (np.random.default_rng(3).random((11, 6)) < 0.4).astype(np.int64)
    matrix[:, 0] = 1
    classes = matrix[:, 2] | matrix[:, 4]
    rows = rows_of(matrix)
    examples = [(np.append(row, 1.0), int(right)) for row, right in zip(matrix, classes, strict=True)]

    def learn(weights: np.ndarray, one: tuple[np.ndarray, int]) -> np.ndarray:
        (row, right), weights = one, weights.copy()
        for c, unit in enumerate(weights):
            activation = unit @ row
            if c == right and activation < 1.2:
                unit[row > 0] *= 1.5
            elif c != right and activation > 0.8:
                unit[row > 0] *= 0.6
        return weights

    first = np.full((2, 7), 1.0 / np.diff(rows.starts).mean())
    weights, total, count = mixed(first, examples, n_shards, 2, learn)
    learner = Winnow(promotion=1.5, demotion=0.6, thickness=0.2, n_rounds=2, seed=2, averaged=averaged, shards=n_shards)
    *_, last = learner.rounds([Labelled(rows, classes, 2)])
    found = np.hstack([last.scorer.weights, last.scorer.intercepts[:, None]])
    np.testing.assert_allclose(found, total / count if averaged else weights, rtol=1e-9)


@pytest.mark.parametrize("n_shards", [2, 4])
def test_a_mixed_perceptron_of_bags_is_the_naive_one(n_shards: int) -> None:
    corpus = learnable(2, n_bags=14, noise=0.7, crowding=0.0)
    corpus = replace(corpus, bags=dense_rows(np.zeros((corpus.n_bags, 1))))
    rows = corpus.mentions.values.reshape(-1, corpus.mentions.n_columns).astype(np.float64)
    no_price = np.zeros((1, corpus.n_labels))

    def learn(weights: np.ndarray, bag: int) -> np.ndarray:
        own = rows[corpus.offsets[bag] : corpus.offsets[bag + 1]]
        scores = np.hstack([np.zeros((len(own), 1)), own @ weights])
        at = np.array([0, len(own)])
        found = solver("exact")(scores, no_price, at)
        right = complete_all(scores, corpus.gold[bag : bag + 1], at, no_price)
        weights = weights.copy()
        if set(found[found > 0]) != set(right[right > 0]):
            for labels, step in ((right, 1.0), (found, -1.0)):
                for row, label in zip(own, labels, strict=True):
                    if label:
                        weights[:, label - 1] += step * row
        return weights

    first = np.zeros((rows.shape[1], corpus.n_labels))
    _, total, count = mixed(first, list(range(corpus.n_bags)), n_shards, 5, learn)
    *_, last = Hoffmann(n_rounds=2, seed=5, shards=n_shards).rounds([corpus])
    # The weights before the first bag count, too: they are 0.
    np.testing.assert_allclose(last.scorer.mention_weights, total / (count + 1), atol=1e-4)


@pytest.mark.thorough
def test_mixed_latent_trees_are_the_naive_ones() -> None:
    made = documents(4, n_documents=5, n=8)
    settings = TreeSettings(n_rounds=2, history="own", shards=2)
    # From zero, trees would tie, and sums in another order would decide.
    first = np.random.default_rng(4).normal(0.0, 0.3, TABLE)
    first[0] = 0.0

    def learn(weights: np.ndarray, one: Any) -> np.ndarray:
        moved = naive.Drawn(weights)
        naive.learn_own(naive.Teacher(CLUSTERS, settings.augment, settings.false_new, moved), one)
        weights = weights.copy()
        weights[list(moved)] = list(moved.values())
        return weights

    _, total, count = mixed(first, made, 2, 0, learn)
    learner = LatentTrees("delayed-laso", settings, CLUSTERS)
    begun = {
        **next(learner.rounds(made)).to_parts(),
        "done": np.array(0),
        "count": np.array(1.0),
        "rng": rng_parts(np.random.default_rng(0)),
        "numbers": np.arange(TABLE, dtype=np.int32),
        "weights": first,
        "sums": np.zeros(TABLE),
    }
    *_, last = learner.rounds(made, resume=begun)
    np.testing.assert_allclose(last.scorer.weights, (first + total) / (count + 1), atol=1e-9)
    assert [one.document for one in last.seen] == list(range(5))


def test_no_mixing_unless_it_is_asked_for() -> None:
    mixing = [case for case in CASES if hasattr(case.settings, "shards")]
    assert {"perceptron", "passive-aggressive", "winnow", "hoffmann", "delayed-laso"} <= {one.name for one in mixing}
    assert all(type(case.settings)().shards == 1 for case in mixing)


def test_shards_are_about_equal_and_no_more_than_documents() -> None:
    for n, n_shards in ((1, 4), (5, 2), (7, 7), (100, 8)):
        cuts = shards_of(n, n_shards)
        assert cuts[0][0] == 0 and cuts[-1][1] == n and len(cuts) == min(n, n_shards)
        assert all(end == begin for (_, end), (begin, _) in pairwise(cuts))
        sizes = [last - first for first, last in cuts]
        assert max(sizes) - min(sizes) <= 1
