"""LambdaRank: a network with one hidden layer that ranks the entities of each mention, Nil among them.

Nil has score 0, as everywhere. The right item is the gold entity, or Nil if there is none. With s the scores, each
wrong item j of a mention and the right one i are pushed apart by

    lambda = |change of NDCG if i and j swapped places| / (1 + exp(s_i - s_j))

(Burges, Ragno and Le 2006); with one right item NDCG is 1 / log2(1 + its rank). The lambdas are the gradient that goes
back through the network, by Adam or by plain gradient descent. Structure plays no part in training, only in
decoding. The mentions of a step are taken block by block, and the sums of the blocks are added in their order.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Final, Literal, NamedTuple

import numpy as np

from engine.arrays import Array, Flags, Floats, Ints, Singles
from engine.kernels import kernel
from engine.learners.base import FeatureMatrix, Instance, Round, Saved
from engine.learners.joined import join
from engine.learners.linear.scaled import Scaling
from engine.learners.training import Training, rng_from, rng_parts
from engine.settings import Settings, setting
from engine.structures.base import Structure
from engine.structures.nonoverlap import NonOverlapBatch
from engine.workers.crews import ALONE, Crew, spans

_BLOCKS: Final = 4
"""Blocks of the mentions: a step takes few of them, and more blocks would take longer than they save."""


@dataclass(frozen=True, eq=False)
class Network:
    """out . tanh(hidden scaled features) + a constant; the last column of `hidden` is for the constant feature."""

    hidden: Floats
    out: Floats
    offset: float
    scaling: Scaling

    def scores(self, features: FeatureMatrix) -> Floats:
        return np.tanh(self.scaling.apply(features) @ self.hidden.T) @ self.out + self.offset

    def contributions(self, features: FeatureMatrix) -> Floats:
        """What each feature adds to each score, [rows, features + 1]; the last column is the score of average features.

        Integrated gradients (Sundararajan, Taly and Yan 2017) along the straight line from the average row. Through one
        layer of tanh the integral has a closed form: a unit that goes from tanh(a) to tanh(a + b) gives every
        feature its share of b.
        """
        rows = self.scaling.apply(features, constant=False).astype(np.float64)
        start = self.hidden[:, -1]
        way = rows @ self.hidden[:, :-1].T
        far = np.abs(way) > 1e-9
        slope = np.where(
            far, (np.tanh(start + way) - np.tanh(start)) / np.where(far, way, 1.0), 1 - np.tanh(start) ** 2
        )
        shares = rows * ((slope * self.out) @ self.hidden[:, :-1])
        base = float(np.tanh(start) @ self.out) + self.offset
        return np.column_stack([shares, np.full(len(rows), base)])

    def to_parts(self) -> dict[str, Array]:
        return {"hidden": self.hidden, "out": self.out, "offset": np.array([self.offset]), **self.scaling.to_parts()}

    @staticmethod
    def from_parts(parts: Mapping[str, Array]) -> Network:
        return Network(parts["hidden"], parts["out"], float(parts["offset"][0]), Scaling.from_parts(parts))


@dataclass(frozen=True, kw_only=True)
class LambdaRank(Settings):
    """Two-layer network trained on the ranking of each mention's entities."""

    hidden: int = setting(20, "Hidden units.", low=1, high=1000)
    n_rounds: int = setting(20, "Passes over the mentions.", low=1, formerly=("epochs",))
    rate: float = setting(0.003, "Step size.", low=1e-6, high=1.0)
    optimiser: Literal["adam", "sgd"] = setting("adam", "Adam, or plain gradient steps.")
    mentions: int = setting(128, "Mentions per step.", low=1)
    l2: float = setting(1e-4, "Pull of the weights towards 0.", low=0.0)

    def rounds(
        self, instances: Sequence[Instance[Structure]], *, resume: Saved | None = None, crew: Crew = ALONE
    ) -> Iterator[Round[Network]]:
        """One round per pass; the objective is 1 - mean NDCG over the mentions with the new weights."""
        yield from _Ranking(self, join(instances), crew).rounds(self.n_rounds, resume)


class _Weights(NamedTuple):
    """As the network has them while it learns."""

    hidden: Floats
    out: Floats
    offset: Floats


@dataclass(frozen=True, eq=False)
class _Block:
    """Some mentions: the rows of their entities, where each mention's begin and end, and the right one of each."""

    rows: Singles
    bounds: Ints
    right: Ints


