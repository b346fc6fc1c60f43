"""Iterative parameter mixing (McDonald, Hall and Mann, NAACL 2010): one pass over several shards of the documents.

A learner that changes its weights after every document has no work to share. With mixing it has: in every pass each
shard is learnt on its own, all from the same weights, and the next pass begins with the mean of what they became. The
result depends on the number of shards and not on who works on them. It is not that of learning one document after the
other, so mixing is off (one shard) unless asked for.

Weights averaged over documents stay what they are: the mean of the weights after each document, of whatever shard.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Array, Floats, Ints
from engine.settings import Settings, setting
from engine.workers.crews import spans

F = TypeVar("F", np.float32, np.float64)


@dataclass(frozen=True, kw_only=True)
class Mixing(Settings):
    """The setting of learners whose weights may be mixed."""

    shards: int = setting(
        1,
        "Parts of the training data that each pass learns side by side (--jobs, --cluster), before their weights are"
        " averaged. With 1, nothing is averaged: one document after the other.",
        low=1,
        high=1000,
    )


class Learnt(NamedTuple):
    """What one pass over a shard made of the weights: where it ended, and the sum of the weights after each
    document."""

    weights: Array
    total: Floats


class Mixed(NamedTuple):
    """The weights from which the next pass begins, and their drift: weights - drift / time is the average over all
    documents so far."""

    weights: Array
    drift: Floats


def shards_of(n_documents: int, n_shards: int) -> list[tuple[int, int]]:
    """Documents [first, last) of each shard; there are fewer shards if there are too few documents."""
    return spans(np.arange(n_documents + 1), n_shards)


def mix(weights: NDArray[F], drift: Floats, time: float, told: Sequence[Learnt], n_documents: int) -> Mixed:
    """The next weights and drift, after a pass over so many documents that began at this time."""
    total = time * weights.astype(np.float64) - drift
    total = functools.reduce(np.add, [one.total for one in told], total)
    mixed = mean([one.weights for one in told]).astype(weights.dtype)
    return Mixed(mixed, (time + n_documents) * mixed.astype(np.float64) - total)


def mean(arrays: Sequence[Array]) -> Floats:
    """The mean of the weights of the shards, added in their order."""
    total: Floats = functools.reduce(np.add, [np.asarray(one, dtype=np.float64) for one in arrays])
    return total / len(arrays)


def orders_of(sizes: Sequence[int], rng: np.random.Generator, *, shuffle: bool = True) -> list[Ints]:
    """The order in which each shard visits its documents in the next pass."""
    return [rng.permutation(n) if shuffle else np.arange(n) for n in sizes]
