"""LambdaRank: a network with one hidden layer that ranks the entities of each mention, Nil among them.

Nil has score 0, as everywhere. Right is the gold entity, or Nil where there is none. With s the scores, each wrong item
j of a mention and the right one i pull on each other by

    lambda = |change of NDCG if i and j swapped places| / (1 + exp(s_i - s_j))

(Burges, Ragno and Le 2006); with one right item NDCG is 1 / log2(1 + its rank). The lambdas are the gradient that goes
back through the network; Adam takes the steps. Structure plays no part in training, only in decoding.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from engine.learners.base import Instance, Round
from engine.learners.joined import join
from engine.learners.linear.scaled import Scaling
from engine.settings import Settings, setting
from engine.structures.base import Structure
from engine.structures.nonoverlap import NonOverlapBatch

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Network:
    """out . tanh(hidden scaled features) + a constant; the last column of `hidden` belongs to the constant feature."""

    hidden: Floats
    out: Floats
    offset: float
    scaling: Scaling

    def scores(self, features: NDArray[Any]) -> Floats:
        return np.tanh(self.scaling.apply(features) @ self.hidden.T) @ self.out + self.offset

    def contributions(self, features: NDArray[Any]) -> Floats:
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

    def to_parts(self) -> dict[str, NDArray[Any]]:
        return {"hidden": self.hidden, "out": self.out, "offset": np.array([self.offset]), **self.scaling.to_parts()}

    @staticmethod
    def from_parts(parts: Mapping[str, NDArray[Any]]) -> Network:
        return Network(parts["hidden"], parts["out"], float(parts["offset"][0]), Scaling.from_parts(parts))


@dataclass(frozen=True, kw_only=True)
class LambdaRank(Settings):
    """Two-layer network trained on the ranking of each mention's entities."""

    hidden: int = setting(20, "Hidden units.", low=1, high=1000)
    epochs: int = setting(20, "Passes over the mentions.", low=1)
    rate: float = setting(0.003, "Step size of Adam.", low=1e-6, high=1.0)
    mentions: int = setting(128, "Mentions per step.", low=1)
    l2: float = setting(1e-4, "Pull of the weights towards 0.", low=0.0)

    def rounds(self, instances: Sequence[Instance[Structure]]) -> Iterator[Round]:
        """One round per epoch; the objective is 1 - mean NDCG over the mentions with the new weights."""
        corpus = join(instances)
        batch = corpus.structure
        if not isinstance(batch, NonOverlapBatch):
            raise ValueError(f"LambdaRank ranks the entities of mentions; {type(batch).__name__} has none")
        order, bounds = batch.lattice.parts_by_span, batch.lattice.part_ptr
        scaling = Scaling.fit(corpus.features)
        rows = scaling.apply(corpus.features)[order]
        right = _right_item(corpus.consistent[order], bounds)
        rng = np.random.default_rng(self.seed)
        width = rows.shape[1]
        hidden = rng.normal(0, 1 / np.sqrt(width), (self.hidden, width))
        out = rng.normal(0, 1 / np.sqrt(self.hidden), self.hidden)
        offset = np.zeros(1)
        adam = _Adam([hidden, out, offset], self.rate)
        n_mentions = len(bounds) - 1
        for index in range(self.epochs):
            mentions = rng.permutation(n_mentions)
            for begin in range(0, n_mentions, self.mentions):
                chosen = np.sort(mentions[begin : begin + self.mentions])
                picked, own = _rows_of(chosen, bounds)
                x = rows[picked]
                active = np.tanh(x @ hidden.T)
                scores = active @ out + offset[0]
                pull = lambdas(scores, own, right[chosen])[0] / len(chosen)
                back = np.outer(pull, out) * (1.0 - active * active)
                adam.step([back.T @ x + self.l2 * hidden, active.T @ pull + self.l2 * out, np.array([pull.sum()])])
            network = Network(hidden.copy(), out.copy(), float(offset[0]), scaling)
            scores = np.tanh(rows @ hidden.T) @ out + offset[0]
            ndcg = lambdas(scores, bounds, right)[1].mean() if n_mentions else 1.0
            yield Round(index, 1.0 - float(ndcg), network, {"ndcg": float(ndcg)})


def _rows_of(mentions: NDArray[np.int64], bounds: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The rows of these mentions one after another, and where each mention's begin and end among them."""
    sizes = bounds[mentions + 1] - bounds[mentions]
    own = np.concatenate([[0], np.cumsum(sizes)])
    return np.arange(own[-1]) + np.repeat(bounds[mentions] - own[:-1], sizes), own


def _right_item(gold: NDArray[np.bool_], bounds: NDArray[np.int64]) -> NDArray[np.int64]:
    """Per mention the place of its gold entity among its rows, or -1 for Nil; of several the first."""
    right = np.full(len(bounds) - 1, -1, np.int64)
    rows = np.flatnonzero(gold)[::-1]
    mention = np.searchsorted(bounds, rows, side="right") - 1
    right[mention] = rows - bounds[mention]
    return right


@njit(cache=True, nogil=True)
def lambdas(scores, bounds, right):  # type: ignore[no-untyped-def]
    """Gradient of the cost with respect to every score, and the NDCG of every mention."""
    gradient = np.zeros(len(scores))
    ndcg = np.zeros(len(bounds) - 1)
    for m in range(len(bounds) - 1):
        begin, end = bounds[m], bounds[m + 1]
        place = right[m]
        own = scores[begin + place] if place >= 0 else 0.0
        # Of equal scores the right one comes last: no credit for ties.
        rank = 1 if place < 0 or own > 0.0 else 2
        for i in range(begin, end):
            if i - begin != place and scores[i] >= own:
                rank += 1
        ndcg[m] = 1.0 / np.log2(1.0 + rank)
        # Place -1 is Nil.
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


class _Adam:
    """Adam (Kingma and Ba 2015) on arrays that it changes in place."""

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
