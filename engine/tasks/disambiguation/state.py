"""What a trained disambiguator is, how documents become choices for it, and how it is written to a model file."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from engine.data.document import Document
from engine.features.disambiguation.all import Features, extract, pooled_names
from engine.features.disambiguation.knowledge import KEYS, Counts, Knowledge, learn
from engine.features.disambiguation.local import Named
from engine.features.disambiguation.priors import Links, Priors
from engine.features.disambiguation.table import GOLD_MISSING, NO_GOLD, Table, tabulate
from engine.features.disambiguation.vectors import Vectors
from engine.learners.sgtb.learner import SKIPPED, Choices
from engine.learners.trees.forest import Bins, Forest
from engine.lexicon.lexicon import Lexicon
from engine.tasks.disambiguation.declining import Declining, learn_declining
from engine.tasks.disambiguation.settings import DisambiguationSettings

Forced = Mapping[str, Mapping[int, Sequence[str]]]
"""Document id -> mention -> entities that must be among its candidates."""


@dataclass(frozen=True, eq=False)
class Corpus:
    """Documents as the learner sees them, with what the views show beside it."""

    table: Table
    features: Features
    choices: Choices
    nil: NDArray[np.float64]
    """Log-odds of NIL per mention, before any bias."""


@dataclass(frozen=True, eq=False)
class State:
    knowledge: Knowledge
    priors: Priors
    vectors: Vectors | None
    bins: Bins
    forest: Forest
    declining: Declining
    names: tuple[Named, ...]
    """Own columns, then pooled ones."""

    def with_forest(self, forest: Forest) -> State:
        return dataclasses.replace(self, forest=forest)

    def corpus(
        self,
        documents: Sequence[Document],
        settings: DisambiguationSettings,
        *,
        structured: bool,
        forced: Forced | None = None,
    ) -> Corpus:
        """New documents, with statistics of all training documents."""
        table = tabulate(documents, self.priors, most=settings.candidates, forced=forced)
        features = extract(
            table,
            self.knowledge,
            settings.features,
            own=False,
            leave_out=0,
            vectors=self.vectors,
            paired=structured,
        )
        codes = self.bins.transform(features.own)
        nil = self.declining.log_odds(table, features.own)
        return Corpus(table, features, as_choices(table, features, codes), nil)


def learn_state(
    documents: Sequence[Document],
    settings: DisambiguationSettings,
    lexicon: Lexicon | None,
    vectors: Vectors | None,
    *,
    structured: bool,
) -> tuple[State, Corpus]:
    """The state before any tree, and the training documents, each with its own statistics left out."""
    priors = Priors(Links.of(documents), lexicon)
    table = tabulate(documents, priors, most=settings.candidates, own=True)
    knowledge = learn(table, priors.descriptions())
    features = extract(
        table,
        knowledge,
        settings.features,
        own=True,
        leave_out=round(settings.leave_out * len(documents)),
        vectors=vectors,
        paired=structured,
    )
    # One code is kept for missing values, and pooled codes go up to 254.
    bins = Bins.fit(features.own, 254)
    names = (*features.names, *(pooled_names(features.pairs.channels) if structured else ()))
    declining = learn_declining(table, features.own, settings.seed)
    state = State(knowledge, priors, vectors, bins, Forest(()), declining, names)
    choices = as_choices(table, features, bins.transform(features.own))
    return state, Corpus(table, features, choices, declining.log_odds(table, features.own))


def as_choices(table: Table, features: Features, codes: NDArray[np.uint8]) -> Choices:
    """Mentions in text order. Those whose right entity is missing take no part in training; nothing declines."""
    surfaces: dict[str, int] = {}
    gold = table.gold.copy()
    gold[(gold == GOLD_MISSING) | (gold == NO_GOLD)] = SKIPPED
    return Choices(
        document_offsets=table.document_offsets,
        row_offsets=table.row_offsets,
        order=np.arange(table.n_mentions),
        codes=codes,
        slot=table.slot.astype(np.int64),
        surface=np.array([surfaces.setdefault(name, len(surfaces)) for name in table.surfaces], dtype=np.int64),
        gold=gold,
        allowed=np.ones(table.n_rows, dtype=np.bool_),
        # A mention without candidates can only be declined.
        nil_allowed=np.diff(table.row_offsets) == 0,
        n_slots=np.diff(table.slot_offsets),
        pair_offsets=features.pairs.offsets,
        pairs=features.pairs.values,
    )


def pack(state: State) -> dict[str, Any]:
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
        parts[f"counts_{kind}_keys"] = list(counts.index)
        for field in ("offsets", "documents", "offered", "right"):
            parts[f"counts_{kind}_{field}"] = getattr(counts, field)
    if state.priors.lexicon is not None:
        parts |= {f"lexicon_{name}": part for name, part in state.priors.lexicon.parts().items()}
    if state.vectors is not None:
        parts["entity_names"] = list(state.vectors)
        parts["entity_vectors"] = np.stack(list(state.vectors.values())).astype(np.float16)
    return parts


def unpack(parts: Mapping[str, Any]) -> State:
    """The state that `pack` took apart."""
    vocabulary = {word: i for i, word in enumerate(parts["vocabulary"])}
    offsets = parts["vector_offsets"]
    shape = (len(offsets) - 1, len(vocabulary))
    vectors = sparse.csr_matrix((parts["vector_data"], parts["vector_columns"], offsets), shape=shape)
    counts = {
        kind: Counts(
            {key: i for i, key in enumerate(parts[f"counts_{kind}_keys"])},
            *(parts[f"counts_{kind}_{field}"] for field in ("offsets", "documents", "offered", "right")),
        )
        for kind in KEYS
    }
    lexicon = _with_prefix(parts, "lexicon_")
    return State(
        knowledge=Knowledge(counts, vocabulary, parts["idf"], vectors, parts["descriptions"]),
        priors=Priors(Links(parts["links"]), Lexicon.from_parts(lexicon) if lexicon else None),
        vectors=_entity_vectors(parts),
        bins=Bins.from_parts(_with_prefix(parts, "bins_")),
        forest=Forest.from_parts(_with_prefix(parts, "forest_")),
        declining=Declining(Forest.from_parts(_with_prefix(parts, "declining_"))),
        names=tuple(Named(*name) for name in parts["names"]),
    )


def _entity_vectors(parts: Mapping[str, Any]) -> Vectors | None:
    if "entity_names" not in parts:
        return None
    rows = parts["entity_vectors"].astype(np.float32)
    return dict(zip(parts["entity_names"], rows, strict=True))


def _with_prefix(parts: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    return {name.removeprefix(prefix): part for name, part in parts.items() if name.startswith(prefix)}
