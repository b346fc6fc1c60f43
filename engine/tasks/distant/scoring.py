"""Turns documents into scores: features of members and pairs, mapped to a model's columns and multiplied by its
weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.arrays import Ints
from engine.data.document import Document
from engine.features.distant.members import Row, bag_features, member_features
from engine.learners.bags import BagCorpus
from engine.tasks.base import Model
from engine.tasks.distant.scored import DistantScored, gold_labels, usable
from engine.tasks.distant.settings import DistantSettings, beta_of
from engine.tasks.distant.state import DistantState


@dataclass(frozen=True, eq=False)
class BagFeatures:
    """Named features of all members and all pairs of a corpus; members of bag b are rows offsets[b]:offsets[b + 1]."""

    members: list[Row]
    bags: list[Row]
    offsets: Ints

    @classmethod
    def of(cls, documents: Sequence[Document]) -> BagFeatures:
        rows = [member_features(document) for document in documents]
        offsets = np.concatenate([[0], np.cumsum([len(own) for own in rows])]).astype(np.int64)
        return cls([row for own in rows for row in own], [bag_features(own) for own in rows], offsets)


@dataclass(frozen=True, eq=False)
class Encoded:
    """Documents as arrays of a model's features, with the number of gold labels of each that the model does not
    know."""

    documents: tuple[Document, ...]
    corpus: BagCorpus
    unknown: Ints


def encode(
    documents: Sequence[Document], state: DistantState, settings: DistantSettings, features: BagFeatures | None = None
) -> Encoded:
    """The documents in the columns of a state; `features` are the documents' features if already computed."""
    features = features or BagFeatures.of(documents)
    gold, unknown = gold_labels(documents, state.relations)
    corpus = BagCorpus(
        state.mention_features.rows(features.members),
        state.bag_features.rows(features.bags, settings.bag_features),
        features.offsets,
        gold,
        settings.crowding,
    )
    return Encoded(tuple(documents), corpus, unknown)


def score(documents: Sequence[Document], model: Model[DistantSettings, DistantState]) -> DistantScored:
    return score_encoded(encode(usable(documents), model.state, model.settings), model)


def score_encoded(encoded: Encoded, model: Model[DistantSettings, DistantState]) -> DistantScored:
    """The scores of encoded documents."""
    scores = model.state.scorer.of_corpus(encoded.corpus)
    return DistantScored(
        documents=encoded.documents,
        bias=model.bias,
        relations=model.state.relations,
        member_offsets=encoded.corpus.offsets,
        member_scores=scores.mentions,
        shares=scores.shares,
        label_scores=scores.labels,
        gold=encoded.corpus.gold,
        unknown=encoded.unknown,
        bags=model.settings.bags,
        beta=beta_of(model.settings),
        inference=model.settings.inference,
    )
