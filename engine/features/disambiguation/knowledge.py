"""What training documents teach about names: counts per document, so that any document can be left out.

For every kind of key (a surface with an entity, an entity, a title pattern with the mention's type, ...) it records the
documents in which a candidate had the key, and those in which that candidate was right. A rate is then a weighted sum
over documents: with equal weights for a prior, or weighted by similarity of words for "what was right in documents like
this one". A document is left out by giving it weight zero, and in training a document never sees itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from engine.arrays import Ints, ShortInts, Singles
from engine.features.disambiguation.strings import WORD, coarse, fit, pattern, take_apart, topics
from engine.features.disambiguation.table import NER_TYPES, Table
from engine.kernels import kernel

if TYPE_CHECKING:
    from scipy import sparse

KEYS: Final = ("link", "expanded", "entity", "pattern", "shape", "tail", "type", "kind", "fit")
"""surface+entity, expanded surface+entity, entity, mention type+title pattern, mention
type+place+coarse pattern+entity type, mention type+last word of the title,
mention type+entity type, mention type+description, mention type+what the title adds and whether the document has it."""

_NER_NAMES: Final = (*NER_TYPES, "none")


@dataclass(frozen=True, eq=False)
class KeyCounts:
    """One kind of key: for each key the documents that contain it, how often, and how often it was right."""

    index: Mapping[str, int]
    offsets: Ints
    documents: ShortInts
    offered: Singles
    right: Singles


@dataclass(frozen=True, eq=False)
class Knowledge:
    counts: Mapping[str, KeyCounts]
    vocabulary: Mapping[str, int]
    idf: Singles
    vectors: sparse.csr_matrix
    """One tf-idf row of unit length per training document."""
    descriptions: Mapping[str, str]

    @property
    def n_documents(self) -> int:
        return int(self.vectors.shape[0])


@dataclass(frozen=True, eq=False)
class Keys:
    """The key of every row as a number, and the text of each number; -1 for a row without a key."""

    names: tuple[str, ...]
    ids: Ints


def keys_of(table: Table, descriptions: Mapping[str, str]) -> dict[str, Keys]:
    """The keys of all rows, by kind. The text of a key is built once per distinct key, not once per row."""
    mention = table.mention_of_row()
    entity = table.entity.astype(np.int64)
    parts = [take_apart(title) for title in table.titles]
    ner = table.ner.astype(np.int64)[mention]
    # Headlines, datelines and running text use the same names for different things.
    place = 2 * (np.clip(table.sentences, -1, 2) + 1) + table.upper
    surfaces, surface = _numbered(table.surfaces)
    longer, expanded = _numbered(table.expanded)
    tails, tail = _numbered([part.tail for part in parts])
    kinds, kind = _numbered([descriptions.get(title, "") for title in table.titles])
    words = [tuple(WORD.findall(text)) for text in longer]
    fits = _pairs(expanded[mention], entity, lambda e, t: pattern(parts[t], words[e]))
    shapes, shape = _numbered(fits.names)
    shape = shape[fits.ids]
    forms, form = _numbered([coarse(text) for text in shapes])
    spot = (ner * 8 + place[mention]) * 4 + table.type
    described = _pairs(ner, kind[entity], lambda n, k: f"{_NER_NAMES[n]}\t{kinds[k]}" if kinds[k] else "")
    document = table.document_of_mention()[mention]
    spoken = [topics(bow) for bow in table.bows]
    told = _pairs(
        expanded[mention] * table.n_documents + document,
        entity,
        lambda x, t: fit(parts[t], words[x // table.n_documents], spoken[x % table.n_documents]),
    )
    added, adds = _numbered(told.names)
    return {
        "link": _pairs(surface[mention], entity, lambda s, e: f"{surfaces[s]}\t{table.titles[e]}"),
        "expanded": _pairs(expanded[mention], entity, lambda s, e: f"{longer[s]}\t{table.titles[e]}"),
        "entity": Keys(table.titles, entity),
        "pattern": _pairs(ner, shape, lambda n, p: f"{_NER_NAMES[n]}\t{shapes[p]}"),
        "shape": _pairs(spot, form[shape], lambda x, f: f"{_NER_NAMES[x // 32]}\t{x // 4 % 8}\t{forms[f]}\t{x % 4}"),
        "tail": _pairs(ner, tail[entity], lambda n, t: f"{_NER_NAMES[n]}\t{tails[t]}"),
        "type": _pairs(ner, table.type.astype(np.int64), lambda n, t: f"{_NER_NAMES[n]}\t{t}"),
        "kind": Keys(
            described.names,
            np.array([i if name else -1 for i, name in enumerate(described.names)], dtype=np.int64)[described.ids],
        ),
        "fit": _pairs(ner, adds[told.ids], lambda n, a: f"{_NER_NAMES[n]}\t{added[a]}"),
    }


def _numbered(texts: Sequence[str]) -> tuple[list[str], Ints]:
    """The distinct texts, and the number of each."""
    index: dict[str, int] = {}
    ids = np.array([index.setdefault(text, len(index)) for text in texts], dtype=np.int64)
    return list(index), ids


def _pairs(first: Ints, second: Ints, name: Callable[[int, int], str]) -> Keys:
    """Keys made of two numbers."""
    width = int(second.max(initial=0)) + 1
    cells, ids = np.unique(first * width + second, return_inverse=True)
    return Keys(tuple(name(int(cell) // width, int(cell) % width) for cell in cells), ids.astype(np.int64))


def learn(table: Table, descriptions: Mapping[str, str]) -> Knowledge:
    """The counts of an annotated table. In a mention without a right candidate, all candidates count as wrong."""
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


def vectors_of(bows: Sequence[Mapping[str, int]], vocabulary: Mapping[str, int], idf: Singles) -> sparse.csr_matrix:
    """tf-idf of unit length; words that training never saw are left out."""
    # Imported late: who only looks at systems has no use for it, and it takes a tenth of a second.
    from scipy import sparse

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


def similarities(table: Table, knowledge: Knowledge, *, own: bool, leave_out: int) -> Singles:
    """Word similarity of every document to every training document; 0 for those that are left out.

    `own`: the table is the training table itself, so each document leaves out itself and its neighbours in the file.
    """
    vectors = knowledge.vectors if own else vectors_of(table.bows, knowledge.vocabulary, knowledge.idf)
    weights = np.asarray((vectors @ knowledge.vectors.T).todense(), dtype=np.float32)
    # Even documents without a common word are somewhat informative about names.
    weights = np.maximum(weights, np.float32(1e-3))
    if own:
        n = len(weights)
        near = np.abs(np.arange(n)[:, None] - np.arange(n)[None, :]) <= leave_out
        weights[near] = 0.0
    return weights


def rates(table: Table, knowledge: Knowledge, keys: Keys, kind: str, weights: Singles) -> Singles:
    """Counts of every row's key over the training documents: offered and right; both weighted by squared similarity;
    the highest similarity of a document in which it was right; both weighted by the fourth power of similarity."""
    counts = knowledge.counts[kind]
    known = np.array([counts.index.get(name, -1) for name in keys.names] + [-1], dtype=np.int64)
    documents = table.document_of_mention()[table.mention_of_row()]
    return _weigh(known[keys.ids], documents, counts.offsets, counts.documents, counts.offered, counts.right, weights)


def _count(keys: Keys, documents: Ints, right: Singles, n_documents: int) -> KeyCounts:
    order = sorted(range(len(keys.names)), key=keys.names.__getitem__)
    place = np.empty(len(order) + 1, dtype=np.int64)
    place[order] = np.arange(len(order))
    place[-1] = -1
    ids = place[keys.ids]
    kept = ids >= 0
    cell = ids[kept] * n_documents + documents[kept]
    cells, inverse = np.unique(cell, return_inverse=True)
    offered = np.bincount(inverse, minlength=len(cells)).astype(np.float32)
    rights = np.bincount(inverse, weights=right[kept], minlength=len(cells)).astype(np.float32)
    owner = cells // max(1, n_documents)
    offsets = np.searchsorted(owner, np.arange(len(order) + 1)).astype(np.int64)
    index = {keys.names[i]: at for at, i in enumerate(order)}
    return KeyCounts(index, offsets, (cells % max(1, n_documents)).astype(np.int32), offered, rights)


@kernel
def _weigh(
    ids: Ints,
    documents: Ints,
    offsets: Ints,
    in_documents: ShortInts,
    offered: Singles,
    right: Singles,
    weights: Singles,
) -> Singles:
    """The columns that `rates` describes, in this order; all zeros for a row without a known key."""
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
