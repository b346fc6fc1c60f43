"""Turns documents into scores: features of mentions and pairs, scored by the two classifiers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.arrays import Floats, Ints
from engine.data.document import Document
from engine.data.errors import InputError
from engine.data.pins import SpanRange
from engine.data.plain_text import tokenised
from engine.features.joint.entities import entity_features, role_features
from engine.features.joint.pairs import pair_features, typed_features
from engine.features.joint.sentence import Gazetteers, Sentence
from engine.features.span_proposals import propose
from engine.features.vocabulary import Vocabulary
from engine.learners.linear.onoff import Rows
from engine.structures.typed_pairs import pair_index
from engine.tasks.joint.constraints.space import Space
from engine.tasks.joint.mentions import gold_roles, gold_types
from engine.tasks.joint.scored import JointScored
from engine.tasks.joint.settings import SYSTEMS, JointSystem
from engine.tasks.joint.state import JointModel


def score(documents: Sequence[Document], model: JointModel) -> JointScored:
    """Log probabilities of the types of every mention and of the labels of every ordered pair of mentions."""
    state, system = model.state, SYSTEMS[model.learner]
    if system.sees == "gold" and model.settings.spans == "proposed":
        raise InputError("the omniscient system knows the gold labels, so it needs the given spans")
    spans = [spans_of(document, model) for document in documents]
    sizes = np.array([len(own) for own in spans], dtype=np.int64)
    sentences = sentences_of(documents, spans, state.gazetteers)
    entities = as_rows(state.entity_names, entity_rows(documents, sentences, system))
    types = state.entities.log_probabilities(entities).reshape(-1, len(state.space.types))
    seen = types_seen(documents, system, state.space, types, sizes)
    pairs = as_rows(state.pair_names, pair_rows(sentences, seen))
    labels = state.relations.log_probabilities(pairs).reshape(-1, len(state.space.labels))
    return replace(
        JointScored.of(documents, spans, state.space, (types, labels)),
        bias=model.bias,
        constraints=state.constraints,
        enforced=system.constrained,
        inference=model.settings.inference,
        systems=system.called,
    )


def spans_of(document: Document, model: JointModel) -> list[SpanRange]:
    """The mentions that the model decides about: the document's own, or those it proposes."""
    if model.settings.spans == "given":
        return [mention.span for mention in document.gold.mentions]
    return list(propose(tokenised(document), model.state.phrases))


def sentences_of(
    documents: Sequence[Document], spans: Sequence[Sequence[SpanRange]], gazetteers: Gazetteers
) -> list[Sentence]:
    return [Sentence.of(document, own, gazetteers) for document, own in zip(documents, spans, strict=True)]


def entity_rows(documents: Sequence[Document], sentences: Sequence[Sentence], system: JointSystem) -> list[list[str]]:
    """The features of every mention."""
    rows = []
    for document, sentence in zip(documents, sentences, strict=True):
        roles = gold_roles(document) if system.sees == "gold" else None
        for i in range(len(sentence.spans)):
            row = entity_features(sentence, i)
            rows.append(row if roles is None else row + role_features(roles[i]))
    return rows


def types_seen(
    documents: Sequence[Document], system: JointSystem, space: Space, types: Floats, sizes: Ints
) -> list[list[str]] | None:
    """The types of every sentence's mentions that the relation classifier sees, given the scores of types."""
    if system.sees == "gold":
        return [gold_types(document) for document in documents]
    if system.sees == "predicted types":
        best = [space.types[t] for t in types.argmax(axis=1)]
        ends = np.cumsum(sizes).tolist()
        return [best[end - size : end] for end, size in zip(ends, sizes.tolist(), strict=True)]
    return None


def pair_rows(sentences: Sequence[Sentence], types: Sequence[Sequence[str]] | None) -> list[list[str]]:
    """The features of every ordered pair; `types` are given per sentence if the relation classifier sees them."""
    rows = []
    for index, sentence in enumerate(sentences):
        for i, j in pair_index(len(sentence.spans)):
            row = pair_features(sentence, int(i), int(j))
            rows.append(row if types is None else row + typed_features(sentence, int(i), int(j), types[index]))
    return rows


def as_rows(vocabulary: Vocabulary, rows: Sequence[Sequence[str]]) -> Rows:
    starts, columns = vocabulary.rows(rows)
    return Rows(starts, columns, len(vocabulary))
