"""A trained joint model: two local classifiers, the constraints, and what turns documents into their scores.

The five systems differ in what the classifiers see and in whether constraints decide: basic (nothing of each other, no
constraints), pipeline (relations see predicted types), lp and ilp (as basic, decided together under the constraints),
omniscient (each sees the other's gold labels; an upper bound that needs gold at decision time).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np

from engine.data.document import Document, Layer, Mention
from engine.data.errors import InputError
from engine.data.plain_text import tokenised
from engine.features.joint.entities import entity_features, role_features
from engine.features.joint.pairs import pair_features, typed_features
from engine.features.joint.sentence import Gazetteers, Sentence
from engine.features.span_proposals import propose
from engine.features.vocabulary import Vocabulary
from engine.learners.linear.onoff import Classifier, Rows
from engine.settings import Settings, setting
from engine.store import modelfile
from engine.structures.typed_pairs import Corpus, pair_index, position
from engine.tasks.base import Model
from engine.tasks.joint.compile import Floats, Groups, Ints, Space
from engine.tasks.joint.constraints import Constraint, from_json, to_json
from engine.tasks.joint.inference import Decoder, Scored

NONE: Final = "none"
CONSTRAINED: Final = ("lp", "ilp")


@dataclass(frozen=True, kw_only=True)
class JointSettings(Settings):
    """Options of all five systems."""

    classifier: Literal["logistic", "winnow"] = setting(
        "logistic", "Local classifiers: logistic regression, or Winnow as in the paper."
    )
    spans: Literal["given", "proposed"] = setting(
        "given", "Where mentions come from when predicting: the document's own, or a simple proposer."
    )
    negatives: Literal["active", "all"] = setting(
        "active", "Sentences the relation classifier learns from: those with a relation, as in the paper, or all."
    )
    strength: float = setting(0.2, "Inverse strength of the penalty of logistic regression.", low=1e-4, high=1e4)
    epochs: int = setting(25, "Passes of Winnow over the training data.", low=1, high=500)
    promotion: float = setting(1.1, "Winnow's factor for weights that were too small.", low=1.0001, high=4.0)
    demotion: float = setting(0.9, "Winnow's factor for weights that were too large.", low=0.05, high=0.9999)
    thickness: float = setting(0.1, "Half the width of Winnow's threshold.", low=0.0, high=1.0)
    rare: int = setting(2, "A feature must occur in at least this many rows.", low=1, high=100)
    folds: int = setting(
        5, "Parts of the training data for held-out scores: bias, calibration, pipeline.", low=2, high=20
    )
    licence: float = setting(
        0.97,
        "Without a constraint file: share of a relation's cases that its allowed types must cover.",
        low=0.5,
        high=1,
    )


@dataclass(frozen=True, eq=False)
class State:
    """Everything a joint model needs to decide."""

    space: Space
    entity_names: Vocabulary
    pair_names: Vocabulary
    entities: Classifier
    relations: Classifier
    constraints: tuple[Constraint, ...]
    gazetteers: Gazetteers
    phrases: frozenset[str]
    """Mentions seen in training, lower case: what the span proposer knows."""


def with_constraints(model: Model, constraints: Sequence[Constraint]) -> Model:
    """The same model under other constraints: decided anew, not trained anew."""
    return replace(model, state=replace(model.state, constraints=tuple(constraints)))


def keep_constraints(path: Path, constraints: Sequence[Constraint]) -> None:
    """Write the constraints into a model file in place of its own: it decides with them from then on."""
    modelfile.change_part(path, "constraints", to_json(constraints))


def decoder(model: Model) -> Decoder:
    """Inference as the model's system does it: only lp and ilp let constraints decide."""
    state: State = model.state
    return Decoder(state.space, state.constraints if model.learner in CONSTRAINED else ())


