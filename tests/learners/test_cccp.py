"""Laws of latent max-margin learning of bags."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest

from engine.learners.bags import LinearBags, feature_sums, held
from engine.learners.margin.augmented import augmented, decompose
from engine.learners.margin.bag_loss import Loss
from engine.learners.margin.cccp import MaxMarginF, MaxMarginHamming
from engine.structures.bag import solver
from tests.learners.bag_corpora import learnable

SMALL = {"n_rounds": 4, "planes": 60, "C": 1.0, "tolerance": 1e-4}


def exhaustive_worst(corpus, scores, loss):
    """max over all outputs of score + loss, for a corpus of a few mentions."""
    best = -np.inf
    for labels in itertools.product(range(corpus.n_labels + 1), repeat=int(corpus.offsets[-1])):
        mine = np.array(labels, dtype=np.int64)
        on = held(corpus, mine)
        fp, fn = int((on & ~corpus.gold).sum()), int((corpus.gold & ~on).sum()) - corpus.unexplained
        best = max(best, scores.total(mine, on) + loss(fp, fn))
    return best


def random_scores(corpus, seed):
    rng = np.random.default_rng(seed)
    return LinearBags.of(rng.normal(size=corpus.dim).astype(np.float32), corpus, 0.3).of_corpus(corpus)


@pytest.mark.parametrize("seed", range(5))
def test_additive_losses_are_augmented_exactly(seed):
    corpus = learnable(seed, n_bags=3, n_labels=2)
    scores = random_scores(corpus, seed)
    loss = Loss(3, beta=0.7, mix=1.0)
    found = augmented(corpus, scores, loss, None)
    assert found.score + loss(found.fp, found.fn) == pytest.approx(exhaustive_worst(corpus, scores, loss))


@pytest.mark.parametrize("inference", ["lp", "ilp"])
def test_programs_learn_the_same_as_the_exact_search(inference):
    """The inner problem has one solution, whichever of equally bad outputs the planes were made of."""
    corpus = learnable(3, n_bags=8, n_labels=2, noise=0.5)
    settings = MaxMarginHamming(n_rounds=1, planes=200, C=1.0, tolerance=1e-6)
    (exact,) = settings.rounds([corpus])
    (other,) = dataclasses.replace(settings, inference=inference).rounds([corpus])
    assert other.objective == pytest.approx(exact.objective, rel=1e-4)
    assert other.scorer.vector == pytest.approx(exact.scorer.vector, abs=5e-3)
    assert exact.integral is None and other.integral == (1.0 if inference == "lp" else None)


@pytest.mark.parametrize("decomposition", ["two-prices", "per-label"])
@pytest.mark.parametrize("inference", ["lp", "ilp"])
def test_programs_find_the_same_worst_output(inference, decomposition):
    corpus = learnable(1, n_bags=5, n_labels=2)
    scores, loss = random_scores(corpus, 1), Loss(5, beta=0.7, mix=0.4)
    settings = MaxMarginF(beta=0.7, mix=0.4, decomposition=decomposition, probes=8)
    exact = decompose(corpus, scores, loss, settings)
    other = decompose(corpus, scores, loss, settings, solve=solver(inference))
    assert np.array_equal(other.proposal, exact.proposal)
    assert (other.value, other.bound) == pytest.approx((exact.value, exact.bound))


@pytest.mark.parametrize("decomposition", ["two-prices", "per-label"])
@pytest.mark.parametrize("seed", range(5))
def test_the_f_loss_is_augmented_within_its_bound(seed, decomposition):
    corpus = learnable(seed, n_bags=3, n_labels=2)
    scores = random_scores(corpus, seed)
    loss = Loss(3, beta=0.7, mix=0.4)
    settings = MaxMarginF(beta=0.7, mix=0.4, decomposition=decomposition, probes=60)
    agreement = decompose(corpus, scores, loss, settings)
    best = exhaustive_worst(corpus, scores, loss)
    assert agreement.value <= best + 1e-9 <= agreement.bound + 2e-9
    if agreement.certified:
        assert agreement.value == pytest.approx(best, rel=2e-3)


@pytest.mark.parametrize(
    "settings",
    [MaxMarginHamming(**SMALL), MaxMarginF(mix=1.0, beta=0.8, **SMALL), MaxMarginHamming(start="one", **SMALL)],
    ids=["hamming", "weighted", "one mention per label"],
)
@pytest.mark.parametrize("seed", range(3))
def test_the_objective_never_rises(settings, seed):
    rounds = list(settings.rounds([learnable(seed, noise=0.6)]))
    objectives = [one.objective for one in rounds]
    assert all(b <= a + 1e-4 * abs(a) for a, b in itertools.pairwise(objectives))
    assert all(one.dual <= one.primal + 1e-6 for one in rounds)


@pytest.mark.parametrize("seed", range(3))
def test_the_objective_of_the_f_loss_never_rises(seed):
    settings = MaxMarginF(mix=0.5, probes=40, **SMALL)
    objectives = [one.objective for one in settings.rounds([learnable(seed, noise=0.6)])]
    assert all(b <= a + 1e-3 * abs(a) for a, b in itertools.pairwise(objectives))


@pytest.mark.parametrize("settings", [MaxMarginHamming(C=10.0), MaxMarginF(C=10.0)], ids=["hamming", "f"])
def test_what_one_mention_says_is_learnt(settings):
    corpus = learnable(0, n_bags=60)
    *_, last = settings.rounds([corpus])
    scores = last.scorer.of_corpus(corpus)
    assert (held(corpus, scores.best(corpus.offsets)) == corpus.gold).mean() > 0.98


def test_a_higher_beta_never_trains_a_model_that_says_more_on_noisy_bags():
    corpus = learnable(4, n_bags=80, noise=0.8)
    said = []
    for beta in (0.1, 0.5, 0.9):
        *_, last = MaxMarginF(beta=beta, mix=1.0, C=1.0).rounds([corpus])
        fresh = learnable(5, n_bags=200, noise=0.8)
        scores = last.scorer.of_corpus(fresh)
        said.append(int(held(fresh, scores.best(fresh.offsets)).sum()))
    assert said[0] > said[1] > said[2]


def test_resuming_with_another_beta_reaches_the_same_objective_as_starting_afresh():
    corpus = learnable(2, noise=0.5)
    base = MaxMarginF(mix=1.0, C=1.0, n_rounds=1, planes=200, tolerance=1e-5)
    *_, old = base.rounds([corpus])
    other = dataclasses.replace(base, beta=0.8, n_rounds=6)
    *_, fresh = other.rounds([corpus])
    *_, resumed = other.rounds([corpus], warm=old.warm)
    assert resumed.objective == pytest.approx(fresh.objective, rel=0.05)


def test_feature_sums_are_the_gradient_of_the_score():
    corpus = learnable(1, n_bags=5)
    rng = np.random.default_rng(0)
    weights = rng.normal(size=corpus.dim).astype(np.float32)
    labels = rng.integers(0, corpus.n_labels + 1, int(corpus.offsets[-1])).astype(np.int64)
    on = held(corpus, labels)
    scores = LinearBags.of(weights, corpus, 0.25).of_corpus(corpus)
    fixed = 0.25 * corpus.shares[labels == 0].sum()
    assert scores.total(labels, on) == pytest.approx(
        float(weights @ feature_sums(corpus, labels, on)) + fixed, abs=1e-4
    )


def test_the_same_seed_gives_the_same_weights():
    corpus = learnable(3)
    runs = [list(MaxMarginF(**SMALL).rounds([corpus]))[-1].scorer.vector for _ in range(2)]
    assert np.array_equal(*runs)
