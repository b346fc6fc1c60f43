"""Text similarities from vectors: how close a candidate is to the words around the mention.

Yang, Irsoy and Rahman (2018, section 4.2) take three textual similarities after Yamada et al. (2016), from vectors
that were learnt for words and entities together. Here they are the cosines of the entity's vector with the mean of the
vectors of the document's words, of the mention's own words, and of the words of the document's other mentions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import numpy as np

from engine.arrays import Singles
from engine.features.disambiguation.local import Named, lead
from engine.features.disambiguation.strings import FUNCTION_WORDS, WORD
from engine.features.disambiguation.table import Table
from engine.features.disambiguation.vectors import Vectors

_WITH: Final = (
    ("document", "the document's words"),
    ("mention", "the mention's own words"),
    ("names", "the words of the document's other mentions"),
)
_HELP: Final = "Cosine of the entity's vector with the mean vector of"
NAMES: Final = tuple(
    Named(f"vector of {key}{more}", "context", f"{_HELP} {what}.{said}")
    for key, what in _WITH
    for more, said in (("", ""), (", lead", " Lead over the mention's best other candidate."))
)
"""Each column is followed by its lead."""


def knows_words(table: Table, vectors: Mapping[str, Singles]) -> bool:
    """Whether the vectors include words of these documents, not only entities."""
    return any(word in vectors for bow in table.bows for word in bow)


def text_similarities(table: Table, vectors: Vectors) -> Singles:
    """One column per name; 0 if entity or words have no vector."""
    size = len(next(iter(vectors.values()))) if vectors else 0
    entities = np.zeros((len(table.titles), size), dtype=np.float32)
    for e, title in enumerate(table.titles):
        if title in vectors:
            entities[e] = vectors[title]
    own = [_words(surface) for surface in table.surfaces]
    columns = np.zeros((table.n_rows, len(NAMES)), dtype=np.float32)
    for d in range(table.n_documents):
        mentions = range(int(table.document_offsets[d]), int(table.document_offsets[d + 1]))
        document = _mean(table.bows[d].items(), vectors, size)
        for m in mentions:
            others = [word for other in mentions if other != m for word in own[other]]
            around = np.stack(
                [
                    document,
                    _mean(((w, 1) for w in own[m]), vectors, size),
                    _mean(((w, 1) for w in others), vectors, size),
                ]
            )
            first, last = int(table.row_offsets[m]), int(table.row_offsets[m + 1])
            columns[first:last, ::2] = entities[table.entity[first:last]] @ around.T
    for at in range(0, len(NAMES), 2):
        columns[:, at + 1] = lead(np.ascontiguousarray(columns[:, at]), table.row_offsets)
    return columns


def _words(surface: str) -> list[str]:
    return [word for word in WORD.findall(surface.lower()) if word not in FUNCTION_WORDS]


def _mean(words: Iterable[tuple[str, int]], vectors: Mapping[str, Singles], size: int) -> Singles:
    """The mean of the words' vectors, weighted by frequency, as a unit vector; zeros if none is known."""
    total = np.zeros(size, dtype=np.float32)
    for word, n in words:
        if word in vectors:
            total += n * vectors[word]
    length = float(np.linalg.norm(total))
    return total / length if length > 0 else total
