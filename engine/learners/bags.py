"""Bags with features, and the linear scorer that all learners of this structure share.

A mention's label l scores row(mention) . W[:, l]; a label that holds for the pair adds row(bag) . V[:, l] (what the
pair's names and the number of mentions say of it: Haffari et al. name such features, those of MIMLRE, as future work).
The weights are one vector, W then V, row by row, so that general optimisers can be used.

Nil has no weights: its score is one number. Positive bags never show nil, so nothing could be learnt of it there
(engine.learners.margin.cccp says which number is used).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numba import njit
from numpy.typing import NDArray

from engine.structures.bag import Labels, Solve, argmax_all, complete_all, held_labels


class SparseRows(Protocol):
    """Rows of features: row r has columns[starts[r]:starts[r + 1]] with their values."""

    @property
    def starts(self) -> NDArray[np.int64]: ...
    @property
    def columns(self) -> NDArray[np.int32]: ...
    @property
    def values(self) -> NDArray[np.float32]: ...
    @property
    def n_columns(self) -> int: ...


@dataclass(frozen=True, eq=False)
class BagCorpus:
    """All bags of a corpus: mentions of bag b are rows offsets[b]:offsets[b + 1]; gold [bags, labels] flags."""

    mentions: SparseRows
    bags: SparseRows
    offsets: NDArray[np.int64]
    gold: NDArray[np.bool_]
    crowding: float = 0.0
    """A mention of a bag of n counts n^-crowding: 1 makes all bags weigh the same, 0 all mentions (as in the paper)."""

    @property
    def n_bags(self) -> int:
        return len(self.offsets) - 1

    @property
    def n_labels(self) -> int:
        return self.gold.shape[1]

    @property
    def dim(self) -> int:
        return (self.mentions.n_columns + self.bags.n_columns) * self.n_labels

    @property
    def sizes(self) -> NDArray[np.int64]:
        return np.diff(self.offsets)

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """What each mention counts."""
        return mention_shares(self.offsets, self.crowding)

    @cached_property
    def unexplained(self) -> int:
        """Gold labels that no output can have, for want of mentions."""
        return int(np.maximum(0, self.gold.sum(axis=1) - self.sizes).sum())


def mention_shares(offsets: NDArray[np.int64], crowding: float) -> NDArray[np.float64]:
    sizes = np.diff(offsets)
    return np.repeat(np.maximum(sizes, 1).astype(np.float64) ** -crowding, sizes)


@dataclass(frozen=True, eq=False)
class BagScores:
    """Scores of a corpus: mentions [M, L + 1] with nil in column 0, labels [bags, L]."""

    mentions: NDArray[np.float64]
    labels: NDArray[np.float64]
    shares: NDArray[np.float64]

    def best(self, offsets: NDArray[np.int64], solve: Solve = argmax_all) -> Labels:
        return solve(self.mentions, self.labels, offsets)

    def total(self, labels: Labels, held: NDArray[np.bool_]) -> float:
        """Score of an output of the whole corpus."""
        return float(self.mentions[np.arange(len(labels)), labels].sum() + self.labels[held].sum())

    def with_bias(self, bias: float) -> BagScores:
        """Nil raised by the bias, as much as the mention counts."""
        if bias == 0.0:
            return self
        mentions = self.mentions.copy()
        mentions[:, 0] += bias * self.shares
        return BagScores(mentions, self.labels, self.shares)


@dataclass(frozen=True, eq=False)
class LinearBags:
    """Weights of mention features [columns, L] and of bag features [columns, L], and the score of nil for a mention."""

    mention_weights: NDArray[np.float32]
    bag_weights: NDArray[np.float32]
    nil: float = 0.0

    @classmethod
    def of(cls, weights: NDArray[np.float32], corpus: BagCorpus, nil: float) -> LinearBags:
        split = corpus.mentions.n_columns * corpus.n_labels
        return cls(
            np.ascontiguousarray(weights[:split], dtype=np.float32).reshape(-1, corpus.n_labels),
            np.ascontiguousarray(weights[split:], dtype=np.float32).reshape(-1, corpus.n_labels),
            nil,
        )

    @property
    def vector(self) -> NDArray[np.float32]:
        return np.concatenate([self.mention_weights.ravel(), self.bag_weights.ravel()])

    def scores(self, mentions: SparseRows, bags: SparseRows, shares: NDArray[np.float64]) -> BagScores:
        n_labels = self.mention_weights.shape[1]
        by_mention = np.zeros((len(mentions.starts) - 1, n_labels + 1))
        by_mention[:, 0] = self.nil
        _add_scores(mentions.starts, mentions.columns, mentions.values, self.mention_weights, by_mention[:, 1:])
        by_mention *= shares[:, None]
        by_label = np.zeros((len(bags.starts) - 1, n_labels))
        _add_scores(bags.starts, bags.columns, bags.values, self.bag_weights, by_label)
        return BagScores(by_mention, by_label, shares)

    def of_corpus(self, corpus: BagCorpus) -> BagScores:
        return self.scores(corpus.mentions, corpus.bags, corpus.shares)


def feature_sums(corpus: BagCorpus, labels: Labels, held: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Features of an output, in the order of the weights."""
    n_labels = corpus.n_labels
    sums = np.zeros(corpus.dim, dtype=np.float32)
    split = corpus.mentions.n_columns * n_labels
    rows, bags = corpus.mentions, corpus.bags
    _add_mentions(rows.starts, rows.columns, rows.values, corpus.shares, labels, sums[:split].reshape(-1, n_labels))
    _add_bags(bags.starts, bags.columns, bags.values, held, sums[split:].reshape(-1, n_labels))
    return sums


def complete(corpus: BagCorpus, scores: BagScores) -> Labels:
    """Best mention labels that explain the gold labels: h* of equation 12."""
    return complete_all(scores.mentions, corpus.gold, corpus.offsets, scores.labels)


def held(corpus: BagCorpus, labels: Labels) -> NDArray[np.bool_]:
    return held_labels(labels, corpus.offsets, corpus.n_labels)


@njit(cache=True, nogil=True)
def _add_scores(starts, columns, values, weights, out):  # type: ignore[no-untyped-def]
    n_labels = weights.shape[1]
    total = np.empty(n_labels, dtype=np.float64)
    for row in range(len(starts) - 1):
        total[:] = 0.0
        for k in range(starts[row], starts[row + 1]):
            value = values[k]
            weight = weights[columns[k]]
            for label in range(n_labels):
                total[label] += value * weight[label]
        for label in range(n_labels):
            out[row, label] += total[label]


@njit(cache=True, nogil=True)
def _add_mentions(starts, columns, values, shares, labels, out):  # type: ignore[no-untyped-def]
    for row in range(len(starts) - 1):
        label = labels[row] - 1
        if label >= 0:
            for k in range(starts[row], starts[row + 1]):
                out[columns[k], label] += values[k] * shares[row]


@njit(cache=True, nogil=True)
def _add_bags(starts, columns, values, held, out):  # type: ignore[no-untyped-def]
    for row in range(len(starts) - 1):
        for label in range(held.shape[1]):
            if held[row, label]:
                for k in range(starts[row], starts[row + 1]):
                    out[columns[k], label] += values[k]
