"""Laws of latent max-margin learning of bags."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest
from scipy.optimize import minimize

from engine.learners.bags import LinearBags, feature_sums, held
from engine.learners.margin.augmented import augmented, decompose
from engine.learners.margin.bag_loss import Loss
from engine.learners.margin.cccp import MaxMarginF, MaxMarginHamming, loss_of, nil_factor
from engine.learners.margin.searched import Whole
from engine.structures.bag import complete_all, solver
from tests.learners.bag_corpora import crowded, dense_rows, learnable

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
    found = augmented(Whole(corpus, scores), loss, None)
    assert found.score + loss(found.fp, found.fn) == pytest.approx(exhaustive_worst(corpus, scores, loss))


@pytest.mark.parametrize("inference", ["lp", "ilp"])
def test_programs_learn_the_same_as_the_exact_search(inference):
    """The inner problem has one solution, whichever of equally bad outputs the planes were made of."""
    corpus = learnable(3, n_bags=3, n_labels=2, noise=0.5)
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
    exact = decompose(Whole(corpus, scores), loss, settings)
    other = decompose(Whole(corpus, scores, solver(inference)), loss, settings)
    assert np.array_equal(other.proposal.labels, exact.proposal.labels)
    assert (other.value, other.bound) == pytest.approx((exact.value, exact.bound))


@pytest.mark.parametrize("decomposition", ["two-prices", "per-label"])
@pytest.mark.parametrize("seed", range(5))
def test_the_f_loss_is_augmented_within_its_bound(seed, decomposition):
    corpus = learnable(seed, n_bags=3, n_labels=2)
    scores = random_scores(corpus, seed)
    loss = Loss(3, beta=0.7, mix=0.4)
    settings = MaxMarginF(beta=0.7, mix=0.4, decomposition=decomposition, probes=60)
    agreement = decompose(Whole(corpus, scores), loss, settings)
    best = exhaustive_worst(corpus, scores, loss)
    assert agreement.value <= best + 1e-9 <= agreement.bound + 2e-9
    if agreement.certified:
        assert agreement.value == pytest.approx(best, rel=2e-3)


@pytest.mark.parametrize("decomposition", ["two-prices", "per-label"])
@pytest.mark.parametrize("seed", range(5))
def test_bags_with_more_gold_labels_than_mentions_are_augmented_within_their_bound(seed, decomposition):
    corpus = crowded(seed)
    assert corpus.unexplained > 0
    settings = MaxMarginF(beta=0.7, mix=0.4, decomposition=decomposition, probes=60)
    scores, loss = random_scores(corpus, seed), loss_of(settings, corpus)
    agreement = decompose(Whole(corpus, scores), loss, settings)
    best = exhaustive_worst(corpus, scores, loss)
    assert agreement.value <= best + 1e-9 <= agreement.bound + 2e-9


def test_loss_and_bags_meet_where_labels_outnumber_mentions():
    """Were the loss to know labels that no output can have, its bound would stay away from every output."""
    certified = 0
    for seed in range(12):
        corpus = crowded(seed)
        settings = MaxMarginF(beta=0.7, mix=0.2, decomposition="per-label", probes=60)
        agreement = decompose(Whole(corpus, random_scores(corpus, seed)), loss_of(settings, corpus), settings)
        certified += agreement.certified
    assert certified > 6


@pytest.mark.parametrize("seed", range(4))
def test_exhaustive_search_of_the_grid_learns_what_the_exact_search_learns(seed):
    corpus = crowded(seed, n_bags=12)
    settings = MaxMarginF(n_rounds=2, planes=12, C=1.0, mix=0.5)
    *_, exact = settings.rounds([corpus])
    *_, other = dataclasses.replace(settings, search="exhaustive").rounds([corpus])
    assert other.scorer.vector == pytest.approx(exact.scorer.vector)


def with_nil_weights(corpus, good, C, price):
    """The least of the same objective where nil is a label with weights, from all outputs of every bag."""
    width, n_labels = corpus.mentions.n_columns, corpus.n_labels
    rows = corpus.mentions.values.reshape(-1, width)
    n_weights = width * (n_labels + 1)

    def features(first, labels):
        sums = np.zeros((n_labels + 1, width))
        for k, label in enumerate(labels):
            sums[label] += rows[first + k]
        return sums.ravel()

    bags = []
    for bag in range(corpus.n_bags):
        first, last = corpus.offsets[bag], corpus.offsets[bag + 1]
        right = features(first, good[first:last])
        impossible = max(0, int(corpus.gold[bag].sum()) - int(last - first))
        outputs = []
        for labels in itertools.product(range(n_labels + 1), repeat=int(last - first)):
            on = np.isin(np.arange(1, n_labels + 1), labels)
            wrong = int((on != corpus.gold[bag]).sum()) - impossible
            outputs.append((features(first, labels) - right, price * wrong))
        bags.append(outputs)

    def gap(x, bag, k):
        direction, loss = bags[bag][k]
        return x[n_weights + bag] - loss - direction @ x[:n_weights]

    limits = [
        {"type": "ineq", "fun": gap, "args": (bag, k)} for bag, outputs in enumerate(bags) for k in range(len(outputs))
    ]
    start = np.concatenate([np.zeros(n_weights), np.full(corpus.n_bags, 10.0)])
    found = minimize(
        lambda x: 0.5 * x[:n_weights] @ x[:n_weights] + C * x[n_weights:].sum(),
        start,
        constraints=limits,
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-12},
    )
    assert found.success
    weights = found.x[:n_weights].reshape(n_labels + 1, width)
    return found.fun, (weights[1:] - weights[0]).T


def test_nil_scores_higher_in_prediction_the_more_relations_may_beat_it():
    assert nil_factor(MaxMarginF(caution=1.25), 10) == pytest.approx(1.25)
    assert nil_factor(MaxMarginF(caution=1.25), 100) == pytest.approx(1.5)
    assert nil_factor(MaxMarginF(caution=1.25), 1) == 1.0
    assert nil_factor(MaxMarginF(caution=1.0), 40) == 1.0
    assert nil_factor(MaxMarginF(caution=0.0), 1000) == 0.0, "never below 0"
    assert nil_factor(MaxMarginF(caution=1.25, bags="entire"), 10) == 1.0, "nil bags are examples of nil"


def test_the_scorer_of_a_round_has_the_nil_of_prediction():
    corpus = learnable(0)
    settings = MaxMarginF(beta=0.4, caution=1.5, **SMALL)
    *_, last = settings.rounds([corpus])
    assert last.scorer.nil == pytest.approx(0.4 * (1 + 0.5 * np.log10(corpus.n_labels)))


@pytest.mark.parametrize("seed", range(3))
def test_a_learnt_nil_is_a_label_with_weights_that_the_penalty_counts(seed):
    corpus = crowded(seed, n_bags=3, n_labels=2)
    corpus = dataclasses.replace(corpus, bags=dense_rows(np.zeros((3, 1))))
    settings = MaxMarginHamming(nil="learnt", n_rounds=1, planes=400, C=0.7, tolerance=1e-7, caution=1.0)
    good = complete_all(np.array([[-1.0, 0, 0]] * int(corpus.offsets[-1])), corpus.gold, corpus.offsets)
    (found,) = settings.rounds([corpus])
    least, over_nil = with_nil_weights(corpus, good, 0.7, 0.5)
    assert found.primal == pytest.approx(least, rel=1e-4)
    np.testing.assert_allclose(found.scorer.mention_weights, over_nil, atol=2e-2)


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
    base = MaxMarginF(mix=1.0, C=1.0, n_rounds=1, planes=100, tolerance=1e-3)
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


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"n_rounds": 1, "planes": 2}, "raise planes"),
        ({"n_rounds": 1, "planes": 300}, "raise n_rounds"),
        ({"n_rounds": 40, "planes": 300}, None),
    ],
)
def test_a_training_that_stops_before_it_is_solved_says_what_to_raise(changes, words):
    rounds = list(MaxMarginHamming(C=1.0, start="one", **changes).rounds([learnable(1, noise=0.9)]))
    assert all(one.unsolved == "" for one in rounds[:-1])
    assert (words in rounds[-1].unsolved) if words else rounds[-1].unsolved == ""
