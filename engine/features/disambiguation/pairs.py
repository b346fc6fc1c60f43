"""Pair features between two entities of one document, which structured learners pool over decisions.

Each document has a square array over its slots (distinct entities) with one byte per channel, 0..255 for 0..1. The
paper pools co-occurrence and two embedding cosines (Yang, Irsoy and Rahman 2018, section 4.2); links, Jaccard of link
sets, shared title words and kinds replace resources that a user may not have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np

from engine.arrays import Bytes, Int, Ints, ShortInts, Singles
from engine.features.disambiguation.knowledge import Knowledge
from engine.features.disambiguation.strings import FUNCTION_WORDS, WORD, take_apart
from engine.features.disambiguation.table import Table
from engine.kernels import kernel

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

_LINK, _SHARED_LINKS, _SAME_ENTITY, _TITLE_WORDS, _SAME_KIND, _TOGETHER, _DESCRIPTIONS, _SAME_TYPE, _VECTORS = range(
    len(CHANNELS)
)
NOTHING: Final = (-1, -2)
"""An empty range of training documents: nothing is left out."""


@dataclass(frozen=True, eq=False)
class PairTable:
    """`values[offsets[d] + (a * n + b)]` are the channels of slots a, b of document d, which has n slots."""

    channels: tuple[int, ...]
    """The CHANNELS of the columns; descriptions and vectors are included only if there are any."""
    offsets: Ints
    values: Bytes


class Sets(NamedTuple):
    """One set of numbers below `size` per entity (or slot): items[offsets[e] : offsets[e + 1]]."""

    offsets: Ints
    items: Ints
    size: int


class Known(NamedTuple):
    """Facts about every entity: words of its title and description, training documents in which it was right, the kind
    named by the end of its title, its type (-1: unknown)."""

    words: Sets
    described: Sets
    right: Sets
    kinds: Ints
    types: Ints


def channels_of(*, described: bool, vectors: bool) -> tuple[int, ...]:
    """The CHANNELS that are used."""
    absent = set() if described else {_DESCRIPTIONS}
    absent |= set() if vectors else {_VECTORS}
    return tuple(c for c in range(len(CHANNELS)) if c not in absent)


def pair_features(
    table: Table,
    knowledge: Knowledge,
    *,
    own: bool,
    leave_out: int,
    vectors: Mapping[str, Singles] | None = None,
) -> PairTable:
    """All channels of all documents."""
    sizes = np.diff(table.slot_offsets)
    offsets = np.concatenate([[0], np.cumsum(sizes.astype(np.int64) ** 2)]).astype(np.int64)
    channels = channels_of(described=bool(knowledge.descriptions), vectors=vectors is not None)
    values = np.zeros((int(offsets[-1]), len(channels)), dtype=np.uint8)
    column = np.full(len(CHANNELS), -1, dtype=np.int64)
    column[list(channels)] = np.arange(len(channels))
    known = _known(table, knowledge)
    for d in range(table.n_documents):
        first, last = int(table.slot_offsets[d]), int(table.slot_offsets[d + 1])
        entities = table.slot_entity[first:last].astype(np.int64)
        without = (d - leave_out, d + leave_out) if own else NOTHING
        block = values[offsets[d] : offsets[d + 1]]
        _fill(block, entities, table.link_offsets[first : last + 1], table.links, known, without, column)
        if vectors is not None:
            block[:, column[_VECTORS]] = _cosines([vectors.get(table.titles[e]) for e in entities])
    return PairTable(channels, offsets, values)


def _known(table: Table, knowledge: Knowledge) -> Known:
    parts = [take_apart(title) for title in table.titles]
    described = [
        [w for w in WORD.findall(knowledge.descriptions.get(t, "").lower()) if w not in FUNCTION_WORDS]
        for t in table.titles
    ]
    # Candidate sources use the most frequent type as the default for "unknown", so agreement on it means nothing.
    types = np.full(len(table.titles), -1, dtype=np.int64)
    types[table.entity] = np.where(table.type == 3, -1, table.type)
    return Known(
        words=_sets([[w for w in part.all_words if w not in FUNCTION_WORDS] for part in parts]),
        described=_sets(described),
        right=_sets(_right_documents(table, knowledge)),
        kinds=_numbers([f"{p.tail}|{p.bracket}" if not p.suffix else f",{p.suffix}" for p in parts]),
        types=types,
    )


def no_pairs(table: Table) -> PairTable:
    """A table without channels, for independent decisions."""
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


def _sets(members: Sequence[Sequence[Any]]) -> Sets:
    index: dict[Any, int] = {}
    items: list[int] = []
    offsets = [0]
    for of_entity in members:
        items.extend(sorted({index.setdefault(member, len(index)) for member in of_entity}))
        offsets.append(len(items))
    # Training documents keep their numbers, so that neighbours can be left out.
    if index and all(isinstance(key, int) for key in index):
        names = np.array(list(index), dtype=np.int64)
        return Sets(np.array(offsets), names[np.array(items, dtype=np.int64)], int(names.max()) + 1)
    return Sets(np.array(offsets, dtype=np.int64), np.array(items, dtype=np.int64), len(index))


def _numbers(names: Sequence[str]) -> Ints:
    """A number for each name, equal for equal names."""
    index: dict[str, int] = {}
    return np.array([index.setdefault(name, len(index)) for name in names], dtype=np.int64)


def _cosines(rows: Sequence[Singles | None]) -> Bytes:
    """Cosines of unit vectors as bytes; 0 if either is unknown or the cosine is negative."""
    size = next((len(row) for row in rows if row is not None), 0)
    stacked = np.stack([np.zeros(size, dtype=np.float32) if row is None else row for row in rows])
    cosines: Bytes = np.clip(np.rint(255 * (stacked @ stacked.T)), 0, 255).astype(np.uint8).ravel()
    return cosines


@kernel
def _common(entities: Ints, sets: Sets, without: tuple[Int, Int]) -> ShortInts:
    """For every pair of slots, the number of items in both sets; items from without[0] to without[1] are left out."""
    n = len(entities)
    low, high = without
    count = np.zeros((n, n), dtype=np.int32)
    heads = np.zeros(sets.size + 1, dtype=np.int32)
    for a in range(n):
        for k in range(sets.offsets[entities[a]], sets.offsets[entities[a] + 1]):
            if not low <= sets.items[k] <= high:
                heads[sets.items[k] + 1] += 1
    for i in range(sets.size):
        heads[i + 1] += heads[i]
    at = heads[:-1].copy()
    postings = np.empty(heads[sets.size], dtype=np.int32)
    for a in range(n):
        for k in range(sets.offsets[entities[a]], sets.offsets[entities[a] + 1]):
            if not low <= sets.items[k] <= high:
                postings[at[sets.items[k]]] = a
                at[sets.items[k]] += 1
    for i in range(sets.size):
        for x in range(heads[i], heads[i + 1]):
            for y in range(heads[i], heads[i + 1]):
                count[postings[x], postings[y]] += 1
    return count


@kernel
def _fill(
    block: Bytes,
    entities: Ints,
    link_offsets: Ints,
    links: ShortInts,
    known: Known,
    without: tuple[int, int],
    column: Ints,
) -> None:
    """Write the channels of every pair of slots of a document with these entities."""
    n = len(entities)
    base = link_offsets[0]
    in_document = Sets(link_offsets - base, links[base : link_offsets[n]].astype(np.int64), n)
    # Typed, as `without` is: for bare numbers numba would compile the function once more.
    nothing = np.int64(NOTHING[0]), np.int64(NOTHING[1])
    linked = _common(np.arange(n), in_document, nothing)
    shared = _common(entities, known.words, nothing)
    told = _common(entities, known.described, nothing)
    together = _common(entities, known.right, without)
    for a in range(n):
        for k in range(link_offsets[a], link_offsets[a + 1]):
            block[a * n + links[k], column[_LINK]] = 255
        for b in range(n):
            at, one, other = a * n + b, entities[a], entities[b]
            if linked[a, b] > 0:
                union = linked[a, a] + linked[b, b] - linked[a, b]
                block[at, column[_SHARED_LINKS]] = round(255 * linked[a, b] / union)
            if shared[a, b] > 0:
                block[at, column[_TITLE_WORDS]] = round(255 * 2 * shared[a, b] / (shared[a, a] + shared[b, b]))
            if known.kinds[one] == known.kinds[other]:
                block[at, column[_SAME_KIND]] = 255
            if together[a, b] > 0:
                block[at, column[_TOGETHER]] = round(255 * together[a, b] / np.sqrt(together[a, a] * together[b, b]))
            if column[_DESCRIPTIONS] >= 0 and told[a, b] > 0:
                block[at, column[_DESCRIPTIONS]] = round(255 * 2 * told[a, b] / (told[a, a] + told[b, b]))
            if known.types[one] >= 0 and known.types[one] == known.types[other]:
                block[at, column[_SAME_TYPE]] = 255
            if a == b:
                block[at, column[_SAME_ENTITY]] = 255
