"""Bags with features, and the linear scorer that all learners of bags share.

A mention's label l scores row(mention) . W[:, l]; a label that holds for the pair adds row(bag) . V[:, l] (features of
the pair's names and the number of mentions; Haffari et al. mention such features, those of MIMLRE, as future work). The
weights are one vector, W then V, row by row, so that general optimisers can be used.

Nil has no weights: its score is one number. Positive bags contain no examples of nil, so nothing could be learnt about
it there (engine.learners.margin.bag_loss explains which number is used).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, Protocol

import numpy as np

from engine.arrays import Array, Flags, Floats, Ints, ShortInts, Singles
from engine.kernels import kernel
from engine.settings import Settings, setting
from engine.structures.bag import Labels, Solve, argmax_all, complete_all, held_labels


@dataclass(frozen=True, kw_only=True)
class BagSettings(Settings):
    """The settings that all learners of bags share."""

    bags: Literal["positive", "entire"] = setting(
        "positive",
        ("Train on bags that have a relation, as the paper does, or on all bags; scores count the same bags."),
    )
    least: int = setting(2, "Features seen in fewer mentions are left out.", low=1)
    bag_features: float = setting(1.0, "Length of the feature vector of a bag; 0 leaves it out.", low=0.0)
    crowding: float = setting(
        0.5,
        (
            "In a bag of n mentions, each mention has the weight n to the power of minus this: with 0, as in the paper,"
            " all mentions count equally; with 1, all bags do."
        ),
        low=0.0,
    )
    inference: Literal["exact", "lp", "ilp"] = setting(
        "exact",
        "How the best output of a bag is found: by exact search; lp: by the linear program, or the integer program if"
        " the solution is fractional; ilp: by the integer program. All find the best output; the programs are for"
        " comparison and thousands of times slower.",
    )


class SparseRows(Protocol):
    """Rows of features: row r has columns[starts[r]:starts[r + 1]] with their values."""

    @property
    def starts(self) -> Ints: ...
    @property
    def columns(self) -> ShortInts: ...
    @property
    def values(self) -> Singles: ...
    @property
    def n_columns(self) -> int: ...


class Sparse(NamedTuple):
    """Rows of features for compiled code."""

    starts: Ints
    columns: ShortInts
    values: Singles

    @classmethod
    def of(cls, rows: SparseRows) -> Sparse:
        return cls(rows.starts, rows.columns, rows.values)


@dataclass(frozen=True, eq=False)
class StackedRows:
    """Rows of several corpora one after another."""

    starts: Ints
    columns: ShortInts
    values: Singles
    n_columns: int

    @classmethod
    def of(cls, blocks: Sequence[SparseRows]) -> StackedRows:
        return cls(
            np.concatenate([[0], np.cumsum(np.concatenate([np.diff(rows.starts) for rows in blocks]))]),
            np.concatenate([rows.columns for rows in blocks]),
            np.concatenate([rows.values for rows in blocks]),
            blocks[0].n_columns,
        )

    @classmethod
    def part(cls, rows: SparseRows, first: int, last: int) -> StackedRows:
        """Rows [first, last)."""
        begin, end = int(rows.starts[first]), int(rows.starts[last])
        return cls(
            rows.starts[first : last + 1] - begin, rows.columns[begin:end], rows.values[begin:end], rows.n_columns
        )


@dataclass(frozen=True, eq=False)
class BagCorpus:
    """All bags of a corpus: mentions of bag b are rows offsets[b]:offsets[b + 1]; gold [bags, labels] flags."""

    mentions: SparseRows
    bags: SparseRows
    offsets: Ints
    gold: Flags
    crowding: float = 0.0
    """A mention of a bag of n counts n^-crowding: 1 makes all bags weigh the same, 0 all mentions (as in the paper)."""

    @property
    def n_bags(self) -> int:
        return len(self.offsets) - 1

    @property
    def n_labels(self) -> int:
        return int(self.gold.shape[1])

    @property
    def dim(self) -> int:
        return (self.mentions.n_columns + self.bags.n_columns) * self.n_labels

    @property
    def sizes(self) -> Ints:
        return np.diff(self.offsets)

    def part(self, first: int, last: int) -> BagCorpus:
        """Bags [first, last)."""
        begin, end = int(self.offsets[first]), int(self.offsets[last])
        return BagCorpus(
            StackedRows.part(self.mentions, begin, end),
            StackedRows.part(self.bags, first, last),
            self.offsets[first : last + 1] - begin,
            self.gold[first:last],
            self.crowding,
        )

    @cached_property
    def shares(self) -> Floats:
        """The weight of each mention."""
        return mention_shares(self.offsets, self.crowding)

    @cached_property
    def unexplained(self) -> int:
        """The number of gold labels that no output can have, because there are too few mentions."""
        return int(np.maximum(0, self.gold.sum(axis=1) - self.sizes).sum())


def join_bags(instances: Sequence[BagCorpus]) -> BagCorpus:
    """All bags as one corpus."""
    if not instances:
        raise ValueError("there is nothing to learn from")
    if len(instances) == 1:
        return instances[0]
    return BagCorpus(
        StackedRows.of([one.mentions for one in instances]),
        StackedRows.of([one.bags for one in instances]),
        np.concatenate([[0], np.cumsum(np.concatenate([one.sizes for one in instances]))]),
        np.concatenate([one.gold for one in instances]),
        instances[0].crowding,
    )


def mention_shares(offsets: Ints, crowding: float) -> Floats:
    sizes = np.diff(offsets)
    return np.repeat(np.maximum(sizes, 1).astype(np.float64) ** -crowding, sizes)


@dataclass(frozen=True, eq=False)
class BagScores:
    """Scores of a corpus: mentions [M, L + 1] with nil in column 0, labels [bags, L]."""

    mentions: Floats
    labels: Floats
    shares: Floats

    def best(self, offsets: Ints, solve: Solve = argmax_all) -> Labels:
        return solve(self.mentions, self.labels, offsets)

    def total(self, labels: Labels, held: Flags) -> float:
        """Score of an output of the whole corpus."""
        return float(self.mentions[np.arange(len(labels)), labels].sum() + self.labels[held].sum())

    def with_bias(self, bias: float) -> BagScores:
        """The scores with nil raised by the bias times the mention's weight."""
        if bias == 0.0:
            return self
        mentions = self.mentions.copy()
        mentions[:, 0] += bias * self.shares
        return BagScores(mentions, self.labels, self.shares)


