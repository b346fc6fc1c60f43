"""The perceptron for bags with latent mention labels (MultiR; Hoffmann et al., ACL 2011, Figure 2).

Bag by bag: decode; where the labels that hold are not the gold ones, move the weights towards the best completion of
the gold labels and away from what was decoded. Weights are averaged over all bags seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from engine.learners.bags import BagCorpus, LinearBags
from engine.learners.margin.cccp import BagSettings
from engine.settings import setting
from engine.structures.bag import Solve, complete_all, solver


@dataclass(frozen=True, kw_only=True)
class Hoffmann(BagSettings):
    """Averaged perceptron over bags."""

    epochs: int = setting(20, "Passes over the bags.", low=1)


@dataclass(frozen=True, eq=False)
class Epoch:
    """The averaged scorer after a pass, and how many bags were decoded wrongly in it."""

    index: int
    mistakes: int
    scorer: LinearBags


def rounds(corpus: BagCorpus, settings: Hoffmann) -> Iterator[Epoch]:
    rng = np.random.default_rng(settings.seed)
    n_labels = corpus.n_labels
    mention_now = np.zeros((corpus.mentions.n_columns, n_labels), dtype=np.float32)
    bag_now = np.zeros((corpus.bags.n_columns, n_labels), dtype=np.float32)
    # Sum over time of w = t w - sum of (time of update) * update, so that averaging costs no more than updating.
    mention_late, bag_late = mention_now.astype(np.float64), bag_now.astype(np.float64)
    solve = solver(settings.inference)
    time = 1
    for index in range(settings.epochs):
        mistakes = 0
        for bag in rng.permutation(corpus.n_bags):
            mistakes += _learn(corpus, int(bag), mention_now, bag_now, mention_late, bag_late, time, solve)
            time += 1
        scorer = LinearBags(
            (mention_now - mention_late / time).astype(np.float32), (bag_now - bag_late / time).astype(np.float32)
        )
        yield Epoch(index, mistakes, scorer)
        if mistakes == 0:
            return


def _learn(
    corpus: BagCorpus,
    bag: int,
    mention_now: NDArray[np.float32],
    bag_now: NDArray[np.float32],
    mention_late: NDArray[np.float64],
    bag_late: NDArray[np.float64],
    time: int,
    solve: Solve,
) -> bool:
    """Decode one bag and update if it was wrong; whether it was."""
    first, last = int(corpus.offsets[bag]), int(corpus.offsets[bag + 1])
    if first == last:
        return False
    rows, bags = corpus.mentions, corpus.bags
    scores = np.zeros((last - first, corpus.n_labels + 1))
    prices = np.zeros((1, corpus.n_labels))
    share = corpus.shares[first]
    _score(rows.starts, rows.columns, rows.values, first, last, mention_now, share, scores[:, 1:])
    _score(bags.starts, bags.columns, bags.values, bag, bag + 1, bag_now, 1.0, prices)
    offsets = np.array([0, last - first], dtype=np.int64)
    found = solve(scores, prices, offsets)
    gold = np.flatnonzero(corpus.gold[bag]) + 1
    on = np.unique(found[found > 0])
    if np.array_equal(on, gold):
        return False
    right = complete_all(scores, corpus.gold[bag : bag + 1], offsets, prices)
    explained = np.unique(right[right > 0])
    if np.array_equal(on, explained):
        return False
    for labels, step in ((right, 1.0), (found, -1.0)):
        _move(rows.starts, rows.columns, rows.values, first, labels, step * share, mention_now, mention_late, time)
        held = explained if step > 0 else on
        for label in held:
            one = np.array([label], dtype=np.int64)
            _move(bags.starts, bags.columns, bags.values, bag, one, step, bag_now, bag_late, time)
    return True


@njit(cache=True, nogil=True)
def _score(starts, columns, values, first, last, weights, share, out):  # type: ignore[no-untyped-def]
    for row in range(first, last):
        for k in range(starts[row], starts[row + 1]):
            for label in range(weights.shape[1]):
                out[row - first, label] += share * values[k] * weights[columns[k], label]


@njit(cache=True, nogil=True)
def _move(starts, columns, values, first, labels, step, now, late, time):  # type: ignore[no-untyped-def]
    for position in range(len(labels)):
        label = labels[position] - 1
        if label < 0:
            continue
        row = first + position
        for k in range(starts[row], starts[row + 1]):
            change = step * values[k]
            now[columns[k], label] += change
            late[columns[k], label] += time * change
