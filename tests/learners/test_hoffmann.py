"""The perceptron for bags."""

from __future__ import annotations

import numpy as np
import pytest

from engine.learners.bags import held
from engine.learners.linear.hoffmann import Hoffmann
from engine.structures.bag import solver
from tests.learners.bag_corpora import learnable


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