def _gradients(block: _Block, weights: _Weights, mentions: Ints) -> list[Floats]:
    """The sums over these mentions of a block that a step is made of; the pull of the weights towards 0 is missing."""
    picked, own = _rows_of(mentions, block.bounds)
    x = block.rows[picked]
    active = np.tanh(x @ weights.hidden.T)
    scores = active @ weights.out + weights.offset[0]
    pull = lambdas(scores, own, block.right[mentions])[0]
    back = np.outer(pull, weights.out) * (1.0 - active * active)
    return [back.T @ x, active.T @ pull, np.array([pull.sum()])]


def _ndcg(block: _Block, weights: _Weights, _: None) -> Floats:
    """The NDCG of every mention of a block."""
    scores = np.tanh(block.rows @ weights.hidden.T) @ weights.out + weights.offset[0]
    return lambdas(scores, block.bounds, block.right)[1]


class _Ranking(Training[Round[Network]]):
    kind: ClassVar[str] = "lambdarank"

    def __init__(self, settings: LambdaRank, corpus: Instance[Structure], crew: Crew) -> None:
        super().__init__()
        batch = corpus.structure
        if not isinstance(batch, NonOverlapBatch):
            raise ValueError(f"LambdaRank ranks the entities of mentions; {type(batch).__name__} has none")
        order, bounds = batch.lattice.parts_by_span, batch.lattice.part_ptr
        self._settings = settings
        self._scaling = Scaling.fit(corpus.features)
        rows = self._scaling.apply(corpus.features)[order]
        right = _right_item(corpus.consistent[order], bounds)
        self._cuts = np.array([first for first, _ in spans(bounds, _BLOCKS)] + [len(bounds) - 1])
        self._keepers = crew.keep([_part(_Block(rows, bounds, right), *cut) for cut in pairwise(self._cuts.tolist())])
        self._rng = np.random.default_rng(settings.seed)
        self._size = rows.shape
        width = rows.shape[1]
        self._weights = _Weights(
            self._rng.normal(0, 1 / np.sqrt(width), (settings.hidden, width)),
            self._rng.normal(0, 1 / np.sqrt(settings.hidden), settings.hidden),
            np.zeros(1),
        )
        self._steps = (_Adam if settings.optimiser == "adam" else _Plain)(list(self._weights), settings.rate)

    @property
    def size(self) -> tuple[int, ...]:
        return self._size

    def step(self) -> Round[Network]:
        n_mentions, at_once = int(self._cuts[-1]), self._settings.mentions
        mentions = self._rng.permutation(n_mentions)
        for begin in range(0, n_mentions, at_once):
            self._learn(np.sort(mentions[begin : begin + at_once]))
        hidden, out, offset = self._weights
        network = Network(hidden.copy(), out.copy(), float(offset[0]), self._scaling)
        found = np.concatenate(self._keepers.ask(_ndcg, self._weights, [None] * (len(self._cuts) - 1)))
        ndcg = float(found.mean()) if n_mentions else 1.0
        return Round(self.done, 1.0 - ndcg, network, {"ndcg": ndcg})

    def _learn(self, mentions: Ints) -> None:
        """One step on these mentions."""
        places = np.searchsorted(mentions, self._cuts)
        own = [
            mentions[first:last] - begin
            for (first, last), begin in zip(pairwise(places.tolist()), self._cuts[:-1], strict=True)
        ]
        found = self._keepers.ask(_gradients, self._weights, own)
        sums = [functools.reduce(np.add, blocks) / len(mentions) for blocks in zip(*found, strict=True)]
        l2 = self._settings.l2
        hidden, out, _ = self._weights
        self._steps.step([sums[0] + l2 * hidden, sums[1] + l2 * out, sums[2]])

    def save(self) -> Saved:
        return {"rng": rng_parts(self._rng), **self._steps.to_parts()}

    def restore(self, saved: Saved) -> None:
        self._rng = rng_from(saved["rng"])
        self._steps.restore(saved)


def _part(whole: _Block, first: int, last: int) -> _Block:
    """Mentions [first, last)."""
    begin, end = whole.bounds[first], whole.bounds[last]
    return _Block(whole.rows[begin:end], whole.bounds[first : last + 1] - begin, whole.right[first:last])


