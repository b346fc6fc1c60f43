"""The perceptron for bags."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.learners.bags import held
from engine.learners.linear.hoffmann import Hoffmann
from engine.structures.bag import complete_all, solver
from tests.learners.bag_corpora import dense_rows, learnable


def test_separable_bags_are_learnt_without_mistakes_left():
    corpus = learnable(0, n_bags=60)
    epochs = list(Hoffmann(n_rounds=50).rounds([corpus]))
    assert epochs[-1].objective == 0
    scores = epochs[-1].scorer.of_corpus(corpus)
    assert (held(corpus, scores.best(corpus.offsets)) == corpus.gold).mean() > 0.95


def test_the_same_seed_gives_the_same_weights_and_another_seed_others():
    corpus = learnable(1, noise=0.7)
    first, again, other = (
        list(Hoffmann(n_rounds=3, seed=seed).rounds([corpus]))[-1].scorer.vector for seed in (0, 0, 1)
    )
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("inference", ["lp", "ilp"])
def test_programs_learn_separable_bags_too(inference):
    """Not the same weights: at the start all outputs tie, and each way breaks ties by itself."""
    corpus = learnable(0, n_bags=15)
    *_, last = Hoffmann(n_rounds=50, inference=inference).rounds([corpus])
    assert last.objective == 0
    scores = last.scorer.of_corpus(corpus)
    assert np.array_equal(scores.best(corpus.offsets, solver(inference)), scores.best(corpus.offsets))


def test_a_learnt_nil_has_weights_that_move_like_those_of_any_label():
    """Written out with weights for nil: what the scorer holds are the weights of labels over those of nil."""
    corpus = learnable(2, n_bags=12, noise=0.7, crowding=0.0)
    corpus = replace(corpus, bags=dense_rows(np.zeros((corpus.n_bags, 1))))
    rows = corpus.mentions.values.reshape(-1, corpus.mentions.n_columns).astype(np.float64)
    (now, late), time = np.zeros((2, rows.shape[1], corpus.n_labels + 1)), 1
    rng, no_price = np.random.default_rng(5), np.zeros((1, corpus.n_labels))
    for _ in range(3):
        for bag in rng.permutation(corpus.n_bags):
            own = rows[corpus.offsets[bag] : corpus.offsets[bag + 1]]
            scores = own @ now
            scores -= scores[:, :1]
            at = np.array([0, len(own)])
            found = solver("exact")(scores, no_price, at)
            right = complete_all(scores, corpus.gold[bag : bag + 1], at, no_price)
            if set(found[found > 0]) != set(right[right > 0]):
                for labels, step in ((right, 1.0), (found, -1.0)):
                    for row, label in zip(own, labels, strict=True):
                        now[:, label] += step * row
                        late[:, label] += time * step * row
            time += 1
    average = now - late / time
    *_, last = Hoffmann(n_rounds=3, seed=5, nil="learnt").rounds([corpus])
    np.testing.assert_allclose(last.scorer.mention_weights, average[:, 1:] - average[:, :1], atol=1e-4)
