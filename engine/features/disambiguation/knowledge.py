"""What training documents teach about names: counts by document, so that any document can be left out.

For every kind of key (a surface with an entity, an entity, a title pattern with the mention's type, ...) it is kept in
which documents a candidate had the key, and in which of them it was the right one. A rate is then a weighted sum over
documents: all alike for a prior, by similarity of their words for "what was right in documents like this one".
Leaving documents out is giving them weight zero, and in training a document never sees itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy import sparse

from engine.features.disambiguation.strings import WORD, coarse, pattern, take_apart
from engine.features.disambiguation.table import NER_TYPES, Table

KEYS: Final = ("link", "expanded", "entity", "pattern", "shape", "tail", "type", "kind")
"""surface+entity, expanded surface+entity, entity, mention type+title pattern, mention
type+place+coarse pattern+entity type, mention type+last word of the title,
mention type+entity type, mention type+description."""

_NER_NAMES: Final = (*NER_TYPES, "none")


@dataclass(frozen=True, eq=False)
class Counts:
    """One kind of key: per key the documents that offer it, how often, and how often it was right."""

    index: Mapping[str, int]
    offsets: NDArray[np.int64]
    documents: NDArray[np.int32]
    offered: NDArray[np.float32]
    right: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Knowledge:
    counts: Mapping[str, Counts]
    vocabulary: Mapping[str, int]
    idf: NDArray[np.float32]
    vectors: sparse.csr_matrix
    """One tf-idf row of unit length per training document."""
    descriptions: Mapping[str, str]

    @property
    def n_documents(self) -> int:
        return int(self.vectors.shape[0])


def keys_of(table: Table, descriptions: Mapping[str, str]) -> dict[str, list[str]]:
    """The key of every row, by kind."""
    mentions = table.mention_of_row()
    words = [tuple(WORD.findall(surface)) for surface in table.expanded]
    parts = [take_apart(title) for title in table.titles]
    out: dict[str, list[str]] = {kind: [] for kind in KEYS}
    patterns: dict[tuple[tuple[str, ...], int], str] = {}
    kinds = [descriptions.get(title, "") for title in table.titles]
    # Headlines, datelines and running text use the same names for different things.
    places = [
        f"{min(max(s, -1), 2)}{'U' if upper else ''}" for s, upper in zip(table.sentences, table.upper, strict=True)
    ]
    for row, mention in enumerate(mentions):
        entity = int(table.entity[row])
        title = table.titles[entity]
        ner = _NER_NAMES[table.ner[mention]]
        spot = (words[mention], entity)
        shape = patterns.get(spot)
        if shape is None:
            shape = patterns[spot] = pattern(parts[entity], words[mention])
        out["link"].append(f"{table.surfaces[mention]}\t{title}")
        out["expanded"].append(f"{table.expanded[mention]}\t{title}")
        out["entity"].append(title)
        out["pattern"].append(f"{ner}\t{shape}")
        out["shape"].append(f"{ner}\t{places[mention]}\t{coarse(shape)}\t{table.type[row]}")
        out["tail"].append(f"{ner}\t{parts[entity].tail}")
        out["type"].append(f"{ner}\t{table.type[row]}")
        out["kind"].append(f"{ner}\t{kinds[entity]}" if kinds[entity] else "")
    return out


def learn(table: Table, descriptions: Mapping[str, str]) -> Knowledge:
    """The counts of an annotated table. Mentions without a right candidate count as offers that were all wrong."""
    right = np.zeros(table.n_rows, dtype=np.float32)
    right[table.gold[table.gold >= 0]] = 1.0
    documents = table.document_of_mention()[table.mention_of_row()]
    keys = keys_of(table, descriptions)
    counts = {kind: _count(keys[kind], documents, right, table.n_documents) for kind in KEYS}
    frequency: dict[str, int] = {}
    for bow in table.bows:
        for word in bow:
            frequency[word] = frequency.get(word, 0) + 1
    vocabulary = {word: i for i, word in enumerate(sorted(frequency))}
    n = max(1, table.n_documents)
    idf = np.array([np.log((n + 1) / (frequency[word] + 0.5)) for word in vocabulary], dtype=np.float32)
    return Knowledge(counts, vocabulary, idf, vectors_of(table.bows, vocabulary, idf), dict(descriptions))


def vectors_of(
    bows: Sequence[Mapping[str, int]], vocabulary: Mapping[str, int], idf: NDArray[np.float32]
) -> sparse.csr_matrix:
    """tf-idf of unit length; words that training never saw are left out."""
    data: list[float] = []
    columns: list[int] = []
    offsets = [0]
    for bow in bows:
        known = sorted((vocabulary[word], count) for word, count in bow.items() if word in vocabulary)
        values = np.array([(1 + np.log(count)) * idf[i] for i, count in known])
        norm = float(np.sqrt(np.sum(values**2))) or 1.0
        data.extend(values / norm)
        columns.extend(i for i, _ in known)
        offsets.append(len(columns))
    shape = (len(bows), len(vocabulary))
    return sparse.csr_matrix((np.array(data, dtype=np.float32), columns, offsets), shape=shape)


def similarities(table: Table, knowledge: Knowledge, *, own: bool, leave_out: int) -> NDArray[np.float32]:
    """Word similarity of every document to every training document; 0 for those that are left out.

    `own`: the table is the training table itself, so each document leaves out itself and its neighbours in the file.
    """
    vectors = knowledge.vectors if own else vectors_of(table.bows, knowledge.vocabulary, knowledge.idf)
    weights = np.asarray((vectors @ knowledge.vectors.T).todense(), dtype=np.float32)
    # Even documents that share no word tell something about names.
    weights = np.maximum(weights, np.float32(1e-3))
    if own:
        n = len(weights)
        near = np.abs(np.arange(n)[:, None] - np.arange(n)[None, :]) <= leave_out
        weights[near] = 0.0
    return weights


def rates(table: Table, knowledge: Knowledge, keys: Sequence[str], kind: str, weights: Any) -> NDArray[np.float32]:
    """Weighted counts of every row's key over the training documents: offered, right, both weighted by squared
    similarity, the highest similarity of a document in which it was right, both weighted by its fourth power."""
    counts = knowledge.counts[kind]
    index = counts.index
    ids = np.array([index.get(key, -1) for key in keys], dtype=np.int64)
    documents = table.document_of_mention()[table.mention_of_row()]
    return _weigh(ids, documents, counts.offsets, counts.documents, counts.offered, counts.right, weights)


def _count(keys: Sequence[str], documents: NDArray[np.int64], right: NDArray[np.float32], n_documents: int) -> Counts:
    names = sorted(set(keys) - {""})
    index = {key: i for i, key in enumerate(names)}
    ids = np.array([index.get(key, -1) for key in keys], dtype=np.int64)
    kept = ids >= 0
    cell = ids[kept] * n_documents + documents[kept]
    cells, inverse = np.unique(cell, return_inverse=True)
    offered = np.bincount(inverse, minlength=len(cells)).astype(np.float32)
    rights = np.bincount(inverse, weights=right[kept], minlength=len(cells)).astype(np.float32)
    owner = cells // max(1, n_documents)
    offsets = np.searchsorted(owner, np.arange(len(names) + 1)).astype(np.int64)
    return Counts(index, offsets, (cells % max(1, n_documents)).astype(np.int32), offered, rights)


@njit(cache=True, nogil=True)
def _weigh(ids, documents, offsets, in_documents, offered, right, weights):
    out = np.zeros((len(ids), 7), dtype=np.float32)
    for row in range(len(ids)):
        key = ids[row]
        if key < 0:
            continue
        document = documents[row]
        n = 0.0
        g = 0.0
        wn = 0.0
        wg = 0.0
        highest = 0.0
        sn = 0.0
        sg = 0.0
        for at in range(offsets[key], offsets[key + 1]):
            w = weights[document, in_documents[at]]
            if w == 0.0:
                continue
            n += offered[at]
            g += right[at]
            # Squared, so that the nearest documents outweigh the many distant ones.
            wn += w * w * offered[at]
            wg += w * w * right[at]
            sn += w * w * w * w * offered[at]
            sg += w * w * w * w * right[at]
            if right[at] > 0 and w > highest:
                highest = w
        out[row, 0] = n
        out[row, 1] = g
        out[row, 2] = wn
        out[row, 3] = wg
        out[row, 4] = highest
        out[row, 5] = sn
        out[row, 6] = sg
    return out
