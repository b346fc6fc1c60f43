"""Blocks of documents with what is remembered about them, and the workers that search them.

A block's cache outlives the epoch: on threads it simply stays; in the processes of a Dask cluster each worker keeps the
blocks it has seen and is sent a block's arrays only when it lacks them. Remembered or not, the numbers are the same.
"""

from __future__ import annotations

import uuid
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, Protocol, TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

from engine.learners.sgtb import corpus as sgtb_corpus
from engine.learners.sgtb import search as sgtb_search
from engine.learners.sgtb.pools import Remembered, Trees, find, pooled_width
from engine.learners.trees.forest import Tree
from engine.structures.beam import NIL_ROW

Policy: TypeAlias = Literal["local", "early", "laso", "gold-path", "bidirectional"]
SKIPPED: Final = sgtb_search.SKIPPED

_MODES: Final = {
    "early": sgtb_search.EARLY,
    "laso": sgtb_search.LASO,
    "gold-path": sgtb_search.GOLD_PATH,
    "bidirectional": sgtb_search.GOLD_PATH,
}
BLOCKS: Final = 8
"""Documents are handed out in this many blocks, however many workers there are."""


@dataclass(frozen=True, eq=False)
class Choices:
    """A corpus of documents, each a sequence of choices; all indices are within these arrays.

    `order` holds the choices of every document in the order in which they are decided; `gold` is a row, NIL_ROW or
    SKIPPED; rows and declining can be forbidden. `pairs[pair_offsets[d] + a * n_slots[d] + b]` are the channels of two
    slots.
    """

    document_offsets: NDArray[np.int64]
    row_offsets: NDArray[np.int64]
    order: NDArray[np.int64]
    codes: NDArray[np.uint8]
    slot: NDArray[np.int64]
    surface: NDArray[np.int64]
    gold: NDArray[np.int64]
    allowed: NDArray[np.bool_]
    nil_allowed: NDArray[np.bool_]
    n_slots: NDArray[np.int64]
    pair_offsets: NDArray[np.int64]
    pairs: NDArray[np.uint8]

    @property
    def n_documents(self) -> int:
        return len(self.document_offsets) - 1

    @property
    def n_pooled(self) -> int:
        return pooled_width(self.pairs.shape[1])

    @property
    def data(self) -> sgtb_search.Data:
        return sgtb_search.Data(
            self.row_offsets, self.codes, self.slot, self.surface, self.gold, self.allowed, self.nil_allowed
        )

    def part(self, first: int, last: int) -> Choices:
        """Documents [first, last) as a corpus of their own."""
        m0, m1 = int(self.document_offsets[first]), int(self.document_offsets[last])
        r0, r1 = int(self.row_offsets[m0]), int(self.row_offsets[m1])
        p0, p1 = int(self.pair_offsets[first]), int(self.pair_offsets[last])
        gold = self.gold[m0:m1]
        return Choices(
            document_offsets=self.document_offsets[first : last + 1] - m0,
            row_offsets=self.row_offsets[m0 : m1 + 1] - r0,
            order=self.order[m0:m1] - m0,
            codes=self.codes[r0:r1],
            slot=self.slot[r0:r1],
            surface=self.surface[m0:m1],
            gold=np.where(gold >= 0, gold - r0, gold),
            allowed=self.allowed[r0:r1],
            nil_allowed=self.nil_allowed[m0:m1],
            n_slots=self.n_slots[first:last],
            pair_offsets=self.pair_offsets[first : last + 1] - p0,
            pairs=self.pairs[p0:p1],
        )

    def without_pairs(self) -> Choices:
        """The same choices, each standing alone."""
        return replace(self, pairs=np.zeros((len(self.pairs), 0), dtype=np.uint8))

    def bounds(self, n_blocks: int) -> list[int]:
        """Where to cut the documents into blocks of about equal numbers of rows."""
        rows = self.row_offsets[self.document_offsets]
        cuts = np.searchsorted(rows, np.linspace(0, rows[-1], n_blocks + 1))
        return [0, *(int(c) for c in cuts[1:-1]), self.n_documents]


