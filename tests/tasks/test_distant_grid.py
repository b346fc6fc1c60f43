"""The (FP, FN) grid of the page against every output of small corpora."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest

from engine.learners.bags import LinearBags, held
from engine.learners.margin.cccp import MaxMarginF, loss_of
from engine.tasks.distant.grid import ceiling_of, climb, counts
from engine.tasks.distant.training.loss import searched
from tests.learners.bag_corpora import learnable


def small(seed):
    """A corpus of three bags and scores for it; some bags have more gold labels than mentions."""
    rng = np.random.default_rng(seed)
    plain = learnable(seed, n_bags=3, n_labels=2)
    corpus = dataclasses.replace(plain, gold=plain.gold | (rng.random(plain.gold.shape) < 0.3))
    scores = LinearBags.of(rng.normal(size=corpus.dim).astype(np.float32), corpus, 0.3).of_corpus(corpus)
    return corpus, scores


def best_by_counts(corpus, scores, loss):
    """(FP, FN) -> the largest loss + score of an output with these counts."""
    best = {}
    for labels in itertools.product(range(corpus.n_labels + 1), repeat=int(corpus.offsets[-1])):
        mine = np.array(labels, dtype=np.int64)
        on = held(corpus, mine)
        at = counts(corpus, on)
        best[at] = max(best.get(at, -np.inf), scores.total(mine, on) + loss(*at))
    return best


@pytest.mark.parametrize("seed", range(6))
def test_no_output_is_worth_more_than_its_cell_says(seed):
    corpus, scores = small(seed)
    settings = MaxMarginF(beta=0.4, mix=0.3)
    loss = loss_of(settings, corpus)
    over = ceiling_of(corpus, scores, loss)
    outputs = best_by_counts(corpus, scores, loss)
    slack = {at: over.value(*at) - value for at, value in outputs.items()}
    assert min(slack.values()) == pytest.approx(0.0, abs=1e-6), "an output that a pass found touches its cell"
    trace = searched(corpus, scores, settings)
    assert trace.worst_value == pytest.approx(outputs[trace.worst])
    assert trace.worst_value <= max(outputs.values()) + 1e-6 <= trace.worst_value + trace.two_prices_gap + 2e-6
    assert trace.predicted[0] >= 0 and trace.predicted[1] >= 0, "labels that no output could have count nowhere"


def test_the_star_is_the_worst_output_of_most_corpora():
    worst = [
        (
            searched(corpus, scores, MaxMarginF()).worst_value,
            best_by_counts(corpus, scores, loss_of(MaxMarginF(), corpus)),
        )
        for corpus, scores in map(small, range(10))
    ]
    assert sum(found == pytest.approx(max(outputs.values())) for found, outputs in worst) >= 8


def test_climbing_doubles_its_steps_and_stays_on_the_hill_it_finds():
    def two_hills(fp, fn):
        return max(10.0 - abs(fp - 40) - fn, 5.0 - abs(fp - 3) - fn)

    assert climb(two_hills, 60, 9, (30, 4))[-1] == (40, 0)
    stuck = climb(two_hills, 60, 9, (2, 0))
    assert stuck == ((2, 0), (3, 0)), "the hill at 40 is no power of two away"
    assert climb(lambda fp, fn: float(fp), 64, 9, (0, 0)) == ((0, 0), (64, 0))
