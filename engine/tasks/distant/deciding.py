"""The best labels of all members under the user's pins, as predicted layers.

A bag is decided exactly (equation 15 of Haffari et al. 2015; engine.structures.bag).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.arrays import Floats
from engine.data.document import NIL, Document, Layer, Relation
from engine.data.errors import InputError
from engine.data.pins import LabelPin, NoPlace, Pin, RelationPin, UnknownName
from engine.structures.bag import FlatBag, Labels, solver
from engine.structures.base import Infeasible, Pins
from engine.tasks.base import DocumentPins
from engine.tasks.distant.scored import DistantScored


def decide(scored: DistantScored, pins: DocumentPins | None = None) -> list[Layer]:
    labels = solver(scored.inference)(scored.biased, scored.label_scores, scored.member_offsets)
    over_nil = margins(scored)
    layers = []
    for row, document in enumerate(scored.documents):
        here = slice(scored.member_offsets[row], scored.member_offsets[row + 1])
        mine = labels[here]
        fixed = (pins or {}).get(document.id, ())
        if fixed:
            one = scored.one(row)
            check_pins(one, fixed)
            structure, scores = one.bag()
            mine = structure.solve(scores, pins=part_pins(one, fixed)).labels
        layers.append(_layer(scored, document, mine, over_nil[here]))
    return layers


def margins(scored: DistantScored) -> Floats:
    """[members, relations]: the lead of a relation over nil, per unit of a member's share."""
    raised = scored.biased
    return (raised[:, 1:] - raised[:, :1]) / scored.shares[:, None]


def confidence(scored: DistantScored) -> Floats:
    """[bags, relations]: the best member's margin over nil plus the pair's own score; bags are ranked by it."""
    best = np.full(scored.label_scores.shape, -np.inf)
    np.maximum.at(best, np.repeat(np.arange(len(scored)), np.diff(scored.member_offsets)), margins(scored))
    return best + scored.label_scores


def _layer(scored: DistantScored, document: Document, labels: Labels, over_nil: Floats) -> Layer:
    """A layer with the members' labels as relations between their mentions, and the relations that hold."""
    assert document.bag is not None
    said = [scored.relations[label - 1] if label else None for label in labels.tolist()]
    arcs = [
        Relation(member.head, member.tail, name, score=float(over_nil[position, labels[position] - 1]))
        for position, (member, name) in enumerate(zip(document.bag.members, said, strict=True))
        if name is not None and member.head is not None and member.tail is not None
    ]
    extra: dict[str, object] = {"bags": scored.bags, "beta": scored.beta}
    if document.shape == "features":
        extra["members"] = said
    held = tuple(scored.relations[label - 1] for label in sorted(set(labels.tolist()) - {0}))
    return Layer(mentions=document.gold.mentions, relations=tuple(arcs), labels=held, extra=extra)


def part_pins(scored: DistantScored, pins: Sequence[Pin]) -> Pins:
    """The user's pins as pins on the parts of a corpus of one bag; pins of other kinds do not concern bags.

    A relation pin whose type is NIL (or empty) means that the member expresses nothing. A part that is pinned both on
    and off raises Infeasible; a pin on something that the bag or the scores do not have raises InputError.
    """
    [document] = scored.documents
    structure = FlatBag(len(scored.shares), len(scored.relations))
    on: dict[int, None] = {}
    off: dict[int, None] = {}
    for pin in pins:
        if isinstance(pin, LabelPin):
            part = structure.holding(_label(scored, document, pin.label))
        elif isinstance(pin, RelationPin):
            label = 0 if pin.type in (NIL, "") else _label(scored, document, pin.type)
            part = structure.taking(_member_at(document, pin), label)
        else:
            continue
        (on if pin.holds else off)[part] = None
    return Pins(tuple(on), tuple(off))


def conflict(scored: DistantScored, pins: Sequence[Pin]) -> tuple[str, ...]:
    """A minimal set of pins that cannot hold together, by name; empty if all pins can hold."""
    if _can_hold(scored, pins):
        return ()
    clashing = [pin for pin in pins if isinstance(pin, LabelPin | RelationPin)]
    for pin in list(clashing):
        others = [one for one in clashing if one is not pin]
        if not _can_hold(scored, others):
            clashing = others
    return tuple(pin_name(scored.documents[0], pin) for pin in clashing)


def check_pins(scored: DistantScored, pins: Sequence[Pin]) -> None:
    """Refuse pins that cannot hold together."""
    names = conflict(scored, pins)
    if names:
        raise InputError(f"document {scored.documents[0].id!r}: these pins cannot hold together: {'; '.join(names)}")


def pin_name(document: Document, pin: LabelPin | RelationPin) -> str:
    """A pin in the terms of the bag: sentences by number, relations by name."""
    if isinstance(pin, RelationPin):
        if pin.type in (NIL, ""):
            says = "says nothing" if pin.holds else "says something"
        else:
            says = f"{'says' if pin.holds else 'does not say'} {pin.type}"
        return f"sentence {_member_at(document, pin) + 1} {says}"
    return f"{pin.label} {'holds' if pin.holds else 'does not hold'} for the pair"


def _can_hold(scored: DistantScored, pins: Sequence[Pin]) -> bool:
    structure, scores = scored.bag()
    try:
        structure.solve(np.zeros_like(scores), pins=part_pins(scored, pins))
    except Infeasible:
        return False
    return True


def _label(scored: DistantScored, document: Document, relation: str) -> int:
    if relation not in scored.relations:
        raise UnknownName(
            f"document {document.id!r}: the model does not know the relation {relation!r}, so it cannot be pinned"
        )
    return scored.relations.index(relation) + 1


def _member_at(document: Document, pin: RelationPin) -> int:
    assert document.bag is not None
    mentions = document.gold.mentions
    for position, member in enumerate(document.bag.members):
        if member.head is None or member.tail is None:
            continue
        if mentions[member.head].span == tuple(pin.head) and mentions[member.tail].span == tuple(pin.tail):
            return position
    raise NoPlace(f"document {document.id!r}: no member of the bag has the spans {pin.head} and {pin.tail}")
