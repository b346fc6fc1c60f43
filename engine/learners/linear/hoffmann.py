"""The perceptron for bags with latent mention labels (MultiR; Hoffmann et al., ACL 2011, Figure 2).

For each bag: decode; if the labels that hold are not the gold ones, move the weights towards the best completion of the
gold labels and away from the decoded output. Weights are averaged over all bags seen. With several shards, each pass
learns them side by side and averages their weights (engine/learners/mixing.py).
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
from engine.learners.mixing import Learnt, Mixing, mix, orders_of, shards_of
from engine.learners.training import Training, rng_from, rng_parts
from engine.settings import setting
from engine.structures.bag import Labels, complete_all, solver
from engine.workers.crews import ALONE, Crew, Keepers


@dataclass(frozen=True, kw_only=True)
class Hoffmann(Mixing, BagSettings):
    """Averaged perceptron over bags."""

    n_rounds: int = setting(20, "Passes over the bags.", low=1, formerly=("epochs",))
    nil: Literal["zero", "learnt"] = setting("zero", "What nil scores: 0, or by weights of its own, as in the paper.")

    def rounds(
        self, instances: Sequence[BagCorpus], *, resume: Saved | None = None, crew: Crew = ALONE
    ) -> Iterator[Round[LinearBags]]:
        """One round per pass; the objective is the number of bags that were decoded wrongly during the pass.

        With one shard the crew has nothing to do: each bag is learnt with the weights that the previous one left.
        """
        yield from _Passes(self, join_bags(instances), crew).rounds(self.n_rounds, resume)


class _Moving(NamedTuple):
    """Weights [columns, labels] and the sums for averaging: the sum over time of w is t w - sum of (time of update) *
    update, so that averaging costs no more than updating."""

    now: Singles
    late: Floats

    @classmethod
    def begin(cls, weights: Singles) -> _Moving:
        return cls(weights.copy(), np.zeros(weights.shape))

    def average(self, time: int) -> Singles:
        return (self.now - self.late / time).astype(np.float32)

    def learnt(self, n_bags: int) -> Learnt:
        """What a pass over so many bags made of the weights with which it began at time 0."""
        return Learnt(self.now, n_bags * self.now.astype(np.float64) - self.late)

    def mixed(self, told: Sequence[Learnt], time: int, n_bags: int) -> _Moving:
        return _Moving(*mix(self.now, self.late, time, told, n_bags))


class _Learning:
    """Weights that are learnt bag by bag."""

    def __init__(self, settings: Hoffmann, corpus: BagCorpus, mentions: _Moving, bags: _Moving, time: int) -> None:
        self._corpus, self.mentions, self.bags, self.time = corpus, mentions, bags, time
        self._solve = solver(settings.inference)
        self._nil_learns = settings.nil == "learnt"

    def learn(self, order: Ints) -> int:
        """Learn from the bags in this order; returns the number of bags that were decoded wrongly."""
        mistakes = 0
        for bag in order:
            mistakes += self._learn(int(bag))
            self.time += 1
        return mistakes

    def _learn(self, bag: int) -> bool:
        """Decode one bag and update if it was wrong; returns whether it was."""
        corpus = self._corpus
        first, last = int(corpus.offsets[bag]), int(corpus.offsets[bag + 1])
        if first == last:
            return False
        scores = np.zeros((last - first, corpus.n_labels + 1))
        prices = np.zeros((1, corpus.n_labels))
        share = float(corpus.shares[first])
        _score(Sparse.of(corpus.mentions), first, last, self.mentions.now, share, scores[:, 1:])
        _score(Sparse.of(corpus.bags), bag, bag + 1, self.bags.now, 1.0, prices)
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
        _move(mentions, first, labels, step * share, self.mentions, self.time, self._nil_learns)
        for label in on:
            one = np.array([label], dtype=np.int64)
            _move(Sparse.of(corpus.bags), bag, one, step, self.bags, self.time, False)


class _Told(NamedTuple):
    """What a shard tells after a pass."""

    mentions: Learnt
    bags: Learnt
    mistakes: int


def _learn_shard(shard: BagCorpus, shared: tuple[Hoffmann, Singles, Singles], order: Ints) -> _Told:
    """One pass over a shard, from the weights that all shards begin with."""
    settings, mentions, bags = shared
    learning = _Learning(settings, shard, _Moving.begin(mentions), _Moving.begin(bags), 0)
    mistakes = learning.learn(order)
    return _Told(learning.mentions.learnt(len(order)), learning.bags.learnt(len(order)), mistakes)


class _Passes(Training[Round[LinearBags]]):
    kind: ClassVar[str] = "hoffmann"

    def __init__(self, settings: Hoffmann, corpus: BagCorpus, crew: Crew) -> None:
        super().__init__()
        self._settings, self._corpus = settings, corpus
        mentions, bags = (
            _Moving.begin(np.zeros((rows.n_columns, corpus.n_labels), np.float32))
            for rows in (corpus.mentions, corpus.bags)
        )
        self._learning = _Learning(settings, corpus, mentions, bags, 1)
        self._rng = np.random.default_rng(settings.seed)
        self._shards: Keepers[BagCorpus] | None = None
        if settings.shards > 1:
            self._cuts = shards_of(corpus.n_bags, settings.shards)
            self._shards = crew.keep([corpus.part(first, last) for first, last in self._cuts])

    @property
    def size(self) -> tuple[int, ...]:
        return (self._corpus.n_bags, int(self._corpus.offsets[-1]), self._corpus.dim)

    def step(self) -> Round[LinearBags]:
        mistakes = self._in_turn() if self._shards is None else self._side_by_side(self._shards)
        # Without a mistake no shard has moved its weights either.
        self.finished = mistakes == 0
        now = self._learning
        scorer = LinearBags(now.mentions.average(now.time), now.bags.average(now.time))
        return Round(self.done, float(mistakes), scorer)

    def _in_turn(self) -> int:
        [order] = orders_of([self._corpus.n_bags], self._rng)
        return self._learning.learn(order)

    def _side_by_side(self, shards: Keepers[BagCorpus]) -> int:
        now, n = self._learning, self._corpus.n_bags
        orders = orders_of([last - first for first, last in self._cuts], self._rng)
        told = shards.ask(_learn_shard, (self._settings, now.mentions.now, now.bags.now), orders)
        now.mentions = now.mentions.mixed([one.mentions for one in told], now.time, n)
        now.bags = now.bags.mixed([one.bags for one in told], now.time, n)
        now.time += n
        return sum(one.mistakes for one in told)

    def save(self) -> Saved:
        now = self._learning
        return {
            "mention_now": now.mentions.now.copy(),
            "mention_late": now.mentions.late.copy(),
            "bag_now": now.bags.now.copy(),
            "bag_late": now.bags.late.copy(),
            "time": np.array(now.time),
            "rng": rng_parts(self._rng),
        }

    def restore(self, saved: Saved) -> None:
        now = self._learning
        now.mentions = _Moving(saved["mention_now"].copy(), saved["mention_late"].copy())
        now.bags = _Moving(saved["bag_now"].copy(), saved["bag_late"].copy())
        now.time, self._rng = int(saved["time"]), rng_from(saved["rng"])


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
