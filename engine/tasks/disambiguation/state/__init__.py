"""The state of a trained disambiguator, and how it is written to a model file."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.arrays import Floats, Singles
from engine.features.disambiguation.knowledge import KEYS, KeyCounts, Knowledge
from engine.features.disambiguation.local import Named
from engine.features.disambiguation.priors import Links, Priors
from engine.features.disambiguation.table import Table
from engine.features.disambiguation.vectors import Vectors
from engine.learners.trees.forest import Bins, Forest
from engine.lexicon.lexicon import Lexicon
from engine.tasks.disambiguation.settings import DisambiguationSettings


@dataclass(frozen=True, eq=False)
class NilOdds:
    """The log-odds that a mention is NIL, from trees over its columns (the largest value of any candidate in each).

    A surface that training never linked, without a candidate whose title or neighbourhood fits, probably names nothing
    in the knowledge base. The bias is added to these odds. The sequence model itself never sees NIL, since training it
    with NIL as a rival lowers in-KB accuracy.
    """

    forest: Forest

    def log_odds(self, table: Table, own: Singles) -> Floats:
        """One value per mention."""
        return self.forest.scores(mention_columns(table, own))


def mention_columns(table: Table, own: Singles) -> Singles:
    """The largest value of every own column over the mention's candidates; zeros if it has none."""
    columns = np.zeros((table.n_mentions, own.shape[1]), dtype=np.float32)
    some = np.diff(table.row_offsets) > 0
    if some.any():
        columns[some] = np.maximum.reduceat(own, table.row_offsets[:-1][some], axis=0)
    return columns


@dataclass(frozen=True, eq=False)
class DisambiguationState:
    """Statistics of the training documents, the trees, and the log-odds of NIL."""

    knowledge: Knowledge
    priors: Priors
    vectors: Vectors | None
    bins: Bins
    forest: Forest
    declining: NilOdds
    names: tuple[Named, ...]
    """Own columns, then pooled ones."""


def pack(state: DisambiguationState) -> dict[str, Any]:
    """Parts of a model file."""
    knowledge = state.knowledge
    vectors = knowledge.vectors
    parts: dict[str, Any] = {
        "vocabulary": list(knowledge.vocabulary),
        "idf": knowledge.idf,
        "vector_data": vectors.data,
        "vector_columns": vectors.indices.astype(np.int32),
        "vector_offsets": vectors.indptr.astype(np.int64),
        "descriptions": dict(knowledge.descriptions),
        "links": {s: {t: dict(n) for t, n in titles.items()} for s, titles in state.priors.links.counts.items()},
        "names": [dataclasses.astuple(name) for name in state.names],
        **{f"bins_{name}": part for name, part in state.bins.to_parts().items()},
        **{f"forest_{name}": part for name, part in state.forest.to_parts().items()},
        **{f"declining_{name}": part for name, part in state.declining.forest.to_parts().items()},
    }
    for kind, counts in knowledge.counts.items():
        parts[f"counts_{kind}_keys"] = _in_place(counts)
        for field in ("offsets", "documents", "offered", "right"):
            parts[f"counts_{kind}_{field}"] = getattr(counts, field)
    if state.priors.lexicon is not None:
        parts |= {f"lexicon_{name}": part for name, part in state.priors.lexicon.parts().items()}
    if state.vectors is not None:
        parts["entity_names"] = list(state.vectors)
        parts["entity_vectors"] = np.stack(list(state.vectors.values())).astype(np.float16)
    return parts


def _in_place(counts: KeyCounts) -> list[str]:
    """The keys in the order of their numbers. An empty key has several numbers, of which only the last is used."""
    keys = [""] * (len(counts.offsets) - 1)
    for key, number in counts.index.items():
        keys[number] = key
    return keys


def unpack(parts: Mapping[str, Any], settings: DisambiguationSettings) -> DisambiguationState:
    """The state that `pack` took apart."""
    vocabulary = {word: i for i, word in enumerate(parts["vocabulary"])}
    offsets = parts["vector_offsets"]
    shape = (len(offsets) - 1, len(vocabulary))
    from scipy import sparse  # late, as in features/disambiguation/knowledge.py

    vectors = sparse.csr_matrix((parts["vector_data"], parts["vector_columns"], offsets), shape=shape)
    counts = {
        kind: KeyCounts(
            {key: i for i, key in enumerate(parts[f"counts_{kind}_keys"])},
            *(parts[f"counts_{kind}_{field}"] for field in ("offsets", "documents", "offered", "right")),
        )
        for kind in KEYS
    }
    lexicon = _with_prefix(parts, "lexicon_")
    return DisambiguationState(
        knowledge=Knowledge(counts, vocabulary, parts["idf"], vectors, parts["descriptions"]),
        priors=Priors(
            Links(parts["links"]),
            Lexicon.from_parts(lexicon) if lexicon else None,
            settings.own_tags,
            settings.ignored_tags,
            settings.lookup,
        ),
        vectors=_entity_vectors(parts),
        bins=Bins.from_parts(_with_prefix(parts, "bins_")),
        forest=Forest.from_parts(_with_prefix(parts, "forest_")),
        declining=NilOdds(Forest.from_parts(_with_prefix(parts, "declining_"))),
        names=tuple(Named(*name) for name in parts["names"]),
    )


def with_lexicon(state: DisambiguationState, lexicon: Lexicon) -> DisambiguationState:
    """The same statistics and trees, with the names and priors of another lexicon, and its descriptions for entities
    that had none. A model that was trained without descriptions has no columns for them."""
    priors = dataclasses.replace(state.priors, lexicon=lexicon)
    known = state.knowledge.descriptions
    descriptions = {**priors.descriptions(), **known} if known else known
    return dataclasses.replace(
        state, priors=priors, knowledge=dataclasses.replace(state.knowledge, descriptions=descriptions)
    )


def _entity_vectors(parts: Mapping[str, Any]) -> Vectors | None:
    if "entity_names" not in parts:
        return None
    rows = parts["entity_vectors"].astype(np.float32)
    return dict(zip(parts["entity_names"], rows, strict=True))


def _with_prefix(parts: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    return {name.removeprefix(prefix): part for name, part in parts.items() if name.startswith(prefix)}
