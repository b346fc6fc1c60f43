"""Why a sentence of a bag says what it says: features of a relation, and what would flip the decision.

Scores are linear in features, so what each adds is exact. A mention's label enters the bag's score one for one: the
label's score alone must change by the difference between the best outputs with and without it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.data.document import Document
from engine.learners.bags import BagScores
from engine.structures.bag import Bag, BagPins
from engine.structures.base import Infeasible
from engine.tasks.base import Model
from engine.tasks.distant import state as states
from engine.tasks.distant.state import State


@dataclass(frozen=True)
class Share:
    """What one feature adds to a relation's score over nil."""

    feature: str
    value: float
    adds: float


@dataclass(frozen=True)
class Flip:
    """One label of a sentence (None is nil): by how much its score alone must change to flip whether it is taken.
    None: it cannot be."""

    label: str | None
    change: float | None


@dataclass(frozen=True)
class Why:
    label: str | None
    runner_up: str | None
    """What the sentence says in the best output in which it says something else."""
    margin: float | None
    flips: tuple[Flip, ...]


def shares(document: Document, model: Model, member: int, relation: str, bias: float) -> list[Share]:
    """What makes this sentence say (or not say) this relation; they sum to its score over nil."""
    state: State = model.state
    encoded = states.encode([document], state, model.settings)  # type: ignore[arg-type]
    rows = encoded.corpus.mentions
    here = slice(rows.starts[member], rows.starts[member + 1])
    names = state.mention_features.names
    weights = state.scorer.mention_weights[:, state.relations.index(relation)]
    found = [
        Share(names[column], float(value), float(value * weights[column]))
        for column, value in zip(rows.columns[here].tolist(), rows.values[here].tolist(), strict=True)
    ]
    return [Share("nil's own score and the bias", 1.0, -(state.scorer.nil + bias)), *found]


def why(document: Document, model: Model, member: int, bias: float, pins: BagPins) -> Why:
    """The decision on one sentence of the bag, among all outputs of the bag that the pins allow."""
    state: State = model.state
    _, scores = states.score([document], state, model.settings, bias)  # type: ignore[arg-type]
    names: list[str | None] = [None, *state.relations]
    best, labels = _best(scores, pins)
    at = int(labels[member])
    flips: list[Flip] = []
    margin, runner_up = None, None
    for option, name in enumerate(names):
        try:
            if option == at:
                value, other = _best(scores, _with(pins, forbidden=(member, option)))
                margin, runner_up = best - value, names[int(other[member])]
                flips.append(Flip(name, value - best))
            else:
                value, _ = _best(scores, _with(pins, mention=(member, option)))
                flips.append(Flip(name, best - value))
        except Infeasible:
            flips.append(Flip(name, None))
    return Why(names[at], runner_up, margin, tuple(flips))


def _best(scores: BagScores, pins: BagPins) -> tuple[float, np.ndarray]:
    n, width = scores.mentions.shape
    answer = Bag(n, width - 1).solve(scores.mentions, scores.labels[0], pins=pins)
    return answer.score, answer.labels


def _with(
    pins: BagPins, *, forbidden: tuple[int, int] | None = None, mention: tuple[int, int] | None = None
) -> BagPins:
    if mention is not None:
        member, label = mention
        if pins.mentions.get(member, label) != label or mention in pins.forbidden:
            raise Infeasible("the pins say otherwise")
        return BagPins({**pins.mentions, member: label}, pins.forbidden, pins.on, pins.off)
    assert forbidden is not None
    if pins.mentions.get(forbidden[0]) == forbidden[1]:
        raise Infeasible("the pins say otherwise")
    return BagPins(pins.mentions, pins.forbidden | {forbidden}, pins.on, pins.off)
