"""What a trained bag model is, how documents become its arrays, and how it is saved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.data.document import Document
from engine.data.errors import InputError
from engine.features.distant import Vocabulary, bag_features, member_features
from engine.learners.bags import BagCorpus, BagScores, LinearBags
from engine.learners.margin.cccp import BagSettings, Warm


@dataclass(frozen=True, eq=False)
class State:
    """Names of relations and features, and the weights. `warm`, which is not saved, is what retraining resumes from."""

    relations: tuple[str, ...]
    mention_features: Vocabulary
    bag_features: Vocabulary
    scorer: LinearBags
    warm: Warm | None = field(default=None, repr=False)


@dataclass(frozen=True, eq=False)
class Encoded:
    """Documents as arrays of one model's features, and where each document's gold labels are unknown to it."""

    corpus: BagCorpus
    unknown: NDArray[np.int64]
    """Per bag the gold labels of relations that the model has never seen."""


def usable(documents: Sequence[Document]) -> list[Document]:
    """The documents themselves, if all of them are bags."""
    for document in documents:
        if document.bag is None:
            raise InputError(
                f"document {document.id!r} is no bag; build bags from linked documents with `bags build`", field="bag"
            )
    return list(documents)


def features_of(
    documents: Sequence[Document],
) -> tuple[list[list[tuple[str, float]]], list[list[tuple[str, float]]], NDArray[np.int64]]:
    """Rows of mentions, rows of bags, and the offsets of the bags' mentions."""
    members = [member_features(document) for document in documents]
    offsets = np.concatenate([[0], np.cumsum([len(rows) for rows in members])]).astype(np.int64)
    return [row for rows in members for row in rows], [bag_features(rows) for rows in members], offsets


def build(documents: Sequence[Document], settings: BagSettings) -> tuple[State, BagCorpus]:
    """An untrained state whose names are those of the documents, and the documents in its arrays."""
    mentions, bags, _ = features_of(documents)
    relations = tuple(sorted({label for document in documents for label in document.gold.labels}))
    if not relations:
        raise InputError("no bag has a relation: there is nothing to learn")
    mention_names, bag_names = Vocabulary.build(mentions, settings.least), Vocabulary.build(bags, settings.least)
    n = len(relations)
    empty = LinearBags(np.zeros((len(mention_names), n), np.float32), np.zeros((len(bag_names), n), np.float32))
    state = State(relations, mention_names, bag_names, empty)
    return state, encode(documents, state, settings).corpus


def encode(documents: Sequence[Document], state: State, settings: BagSettings) -> Encoded:
    mentions, bags, offsets = features_of(documents)
    index = {relation: i for i, relation in enumerate(state.relations)}
    gold = np.zeros((len(documents), len(state.relations)), dtype=np.bool_)
    unknown = np.zeros(len(documents), dtype=np.int64)
    for row, document in enumerate(documents):
        for label in set(document.gold.labels):
            if label in index:
                gold[row, index[label]] = True
            else:
                unknown[row] += 1
    corpus = BagCorpus(
        state.mention_features.rows(mentions),
        state.bag_features.rows(bags, settings.bag_features),
        offsets,
        gold,
        settings.crowding,
    )
    return Encoded(corpus, unknown)


def score(documents: Sequence[Document], state: State, settings: BagSettings, bias: float) -> tuple[Encoded, BagScores]:
    encoded = encode(documents, state, settings)
    return encoded, state.scorer.of_corpus(encoded.corpus).with_bias(bias)


def pack(state: State) -> dict[str, Any]:
    return {
        "names": {
            "relations": list(state.relations),
            "mention_features": list(state.mention_features.names),
            "bag_features": list(state.bag_features.names),
            "nil": state.scorer.nil,
        },
        "mention_weights": state.scorer.mention_weights,
        "bag_weights": state.scorer.bag_weights,
    }


def unpack(parts: Mapping[str, Any]) -> State:
    names = parts["names"]
    return State(
        tuple(names["relations"]),
        Vocabulary.of(names["mention_features"]),
        Vocabulary.of(names["bag_features"]),
        LinearBags(parts["mention_weights"], parts["bag_weights"], names["nil"]),
    )
