"""Why one decision of a sentence came out as it did: features, the runner-up structure, and what would flip it.

A classifier's log-odds of one option against another are a sum over features, so their shares are exact. How far an
option is from flipping is exact too: an output's value moves one for one with the score of an option it takes, so the
option's score alone must change by the difference between the best output with it and the best without.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.data.document import Document, Mention
from engine.structures.program import Conflict
from engine.structures.typed_pairs import pair_index
from engine.tasks.base import Model
from engine.tasks.joint import model as joint_model
from engine.tasks.joint.inference import Decisions, Decoder, NodePin, PairPin, Scored, SentencePins


@dataclass(frozen=True)
class Share:
    """What one feature adds to the log-odds of an option against its rival."""

    feature: str
    adds: float


@dataclass(frozen=True)
class Flip:
    """One option: by how much its score alone must change for the decision to flip. None: nothing legal without it,
    or with it."""

    option: str
    change: float | None


@dataclass(frozen=True)
class Why:
    """The decision on one mention (its type) or one pair (its label)."""

    chosen: str
    rival: str
    """The option that the best other output takes here; without one, the classifier's next."""
    shares: tuple[Share, ...]
    """Sum: log-odds of `chosen` against `rival` by the classifier alone."""
    flips: tuple[Flip, ...]
    margin: float | None
    """By how much the best output leads the best one that decides otherwise here; None where there is none."""
    changes: tuple[tuple[str, str, str], ...]
    """What else the runner-up decides otherwise: (what, now, then)."""


def explain(
    document: Document,
    mentions: Sequence[Mention],
    scored: Scored,
    model: Model,
    decoder: Decoder,
    bias: float,
    pins: SentencePins,
    kind: str,
    index: int,
) -> Why:
    """`kind` "n" explains the type of mention `index`, "p" the label of pair `index`; `scored` is this sentence.

    `model` says what the classifiers saw, `decoder` which constraints decide.
    """
    space = decoder.space
    names = space.types if kind == "n" else space.labels
    best = decoder.decode(scored, bias, {0: pins})
    value = float(best.objective[0])
    at = int((best.types if kind == "n" else best.labels)[index])

    def under(option: int, holds: bool) -> Decisions | None:
        one = NodePin if kind == "n" else PairPin
        try:
            return decoder.decode(scored, bias, {0: [*pins, one(index, option, holds, "what if")]})
        except Conflict:
            return None

    other = under(at, False)
    flips = []
    for option, name in enumerate(names):
        tried = other if option == at else under(option, True)
        gap = None if tried is None else value - float(tried.objective[0])
        flips.append(Flip(name, None if gap is None else -gap if option == at else gap))
    scores = (scored.corpus.types if kind == "n" else scored.corpus.labels)[index]
    if other is not None:
        rival = int((other.types if kind == "n" else other.labels)[index])
    else:
        rival = int(np.argsort(-scores)[1 if int(np.argmax(scores)) == at else 0])
    return Why(
        chosen=names[at],
        rival=names[rival],
        shares=_shares(document, mentions, model, kind, index, at, rival),
        flips=tuple(flips),
        margin=None if other is None else value - float(other.objective[0]),
        changes=() if other is None else _changes(document, mentions, decoder, best, other, kind, index),
    )


def _shares(
    document: Document, mentions: Sequence[Mention], model: Model, kind: str, index: int, option: int, rival: int
) -> tuple[Share, ...]:
    state: joint_model.State = model.state
    sentences = joint_model.sentences_of([document], [mentions], state.gazetteers)
    entity_rows = joint_model.entity_rows([document], sentences, model.learner)
    if kind == "n":
        classifier, names, rows = state.entities, state.entity_names, entity_rows
    else:
        seen = None
        if model.learner == "pipeline":
            known = state.entities.log_probabilities(joint_model.as_rows(state.entity_names, entity_rows))
            seen = [[state.space.types[t] for t in known.argmax(axis=1)]]
        elif model.learner == "omniscient":
            seen = [joint_model.gold_types(document)]
        classifier, names, rows = state.relations, state.pair_names, joint_model.pair_rows(sentences, seen)
    columns = joint_model.as_rows(names, [rows[index]]).columns
    weights = classifier.sharpness * (classifier.weights[option] - classifier.weights[rival])
    start = classifier.sharpness * float(classifier.intercepts[option] - classifier.intercepts[rival])
    return (
        Share("how common it is", start),
        *(Share(names.names[column], float(weights[column])) for column in columns.tolist()),
    )


def _changes(
    document: Document,
    mentions: Sequence[Mention],
    decoder: Decoder,
    best: Decisions,
    other: Decisions,
    kind: str,
    index: int,
) -> tuple[tuple[str, str, str], ...]:
    space = decoder.space
    surfaces = [document.surface(mention) for mention in mentions]
    found = []
    for i in np.flatnonzero(best.types != other.types).tolist():
        if (kind, index) != ("n", i):
            found.append((surfaces[i], space.types[best.types[i]], space.types[other.types[i]]))
    pairs = pair_index(len(mentions))
    for p in np.flatnonzero(best.labels != other.labels).tolist():
        if (kind, index) != ("p", p):
            i, j = (int(side) for side in pairs[p])
            found.append(
                (f"{surfaces[i]} → {surfaces[j]}", space.labels[best.labels[p]], space.labels[other.labels[p]])
            )
    return tuple(found)
