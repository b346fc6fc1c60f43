"""The perceptron for bags with latent mention labels (MultiR; Hoffmann et al., ACL 2011, Figure 2).

For each bag: decode; if the labels that hold are not the gold ones, move the weights towards the best completion of the
gold labels and away from the decoded output. Weights are averaged over all bags seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from engine.arrays import Floats, Int, Ints, Singles
from engine.kernels import kernel
from engine.learners.bags import BagCorpus, BagSettings, LinearBags, Sparse, join_bags
from engine.learners.base import Round, Saved
from engine.learners.training import Training, rng_from, rng_parts
from engine.settings import setting
from engine.structures.bag import Labels, complete_all, solver


@dataclass(frozen=True, kw_only=True)
class Hoffmann(BagSettings):
    """Averaged perceptron over bags."""

    n_rounds: int = setting(20, "Passes over the bags.", low=1, formerly=("epochs",))
    nil: Literal["zero", "learnt"] = setting("zero", "What nil scores: 0, or by weights of its own, as in the paper.")

    def rounds(self, instances: Sequence[BagCorpus], *, resume: Saved | None = None) -> Iterator[Round[LinearBags]]:
        """One round per pass; the objective is the number of bags that were decoded wrongly during the pass."""
        yield from _Passes(self, join_bags(instances)).rounds(self.n_rounds, resume)


class _Moving(NamedTuple):
    """Weights [columns, labels] and the sums for averaging: the sum over time of w is t w - sum of (time of update) *
    update, so that averaging costs no more than updating."""

    now: Singles
    late: Floats

    @classmethod
    def zeros(cls, n_columns: int, n_labels: int) -> _Moving:
        return cls(np.zeros((n_columns, n_labels), np.float32), np.zeros((n_columns, n_labels)))

    def average(self, time: int) -> Singles:
        return (self.now - self.late / time).astype(np.float32)


class _Passes(Training[Round[LinearBags]]):
    kind: ClassVar[str] = "hoffmann"

    def __init__(self, settings: Hoffmann, corpus: BagCorpus) -> None:
        super().__init__()
        self._corpus = corpus
        self._mentions = _Moving.zeros(corpus.mentions.n_columns, corpus.n_labels)
        self._bags = _Moving.zeros(corpus.bags.n_columns, corpus.n_labels)
        self._rng = np.random.default_rng(settings.seed)
        self._solve = solver(settings.inference)
        self._nil_learns = settings.nil == "learnt"
        self._time = 1

    @property
    def size(self) -> tuple[int, ...]:
        return (self._corpus.n_bags, int(self._corpus.offsets[-1]), self._corpus.dim)

    def step(self) -> Round[LinearBags]:
        mistakes = 0
        for bag in self._rng.permutation(self._corpus.n_bags):
            mistakes += self._learn(int(bag))
            self._time += 1
        self.finished = mistakes == 0
        scorer = LinearBags(self._mentions.average(self._time), self._bags.average(self._time))
        return Round(self.done, float(mistakes), scorer)

    def _learn(self, bag: int) -> bool:
        """Decode one bag and update if it was wrong; returns whether it was."""
        corpus = self._corpus
        first, last = int(corpus.offsets[bag]), int(corpus.offsets[bag + 1])
        if first == last:
            return False
        scores = np.zeros((last - first, corpus.n_labels + 1))
        prices = np.zeros((1, corpus.n_labels))
        share = float(corpus.shares[first])
        _score(Sparse.of(corpus.mentions), first, last, self._mentions.now, share, scores[:, 1:])
        _score(Sparse.of(corpus.bags), bag, bag + 1, self._bags.now, 1.0, prices)
        offsets = np.array([0, last - first], dtype=np.int64)
        found = self._solve(scores, prices, offsets)
        gold = np.flatnonzero(corpus.gold[bag]) + 1
        on = np.unique(found[found > 0])
        if np.array_equal(on, gold):
            return False
        right = complete_all(scores, corpus.gold[bag : bag + 1], offsets, prices)
        explained = np.unique(right[right > 0])
        if np.array_equal(on, explained):
            return False
        self._update(bag, right, explained, 1.0)
        self._update(bag, found, on, -1.0)
        return True

    def _update(self, bag: int, labels: Labels, on: Ints, step: float) -> None:
        """Move the weights along the features of one output of a bag: its mention labels, and those that hold."""
        corpus = self._corpus
        first = int(corpus.offsets[bag])
        share = float(corpus.shares[first])
        mentions = Sparse.of(corpus.mentions)
        _move(mentions, first, labels, step * share, self._mentions, self._time, self._nil_learns)
        for label in on:
            one = np.array([label], dtype=np.int64)
            _move(Sparse.of(corpus.bags), bag, one, step, self._bags, self._time, False)

    def save(self) -> Saved:
        return {
            "mention_now": self._mentions.now.copy(),
            "mention_late": self._mentions.late.copy(),
            "bag_now": self._bags.now.copy(),
            "bag_late": self._bags.late.copy(),
            "time": np.array(self._time),
            "rng": rng_parts(self._rng),
        }

    def restore(self, saved: Saved) -> None:
        self._mentions = _Moving(saved["mention_now"].copy(), saved["mention_late"].copy())
        self._bags = _Moving(saved["bag_now"].copy(), saved["bag_late"].copy())
        self._time, self._rng = int(saved["time"]), rng_from(saved["rng"])


@kernel
def _score(rows: Sparse, first: Int, last: Int, weights: Singles, share: float, out: Floats) -> None:
    """Scores of rows [first, last) under all labels."""
    starts, columns, values = rows
    for row in range(first, last):
        for k in range(starts[row], starts[row + 1]):
            for label in range(weights.shape[1]):
                out[row - first, label] += share * values[k] * weights[columns[k], label]


@kernel
def _move(rows: Sparse, first: Int, labels: Labels, step: float, weights: _Moving, time: Int, nil_learns: bool) -> None:
    """Add a multiple of the rows from `first` on to the weights of their labels. Weights are relative to nil, so if nil
    is learnt, an increase of nil lowers those of all labels."""
    starts, columns, values = rows
    now, late = weights
    for position in range(len(labels)):
        label = labels[position] - 1
        if label < 0 and not nil_learns:
            continue
        row = first + position
        for k in range(starts[row], starts[row + 1]):
            change = step * values[k]
            if label >= 0:
                now[columns[k], label] += change
                late[columns[k], label] += time * change
            else:
                for other in range(now.shape[1]):
                    now[columns[k], other] -= change
                    late[columns[k], other] -= time * change