@dataclass(frozen=True, eq=False)
class LinearBags:
    """Weights of mention features [columns, L] and of bag features [columns, L], and the score of nil for a mention."""

    mention_weights: Singles
    bag_weights: Singles
    nil: float = 0.0

    @classmethod
    def of(cls, weights: Singles, corpus: BagCorpus, nil: float) -> LinearBags:
        split = corpus.mentions.n_columns * corpus.n_labels
        return cls(
            np.ascontiguousarray(weights[:split], dtype=np.float32).reshape(-1, corpus.n_labels),
            np.ascontiguousarray(weights[split:], dtype=np.float32).reshape(-1, corpus.n_labels),
            nil,
        )

    @property
    def vector(self) -> Singles:
        return np.concatenate([self.mention_weights.ravel(), self.bag_weights.ravel()])

    def scores(self, mentions: SparseRows, bags: SparseRows, shares: Floats) -> BagScores:
        n_labels = self.mention_weights.shape[1]
        by_mention = np.zeros((len(mentions.starts) - 1, n_labels + 1))
        by_mention[:, 0] = self.nil
        _add_scores(Sparse.of(mentions), self.mention_weights, by_mention[:, 1:])
        by_mention *= shares[:, None]
        by_label = np.zeros((len(bags.starts) - 1, n_labels))
        _add_scores(Sparse.of(bags), self.bag_weights, by_label)
        return BagScores(by_mention, by_label, shares)

    def of_corpus(self, corpus: BagCorpus) -> BagScores:
        return self.scores(corpus.mentions, corpus.bags, corpus.shares)

    def to_parts(self) -> dict[str, Array]:
        return {
            "mention_weights": self.mention_weights,
            "bag_weights": self.bag_weights,
            "nil": np.array(self.nil),
        }

    @staticmethod
    def from_parts(parts: Mapping[str, Array]) -> LinearBags:
        return LinearBags(parts["mention_weights"], parts["bag_weights"], float(parts["nil"]))


def feature_sums(corpus: BagCorpus, labels: Labels, held: Flags) -> Singles:
    """Features of an output, in the order of the weights."""
    n_labels = corpus.n_labels
    sums = np.zeros(corpus.dim, dtype=np.float32)
    split = corpus.mentions.n_columns * n_labels
    _add_mentions(Sparse.of(corpus.mentions), corpus.shares, labels, sums[:split].reshape(-1, n_labels))
    _add_bags(Sparse.of(corpus.bags), held, sums[split:].reshape(-1, n_labels))
    return sums


def complete(corpus: BagCorpus, scores: BagScores) -> Labels:
    """Best mention labels that explain the gold labels: h* of equation 12."""
    return complete_all(scores.mentions, corpus.gold, corpus.offsets, scores.labels)


def held(corpus: BagCorpus, labels: Labels) -> Flags:
    return held_labels(labels, corpus.offsets, corpus.n_labels)


@kernel
def _add_scores(rows: Sparse, weights: Singles, out: Floats) -> None:
    starts, columns, values = rows
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


@kernel
def _add_mentions(rows: Sparse, shares: Floats, labels: Labels, out: Singles) -> None:
    starts, columns, values = rows
    for row in range(len(starts) - 1):
        label = labels[row] - 1
        if label >= 0:
            for k in range(starts[row], starts[row + 1]):
                out[columns[k], label] += values[k] * shares[row]


@kernel
def _add_bags(rows: Sparse, held: Flags, out: Singles) -> None:
    starts, columns, values = rows
    for row in range(len(starts) - 1):
        for label in range(held.shape[1]):
            if held[row, label]:
                for k in range(starts[row], starts[row + 1]):
                    out[columns[k], label] += values[k]