def _rows_of(mentions: Ints, bounds: Ints) -> tuple[Ints, Ints]:
    """The rows of these mentions, concatenated, and the bounds of each mention's rows."""
    sizes = bounds[mentions + 1] - bounds[mentions]
    own = np.concatenate([[0], np.cumsum(sizes)])
    return np.arange(own[-1]) + np.repeat(bounds[mentions] - own[:-1], sizes), own


def _right_item(gold: Flags, bounds: Ints) -> Ints:
    """For each mention, the position of its gold entity (the first of several) among its rows, or -1 for Nil."""
    right = np.full(len(bounds) - 1, -1, np.int64)
    rows = np.flatnonzero(gold)[::-1]
    mention = np.searchsorted(bounds, rows, side="right") - 1
    right[mention] = rows - bounds[mention]
    return right


@kernel
def lambdas(scores: Floats, bounds: Ints, right: Ints) -> tuple[Floats, Floats]:
    """Gradient of the cost with respect to every score, and the NDCG of every mention."""
    gradient = np.zeros(len(scores))
    ndcg = np.zeros(len(bounds) - 1)
    for m in range(len(bounds) - 1):
        begin, end = bounds[m], bounds[m + 1]
        place = right[m]
        own = scores[begin + place] if place >= 0 else 0.0
        # Among equal scores the right one comes last: ties earn no credit.
        rank = 1 if place < 0 or own > 0.0 else 2
        for i in range(begin, end):
            if i - begin != place and scores[i] >= own:
                rank += 1
        ndcg[m] = 1.0 / np.log2(1.0 + rank)
        # Position -1 is Nil.
        for other_place in range(-1, end - begin):
            if other_place == place:
                continue
            other = scores[begin + other_place] if other_place >= 0 else 0.0
            other_rank = 1 if other >= 0.0 else 2
            for i in range(begin, end):
                if scores[i] > other:
                    other_rank += 1
            strength = abs(ndcg[m] - 1.0 / np.log2(1.0 + other_rank)) / (1.0 + np.exp(own - other))
            if place >= 0:
                gradient[begin + place] -= strength
            if other_place >= 0:
                gradient[begin + other_place] += strength
    return gradient, ndcg


class _Plain:
    """Gradient descent that changes its arrays in place."""

    def __init__(self, arrays: Sequence[Floats], rate: float) -> None:
        self._arrays, self._rate = arrays, rate

    def step(self, gradients: Sequence[Floats]) -> None:
        for array, gradient in zip(self._arrays, gradients, strict=True):
            array -= self._rate * gradient

    def to_parts(self) -> dict[str, Array]:
        return {f"array_{i}": one.copy() for i, one in enumerate(self._arrays)}

    def restore(self, parts: Saved) -> None:
        for i, one in enumerate(self._arrays):
            one[:] = parts[f"array_{i}"]


class _Adam:
    """Adam (Kingma and Ba 2015), which changes its arrays in place."""

    def __init__(self, arrays: Sequence[Floats], rate: float) -> None:
        self._arrays, self._rate, self._time = arrays, rate, 0
        self._first = [np.zeros_like(a) for a in arrays]
        self._second = [np.zeros_like(a) for a in arrays]

    def step(self, gradients: Sequence[Floats]) -> None:
        self._time += 1
        for array, gradient, first, second in zip(self._arrays, gradients, self._first, self._second, strict=True):
            first += 0.1 * (gradient - first)
            second += 0.001 * (gradient * gradient - second)
            mean = first / (1 - 0.9**self._time)
            spread = np.sqrt(second / (1 - 0.999**self._time)) + 1e-8
            array -= self._rate * mean / spread

    def to_parts(self) -> dict[str, Array]:
        """The current arrays, and the moments that the next step needs."""
        lists = {"array": self._arrays, "first": self._first, "second": self._second}
        parts = {f"{name}_{i}": one.copy() for name, arrays in lists.items() for i, one in enumerate(arrays)}
        return {**parts, "time": np.array(self._time)}

    def restore(self, parts: Saved) -> None:
        """Restore the state saved by `to_parts`, changing the arrays in place."""
        for name, arrays in (("array", self._arrays), ("first", self._first), ("second", self._second)):
            for i, one in enumerate(arrays):
                one[:] = parts[f"{name}_{i}"]
        self._time = int(parts["time"])