class FlatForest:
    """The trees so far as one set of arrays that grows without being copied every time."""

    def __init__(self, trees: Sequence[Tree] = ()) -> None:
        self.trees: list[Tree] = []
        self._size = 0
        kinds = (np.int32, np.uint8, np.int32, np.int32, np.float64)
        self._arrays: list[NDArray[Any]] = [np.zeros(1024, dtype=kind) for kind in kinds]
        self._offsets = np.zeros(1, dtype=np.int64)
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
    """Scores of candidate rows by decision and prefix, for one block of documents (see sgtb_pools)."""

    def __init__(self, n_pooled: int, n_rows: int) -> None:
        self.n_pooled = n_pooled
        # Some epochs' worth of prefixes; beyond that, old ones are dropped.
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
        """Twice the space; at the limit, only what the last epochs used is kept."""
        old = self.arrays
        full = 2 * len(self.scores) > self.limit
        since = epoch - 3 if full else -1
        self._allocate(len(self.scores) * (1 if full else 2), len(self.keys) * (1 if full else 2))
        _move(old, self.arrays, since)
        if full and 2 * self.counters[0] > len(self.scores):
            self._allocate(2 * len(self.scores), 2 * len(self.keys))
            self.limit *= 2


@njit(cache=True, nogil=True)
def _move(old, new, since):  # type: ignore[no-untyped-def]
    used = np.flatnonzero(old.keys)
    # In the order of their starts, so that each block's length is the distance to the next.
    used = used[np.argsort(old.starts[used])]
    for i in range(len(used)):
        at = used[i]
        first = old.starts[at]
        last = old.starts[used[i + 1]] if i + 1 < len(used) else old.counters[0]
        if old.stamps[at] < since:
            continue
        place = find(new.keys, old.keys[at])
        to = new.counters[0]
        new.keys[place] = old.keys[at]
        new.starts[place] = to
        new.versions[place] = old.versions[at]
        new.stamps[place] = old.stamps[at]
        new.scores[to : to + last - first] = old.scores[first:last]
        new.codes[to : to + last - first] = old.codes[first:last]
        new.counters[0] += last - first
        new.counters[1] += 1


@dataclass(frozen=True)
class Points:
    """Gradient points of some documents: rows, pooled codes, residuals, and the loss of each document."""

    rows: NDArray[np.int64]
    pooled: NDArray[np.uint8]
    residuals: NDArray[np.float64]
    losses: NDArray[np.float64]


@dataclass(frozen=True)
class Search:
    """What happens to the gold prefix, how many sequences are kept, and what backward scores count in the final choice
    (nothing: the search only runs forward)."""

    policy: Policy
    width: int
    backward: float = 0.0


@dataclass
class Block:
    """Some documents and what is remembered about them."""

    choices: Choices
    cache: Cache = field(init=False)

    def __post_init__(self) -> None:
        self.cache = Cache(self.choices.n_pooled, len(self.choices.codes))

    def points(self, documents: NDArray[np.int64], forest: Trees, epoch: int, how: Search) -> Points:
        """The gradient points of these documents, in this order."""
        choices = self.choices
        local = how.policy == "local"
        most = len(choices.codes) if local else (how.width + 1) * len(choices.gold) * (2 if how.backward else 1)
        rows = np.zeros(most, dtype=np.int64)
        pooled = np.zeros((most, choices.n_pooled), dtype=np.uint8)
        residuals = np.zeros(most)
        counts = np.zeros((len(documents), 2))
        if local:
            sgtb_corpus.local_gradients(
                documents, choices.document_offsets, choices.data, forest, self.cache.arrays, rows, residuals, counts
            )
        at = len(documents) if local else 0
        while at < len(documents):
            at = sgtb_corpus.gradients(
                documents, at, choices.document_offsets, choices.order, choices.data, choices.pairs,
                choices.pair_offsets, choices.n_slots, forest, self.cache.arrays, epoch, _MODES[how.policy],
                how.backward > 0, how.width, rows, pooled, residuals, counts,
            )  # fmt: skip
            if at < len(documents):
                self.cache.make_room(epoch)
        n = int(counts[:, 0].sum())
        return Points(rows[:n], pooled[:n], residuals[:n], counts[:, 1])

    def decode(self, forest: Trees, epoch: int, how: Search, nil: NDArray[np.float64]) -> Decoded:
        """The best sequence of every document; `nil` holds the log-odds of declining each choice."""
        choices = self.choices
        chosen = np.full(len(choices.gold), NIL_ROW, dtype=np.int64)
        confidence, thresholds = np.zeros(len(choices.gold)), np.zeros(len(choices.gold))
        totals = np.zeros(choices.n_documents)
        documents = np.arange(choices.n_documents)
        local = how.policy == "local"
        if local:
            sgtb_corpus.local_decode(
                choices.document_offsets, choices.data, forest, self.cache.arrays, nil,
                chosen, confidence, thresholds, totals,
            )  # fmt: skip
        at = len(documents) if local else 0
        while at < len(documents):
            at = sgtb_corpus.decode(
                documents, at, choices.document_offsets, choices.order, choices.data, choices.pairs,
                choices.pair_offsets, choices.n_slots, forest, self.cache.arrays, epoch, how.backward, how.width, nil,
                chosen, confidence, totals,
            )  # fmt: skip
            if at < len(documents):
                self.cache.make_room(epoch)
        if not local:
            thresholds = np.log(np.maximum(confidence, 1e-9))
        return Decoded(chosen, confidence, thresholds, totals)