def systems(model: Model) -> dict[str, Decoder]:
    """What the model's classifiers are when they decide alone and when its constraints decide, by the system's name."""
    state: State = model.state
    blind = model.learner in ("basic", *CONSTRAINED)
    alone = "basic" if blind else model.learner
    together = model.learner if model.learner in CONSTRAINED else "lp" if blind else f"{model.learner} with constraints"
    return {alone: Decoder(state.space, ()), together: Decoder(state.space, state.constraints)}


def mentions_of(document: Document, state: State, settings: JointSettings) -> tuple[Mention, ...]:
    if settings.spans == "given":
        return document.gold.mentions
    return tuple(Mention(start, end) for start, end in propose(tokenised(document), state.phrases))


def sentences_of(
    documents: Sequence[Document], mentions: Sequence[Sequence[Mention]], gazetteers: Gazetteers
) -> list[Sentence]:
    return [Sentence.of(document, chosen, gazetteers) for document, chosen in zip(documents, mentions, strict=True)]


def entity_rows(documents: Sequence[Document], sentences: Sequence[Sentence], system: str) -> list[list[str]]:
    rows = []
    for document, sentence in zip(documents, sentences, strict=True):
        roles = gold_roles(document) if system == "omniscient" else None
        for i in range(len(sentence.spans)):
            row = entity_features(sentence, i)
            rows.append(row if roles is None else row + role_features(roles[i]))
    return rows


def pair_rows(sentences: Sequence[Sentence], types: Sequence[Sequence[str]] | None) -> list[list[str]]:
    """Rows of every ordered pair; `types` per sentence where the relation classifier sees them."""
    rows = []
    for index, sentence in enumerate(sentences):
        for i, j in pair_index(len(sentence.spans)):
            row = pair_features(sentence, int(i), int(j))
            rows.append(row if types is None else row + typed_features(sentence, int(i), int(j), types[index]))
    return rows


def as_rows(vocabulary: Vocabulary, rows: Sequence[Sequence[str]]) -> Rows:
    starts, columns = vocabulary.rows(rows)
    return Rows(starts, columns, len(vocabulary))


def score(documents: Sequence[Document], model: Model) -> tuple[list[tuple[Mention, ...]], Scored]:
    """The mentions of every document, and log probabilities of their types and of the labels of their pairs."""
    state: State = model.state
    settings = model.settings
    assert isinstance(settings, JointSettings)
    if model.learner == "omniscient" and settings.spans == "proposed":
        raise InputError("the omniscient system knows the gold labels, so it needs the given spans")
    mentions = [mentions_of(document, state, settings) for document in documents]
    sentences = sentences_of(documents, mentions, state.gazetteers)
    sizes = np.array([len(chosen) for chosen in mentions], dtype=np.int64)
    rows = entity_rows(documents, sentences, model.learner)
    types = state.entities.log_probabilities(as_rows(state.entity_names, rows))
    seen: list[list[str]] | None = None
    if model.learner == "pipeline":
        seen = split([state.space.types[t] for t in types.argmax(axis=1)] if len(types) else [], sizes)
    elif model.learner == "omniscient":
        seen = [gold_types(document) for document in documents]
    labels = state.relations.log_probabilities(as_rows(state.pair_names, pair_rows(sentences, seen)))
    types = types.reshape(-1, len(state.space.types))
    labels = labels.reshape(-1, len(state.space.labels))
    groups = tuple(same_groups(d, m) for d, m in zip(documents, mentions, strict=True))
    return mentions, Scored(Corpus.of(types, labels, sizes), groups)


def split(values: Sequence[Any], sizes: Ints) -> list[list[Any]]:
    out, at = [], 0
    for size in sizes:
        out.append(list(values[at : at + int(size)]))
        at += int(size)
    return out


def gold_types(document: Document) -> list[str]:
    types = [mention.type for mention in document.gold.mentions]
    if None in types:
        raise InputError(f"a mention of document {document.id!r} has no type")
    return [str(one) for one in types]


