"""Scores to predicted layers: decoding under pins, the confidence of labels, and the layer a view can draw."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.data.document import NIL, Document, Layer, Relation
from engine.data.errors import InputError
from engine.data.pins import LabelPin, NoPlace, Pin, RelationPin, UnknownName
from engine.learners.bags import BagScores
from engine.structures.bag import Answer, Bag, BagPins, Labels, Unplaced
from engine.structures.base import Infeasible


def bag_pins(document: Document, pins: Sequence[Pin], relations: Sequence[str]) -> BagPins:
    """The user's pins as pins on mentions and labels; pins of other kinds do not concern bags.

    A relation pin whose type is NIL (or empty) says that the member expresses nothing.
    """
    index = {relation: i + 1 for i, relation in enumerate(relations)}
    mentions: dict[int, int] = {}
    forbidden: set[tuple[int, int]] = set()
    on: set[int] = set()
    off: set[int] = set()
    for pin in pins:
        if isinstance(pin, LabelPin):
            label = _known(document, pin.label, index)
            (on if pin.holds else off).add(label)
        elif isinstance(pin, RelationPin):
            member = _member_at(document, pin)
            label = 0 if pin.type in (NIL, "") else _known(document, pin.type, index)
            if pin.holds:
                if mentions.get(member, label) != label:
                    raise InputError(f"document {document.id!r}: member {member} is pinned to two relations")
                mentions[member] = label
            else:
                forbidden.add((member, label))
    clash = on & off
    if clash:
        raise InputError(f"document {document.id!r}: {relations[min(clash) - 1]!r} is pinned both on and off")
    return BagPins(mentions, frozenset(forbidden), frozenset(on), frozenset(off))


def _known(document: Document, relation: str, index: dict[str, int]) -> int:
    if relation not in index:
        raise UnknownName(f"document {document.id!r}: the model knows no relation {relation!r}, so it cannot be pinned")
    return index[relation]


def _member_at(document: Document, pin: RelationPin) -> int:
    assert document.bag is not None
    mentions = document.gold.mentions
    for position, member in enumerate(document.bag.members):
        if member.head is None or member.tail is None:
            continue
        if mentions[member.head].span == tuple(pin.head) and mentions[member.tail].span == tuple(pin.tail):
            return position
    raise NoPlace(f"document {document.id!r}: no member of the bag has the spans {pin.head} and {pin.tail}")


def decode_pinned(
    document: Document,
    scores: BagScores,
    row: int,
    offsets: NDArray[np.int64],
    pins: BagPins,
    relations: Sequence[str],
) -> Answer:
    """The best output of one bag of the corpus under pins."""
    first, last = int(offsets[row]), int(offsets[row + 1])
    mine = scores.mentions[first:last]
    try:
        return Bag(last - first, mine.shape[1] - 1).solve(mine, scores.labels[row], pins=pins)
    except Unplaced as error:
        name = relations[error.label - 1]
        raise InputError(
            f"document {document.id!r}: {name!r} is pinned on, but no sentence is left to express it"
        ) from error
    except Infeasible as error:
        raise InputError(f"document {document.id!r}: {error}") from error


def mention_margins(scores: BagScores) -> NDArray[np.float64]:
    """[M, L]: by how much a label beats nil, in units of one whole mention."""
    return (scores.mentions[:, 1:] - scores.mentions[:, :1]) / scores.shares[:, None]


def label_confidence(scores: BagScores, offsets: NDArray[np.int64]) -> NDArray[np.float64]:
    """[bags, L]: the best mention's margin over nil plus what the pair itself says; bags are ranked by it."""
    margins = mention_margins(scores)
    n_bags, n_labels = scores.labels.shape
    best = np.full((n_bags, n_labels), -np.inf)
    np.maximum.at(best, np.repeat(np.arange(n_bags), np.diff(offsets)), margins)
    return best + scores.labels


def layer(
    document: Document,
    labels: Labels,
    margins: NDArray[np.float64],
    relations: Sequence[str],
    extra: dict[str, object],
) -> Layer:
    """Mention labels as relations between the members' mentions, and the labels that hold."""
    assert document.bag is not None
    arcs = []
    for position, (member, label) in enumerate(zip(document.bag.members, labels.tolist(), strict=True)):
        if label and member.head is not None and member.tail is not None:
            score = float(margins[position, label - 1])
            arcs.append(Relation(member.head, member.tail, relations[label - 1], score=score))
    if document.shape == "features":
        extra = {**extra, "members": [relations[label - 1] if label else None for label in labels.tolist()]}
    held = tuple(relations[label - 1] for label in sorted(set(labels.tolist()) - {0}))
    return Layer(mentions=document.gold.mentions, relations=tuple(arcs), labels=held, extra=extra)