@dataclass(frozen=True)
class Decoded:
    """Row (or NIL_ROW) and confidence of every choice, the log-odds of declining up to which it stays, and the score of
    every document. Where decisions depend on each other the log-odds are only about right."""

    rows: NDArray[np.int64]
    confidence: NDArray[np.float64]
    thresholds: NDArray[np.float64]
    totals: NDArray[np.float64]


Job: TypeAlias = tuple[int, NDArray[np.int64]]
"""A block and which of its documents."""


class Workers(Protocol):
    """Who searches the blocks."""

    def points(self, jobs: Sequence[Job], forest: Trees, epoch: int, how: Search) -> list[Points]: ...


class Threads:
    """Threads of this process: the compiled search holds no lock."""

    def __init__(self, blocks: Sequence[Choices], jobs: int) -> None:
        self.blocks = [Block(choices) for choices in blocks]
        self.jobs = jobs

    def points(self, jobs: Sequence[Job], forest: Trees, epoch: int, how: Search) -> list[Points]:
        if self.jobs == 1:
            return [self.blocks[b].points(documents, forest, epoch, how) for b, documents in jobs]
        import joblib

        parallel = joblib.Parallel(n_jobs=self.jobs, backend="threading")
        return list(
            parallel(joblib.delayed(self.blocks[b].points)(documents, forest, epoch, how) for b, documents in jobs)
        )


_KEPT: OrderedDict[str, Block] = OrderedDict()
"""In a worker process of a cluster: the blocks it was sent, most recently used last."""


def remote_points(
    key: str, choices: Choices | None, documents: NDArray[np.int64], forest: Trees, epoch: int, how: Search
) -> Points | None:
    """The points of a block that this process keeps under the key; None if it has none and was sent none."""
    block = _KEPT.get(key)
    if block is None:
        if choices is None:
            return None
        block = _KEPT[key] = Block(choices)
        while len(_KEPT) > 2 * BLOCKS:
            _KEPT.popitem(last=False)
    _KEPT.move_to_end(key)
    return block.points(documents, forest, epoch, how)


class Cluster:
    """The workers of a Dask cluster, through joblib's Dask backend."""

    def __init__(self, blocks: Sequence[Choices]) -> None:
        self.blocks = blocks
        self.run = uuid.uuid4().hex

    def points(self, jobs: Sequence[Job], forest: Trees, epoch: int, how: Search) -> list[Points]:
        found: dict[int, Points | None] = {}
        for send in (False, True):
            missing = [(b, documents) for b, documents in jobs if found.get(b) is None]
            # In the first epoch nobody has anything yet.
            if not missing or (epoch == 0 and not send):
                continue
            found.update(zip([b for b, _ in missing], self._ask(missing, forest, epoch, how, send), strict=True))
        return [points for b, _ in jobs if (points := found[b]) is not None]

    def _ask(self, jobs: Sequence[Job], forest: Trees, epoch: int, how: Search, send: bool) -> list[Points | None]:
        import joblib

        with joblib.parallel_config(backend="dask"):
            return list(
                joblib.Parallel()(
                    joblib.delayed(remote_points)(
                        f"{self.run}/{b}", self.blocks[b] if send else None, documents, forest, epoch, how
                    )
                    for b, documents in jobs
                )
            )


@contextmanager
def workers_for(blocks: Sequence[Choices], jobs: int, cluster: str | None) -> Iterator[Workers]:
    """Threads, or the cluster at this address for as long as the context lasts."""
    if cluster is None:
        yield Threads(blocks, jobs)
        return
    from distributed import Client

    with Client(cluster):
        yield Cluster(blocks)
