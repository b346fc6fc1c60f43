"""What holds between two entities of one document: the pair features that structured learners pool over decisions.

For every document a square array over its slots (distinct entities) with one byte per channel, 0..255 for 0..1. The
paper pools co-occurrence and two embedding cosines (Yang, Irsoy and Rahman 2018, section 4.2); links, Jaccard of link
sets, shared title words and kinds take the place of resources that a user may not have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

from engine.features.disambiguation.knowledge import Knowledge
from engine.features.disambiguation.strings import FUNCTION_WORDS, WORD, take_apart
from engine.features.disambiguation.table import Table

CHANNELS: Final = (
    ("link", "The two entities link to each other."),
    ("shared links", "Jaccard overlap of what the two link to within the document."),
    ("same entity", "The two are the same entity."),
    ("title words", "Dice overlap of the words of the two titles."),
    ("same kind", "The two titles end alike: same last word and bracket, or the same comma part."),
    ("together", "The two were right in the same training documents (cosine of their documents)."),
    ("description words", "Dice overlap of the words of the two descriptions."),
    ("same type", "Both have the same known type."),
    ("vectors", "Cosine of the two entity vectors, where the user supplies vectors."),
)

_VECTORS: Final = 8


@dataclass(frozen=True, eq=False)
class PairTable:
    """`values[offsets[d] + (a * n + b)]` are the channels of slots a, b of document d, which has n slots."""

    channels: tuple[int, ...]
    """Which of CHANNELS the columns are: descriptions and vectors only where there are any."""
    offsets: NDArray[np.int64]
    values: NDArray[np.uint8]


def pair_features(
    table: Table,
    knowledge: Knowledge,
    *,
    own: bool,
    leave_out: int,
    vectors: Mapping[str, NDArray[np.float32]] | None = None,
) -> PairTable:
    """All channels of all documents."""
    sizes = np.diff(table.slot_offsets)
    offsets = np.concatenate([[0], np.cumsum(sizes.astype(np.int64) ** 2)]).astype(np.int64)
    absent = {6} if not knowledge.descriptions else set()
    absent |= {_VECTORS} if vectors is None else set()
    channels = tuple(c for c in range(len(CHANNELS)) if c not in absent)
    values = np.zeros((int(offsets[-1]), len(channels)), dtype=np.uint8)
    column = np.full(len(CHANNELS), -1, dtype=np.int64)
    column[list(channels)] = np.arange(len(channels))
    parts = [take_apart(title) for title in table.titles]
    words = _Sets.of([[w for w in part.all_words if w not in FUNCTION_WORDS] for part in parts])
    described = _Sets.of(
        [
            [w for w in WORD.findall(knowledge.descriptions.get(t, "").lower()) if w not in FUNCTION_WORDS]
            for t in table.titles
        ]
    )
    kinds = _Sets.ids([f"{p.tail}|{p.bracket}" if not p.suffix else f",{p.suffix}" for p in parts])
    right = _Sets.of(_right_documents(table, knowledge))
    # The commonest type is the default for "unknown" in candidate sources; agreeing on it says nothing.
    types = np.full(len(table.titles), -1, dtype=np.int64)
    types[table.entity] = np.where(table.type == 3, -1, table.type)
    for d in range(table.n_documents):
        first, last = int(table.slot_offsets[d]), int(table.slot_offsets[d + 1])
        entities = table.slot_entity[first:last].astype(np.int64)
        low, high = (d - leave_out, d + leave_out) if own else (-1, -2)
        block = values[offsets[d] : offsets[d + 1]]
        _fill(
            block, entities, table.link_offsets[first : last + 1], table.links,
            words.offsets, words.items, words.size, described.offsets, described.items, described.size,
            right.offsets, right.items, right.size, kinds, types, low, high, column,
        )  # fmt: skip
        if vectors is not None:
            block[:, column[_VECTORS]] = _cosines([vectors.get(table.titles[e]) for e in entities])
    return PairTable(channels, offsets, values)


def no_pairs(table: Table) -> PairTable:
    """No channel at all, for decisions that stand alone."""
    return PairTable((), np.zeros(table.n_documents + 1, dtype=np.int64), np.zeros((0, 0), dtype=np.uint8))


def _right_documents(table: Table, knowledge: Knowledge) -> list[list[int]]:
    counts = knowledge.counts["entity"]
    out: list[list[int]] = []
    for title in table.titles:
        key = counts.index.get(title, -1)
        if key < 0:
            out.append([])
            continue
        span = slice(counts.offsets[key], counts.offsets[key + 1])
        out.append([int(d) for d in counts.documents[span][counts.right[span] > 0]])
    return out


@dataclass(frozen=True, eq=False)
class _Sets:
    """One set of numbers per entity."""

    offsets: NDArray[np.int64]
    items: NDArray[np.int64]
    size: int

    @staticmethod
    def of(sets: Sequence[Sequence[Any]]) -> _Sets:
        index: dict[Any, int] = {}
        items: list[int] = []
        offsets = [0]
        for members in sets:
            items.extend(sorted({index.setdefault(member, len(index)) for member in members}))
            offsets.append(len(items))
        # Training documents keep their own numbers, so that neighbours can be left out.
        if index and all(isinstance(key, int) for key in index):
            names = np.array(list(index), dtype=np.int64)
            return _Sets(np.array(offsets), names[np.array(items, dtype=np.int64)], int(names.max()) + 1)
        return _Sets(np.array(offsets, dtype=np.int64), np.array(items, dtype=np.int64), len(index))

    @staticmethod
    def ids(names: Sequence[str]) -> NDArray[np.int64]:
        index: dict[str, int] = {}
        return np.array([index.setdefault(name, len(index)) for name in names], dtype=np.int64)


def _cosines(rows: Sequence[NDArray[np.float32] | None]) -> NDArray[np.uint8]:
    """Cosines of unit vectors as bytes; 0 where either is unknown or they point apart."""
    size = next((len(row) for row in rows if row is not None), 0)
    stacked = np.stack([np.zeros(size, dtype=np.float32) if row is None else row for row in rows])
    return np.clip(np.rint(255 * (stacked @ stacked.T)), 0, 255).astype(np.uint8).ravel()


@njit(cache=True, nogil=True)
def _common(entities, offsets, items, size, low, high):
    """For every two slots the number of items in both sets, items in [low, high] left out."""
    n = len(entities)
    count = np.zeros((n, n), dtype=np.int32)
    heads = np.zeros(size + 1, dtype=np.int32)
    for a in range(n):
        for k in range(offsets[entities[a]], offsets[entities[a] + 1]):
            if not low <= items[k] <= high:
                heads[items[k] + 1] += 1
    for i in range(size):
        heads[i + 1] += heads[i]
    at = heads[:-1].copy()
    postings = np.empty(heads[size], dtype=np.int32)
    for a in range(n):
        for k in range(offsets[entities[a]], offsets[entities[a] + 1]):
            if not low <= items[k] <= high:
                postings[at[items[k]]] = a
                at[items[k]] += 1
    for i in range(size):
        for x in range(heads[i], heads[i + 1]):
            for y in range(heads[i], heads[i + 1]):
                count[postings[x], postings[y]] += 1
    return count


@njit(cache=True, nogil=True)
def _fill(
    block,
    entities,
    link_offsets,
    links,
    word_offsets,
    words,
    n_words,
    said_offsets,
    said,
    n_said,
    right_offsets,
    right,
    n_right,
    kinds,
    types,
    low,
    high,
    column,
):
    n = len(entities)
    slots = np.arange(n)
    base = link_offsets[0]
    none, past = np.int64(-1), np.int64(-2)
    linked = _common(slots, link_offsets - base, links[base : link_offsets[n]].astype(np.int64), n, none, past)
    shared = _common(entities, word_offsets, words, n_words, none, past)
    told = _common(entities, said_offsets, said, n_said, none, past)
    together = _common(entities, right_offsets, right, n_right, low, high)
    for a in range(n):
        for k in range(link_offsets[a], link_offsets[a + 1]):
            block[a * n + links[k], column[0]] = 255
        for b in range(n):
            at = a * n + b
            if linked[a, b] > 0:
                union = linked[a, a] + linked[b, b] - linked[a, b]
                block[at, column[1]] = round(255 * linked[a, b] / union)
            if shared[a, b] > 0:
                block[at, column[3]] = round(255 * 2 * shared[a, b] / (shared[a, a] + shared[b, b]))
            if kinds[entities[a]] == kinds[entities[b]]:
                block[at, column[4]] = 255
            if together[a, b] > 0:
                block[at, column[5]] = round(255 * together[a, b] / np.sqrt(together[a, a] * together[b, b]))
            if column[6] >= 0 and told[a, b] > 0:
                block[at, column[6]] = round(255 * 2 * told[a, b] / (told[a, a] + told[b, b]))
            if types[entities[a]] >= 0 and types[entities[a]] == types[entities[b]]:
                block[at, column[7]] = 255
            if a == b:
                block[at, column[2]] = 255
