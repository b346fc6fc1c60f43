"""What a block of documents keeps from one epoch to the next: the trees so far, and scores by prefix."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.arrays import Array, Int, Ints
from engine.kernels import kernel
from engine.learners.sgtb.pools import KEYS_USED, ROWS_USED, Remembered, Trees, find
from engine.learners.trees.forest import Tree


class FlatForest:
    """The trees so far as one set of arrays that grows without being copied every time."""

    def __init__(self, trees: Sequence[Tree] = ()) -> None:
        self.trees: list[Tree] = []
        self._size = 0
        kinds = (np.int32, np.uint8, np.int32, np.int32, np.float64)
        self._arrays: list[Array] = [np.zeros(1024, dtype=kind) for kind in kinds]
        self._offsets: Ints = np.zeros(1, dtype=np.int64)
        for tree in trees:
            self.add(tree)

    def add(self, tree: Tree) -> None:
        end = self._size + len(tree.feature)
        while end > len(self._arrays[0]):
            self._arrays = [np.concatenate([array, np.zeros_like(array)]) for array in self._arrays]
        parts = (tree.feature, tree.bin, tree.left, tree.right, tree.value)
        for array, part in zip(self._arrays, parts, strict=True):
            array[self._size : end] = part
        self._size = end
        self._offsets = np.append(self._offsets, end)
        self.trees.append(tree)

    @property
    def arrays(self) -> Trees:
        feature, split, left, right, value = (array[: self._size] for array in self._arrays)
        return Trees(feature, split, left, right, value, self._offsets)


class Cache:
    """Scores of candidate rows by decision and prefix, for one block of documents (see pools.py)."""

    def __init__(self, n_pooled: int, n_rows: int) -> None:
        self.n_pooled = n_pooled
        # Enough for the prefixes of some epochs; beyond that, old ones are dropped.
        self.limit = 64 * max(n_rows, 1000)
        self._allocate(max(1024, 8 * n_rows), 1 << max(10, int(np.ceil(np.log2(max(2, 2 * n_rows))))))

    def _allocate(self, n_rows: int, n_keys: int) -> None:
        self.keys = np.zeros(n_keys, dtype=np.uint64)
        self.starts = np.zeros(n_keys, dtype=np.int64)
        self.versions = np.zeros(n_keys, dtype=np.int64)
        self.stamps = np.zeros(n_keys, dtype=np.int64)
        self.scores = np.zeros(n_rows, dtype=np.float64)
        self.codes = np.zeros((n_rows, self.n_pooled), dtype=np.uint8)
        self.counters = np.zeros(2, dtype=np.int64)

    @property
    def arrays(self) -> Remembered:
        return Remembered(self.keys, self.starts, self.versions, self.stamps, self.scores, self.codes, self.counters)

    def make_room(self, epoch: int) -> None:
        """Double the space; at the limit, keep only what the last epochs used."""
        old = self.arrays
        full = 2 * len(self.scores) > self.limit
        since = epoch - 3 if full else -1
        self._allocate(len(self.scores) * (1 if full else 2), len(self.keys) * (1 if full else 2))
        used = np.flatnonzero(old.keys)
        # In the order of their starts, so that each block's length is the distance to the next.
        _move(used[np.argsort(old.starts[used])], old, self.arrays, since)
        if full and 2 * self.counters[ROWS_USED] > len(self.scores):
            self._allocate(2 * len(self.scores), 2 * len(self.keys))
            self.limit *= 2


@kernel
def _move(used: Ints, old: Remembered, new: Remembered, since: Int) -> None:
    """Copy the blocks that were used in this epoch or later."""
    for i in range(len(used)):
        at = used[i]
        first = old.starts[at]
        last = old.starts[used[i + 1]] if i + 1 < len(used) else old.counters[ROWS_USED]
        if old.stamps[at] < since:
            continue
        place = find(new.keys, old.keys[at])
        to = new.counters[ROWS_USED]
        new.keys[place] = old.keys[at]
        new.starts[place] = to
        new.versions[place] = old.versions[at]
        new.stamps[place] = old.stamps[at]
        for row in range(last - first):
            new.scores[to + row] = old.scores[first + row]
            for column in range(old.codes.shape[1]):
                new.codes[to + row, column] = old.codes[first + row, column]
        new.counters[ROWS_USED] += last - first
        new.counters[KEYS_USED] += 1
