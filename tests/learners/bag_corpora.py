"""Small random bag corpora for the tests of bag learners."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.learners.bags import BagCorpus


@dataclass(frozen=True, eq=False)
class Rows:
    starts: np.ndarray
    columns: np.ndarray
    values: np.ndarray
    n_columns: int


def dense_rows(matrix: np.ndarray) -> Rows:
    n, width = matrix.shape
    return Rows(
        np.arange(n + 1, dtype=np.int64) * width,
        np.tile(np.arange(width, dtype=np.int32), n),
        matrix.astype(np.float32).ravel(),
        width,
    )


def learnable(seed: int, n_bags: int = 30, n_labels: int = 3, noise: float = 0.1, crowding: float = 0.5) -> BagCorpus:
    """Every bag has one label that one of its mentions expresses; the others express nothing."""
    rng = np.random.default_rng(seed)
    mentions, sizes, gold = [], [], np.zeros((n_bags, n_labels), dtype=bool)
    for bag in range(n_bags):
        label = int(rng.integers(n_labels))
        gold[bag, label] = True
        size = int(rng.integers(1, 4))
        rows = rng.normal(scale=noise, size=(size, n_labels + 2))
        rows[:, -1] = 1.0
        rows[int(rng.integers(size)), label] += 1.0
        mentions.append(rows)
        sizes.append(size)
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return BagCorpus(
        dense_rows(np.concatenate(mentions)), dense_rows(np.ones((n_bags, 1))), offsets, gold, crowding=crowding
    )


def crowded(seed: int, n_bags: int = 4, n_labels: int = 3, crowding: float = 0.0) -> BagCorpus:
    """Bags of one or two mentions with up to all labels: no output can have every gold label of some of them."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 3, n_bags)
    gold = rng.random((n_bags, n_labels)) < 0.7
    # At least one bag has more labels than mentions.
    sizes[0], gold[0] = 1, True
    mentions = rng.normal(size=(int(sizes.sum()), n_labels + 1))
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return BagCorpus(dense_rows(mentions), dense_rows(np.ones((n_bags, 1))), offsets, gold, crowding=crowding)