def gold_roles(document: Document) -> list[list[str]]:
    """What every mention of a document is head or tail of."""
    roles: list[list[str]] = [[] for _ in document.gold.mentions]
    for relation in document.gold.relations:
        roles[relation.head].append(f"head of {relation.type}")
        roles[relation.tail].append(f"tail of {relation.type}")
    return roles


def gold_labels(document: Document, mentions: Sequence[Mention], space: Space) -> tuple[Ints, Ints]:
    """Gold type of every mention and label of every pair, by span; -1 where gold has no such mention or type."""
    of_span = {mention.span: k for k, mention in enumerate(document.gold.mentions)}
    known = [of_span.get(mention.span, -1) for mention in mentions]
    n = len(mentions)
    types = np.full(n, -1, dtype=np.int64)
    for i, k in enumerate(known):
        name = document.gold.mentions[k].type if k >= 0 else None
        if name in space.types:
            types[i] = space.type(str(name))
    labels = np.zeros(n * (n - 1), dtype=np.int64)
    place = {k: i for i, k in enumerate(known) if k >= 0}
    for relation in document.gold.relations:
        head, tail = place.get(relation.head), place.get(relation.tail)
        if head is not None and tail is not None and head != tail and relation.type in space.labels:
            labels[position(n, head, tail)] = space.label(relation.type)
    return types, labels


def same_groups(document: Document, mentions: Sequence[Mention]) -> Groups:
    """Mentions that are the same thing: by their words, and by the clusters of every layer."""
    by_phrase: dict[str, list[int]] = {}
    for i, mention in enumerate(mentions):
        by_phrase.setdefault(document.surface(mention).lower(), []).append(i)
    groups: Groups = {("phrase", ""): tuple(tuple(g) for g in by_phrase.values() if len(g) > 1)}
    place = {mention.span: i for i, mention in enumerate(mentions)}
    for name, layer in document.layers.items():
        if layer.clusters:
            groups["clusters", name] = tuple(_placed(layer, place))
    return groups


def _placed(layer: Layer, place: Mapping[tuple[int, int], int]) -> list[tuple[int, ...]]:
    found = [tuple(place[s] for s in (layer.mentions[k].span for k in c) if s in place) for c in layer.clusters]
    return [group for group in found if len(group) > 1]


def pack(state: State) -> dict[str, Any]:
    return {
        "space": {"types": list(state.space.types), "labels": list(state.space.labels)},
        "entity_names": list(state.entity_names.names),
        "pair_names": list(state.pair_names.names),
        "entity_weights": state.entities.weights.astype(np.float32),
        "entity_intercepts": state.entities.intercepts,
        "pair_weights": state.relations.weights.astype(np.float32),
        "pair_intercepts": state.relations.intercepts,
        "sharpness": [state.entities.sharpness, state.relations.sharpness],
        "constraints": to_json(state.constraints),
        "gazetteers": {name: sorted(entries) for name, entries in state.gazetteers.items()},
        "phrases": sorted(state.phrases),
    }


def unpack(parts: Mapping[str, Any]) -> State:
    sharpness = parts["sharpness"]
    return State(
        space=Space(tuple(parts["space"]["types"]), tuple(parts["space"]["labels"])),
        entity_names=Vocabulary(parts["entity_names"]),
        pair_names=Vocabulary(parts["pair_names"]),
        entities=_classifier(parts["entity_weights"], parts["entity_intercepts"], sharpness[0]),
        relations=_classifier(parts["pair_weights"], parts["pair_intercepts"], sharpness[1]),
        constraints=from_json(parts["constraints"]),
        gazetteers={name: frozenset(entries) for name, entries in parts["gazetteers"].items()},
        phrases=frozenset(parts["phrases"]),
    )


def _classifier(weights: Floats, intercepts: Floats, sharpness: float) -> Classifier:
    return Classifier(np.asarray(weights, dtype=np.float64), intercepts, float(sharpness))
