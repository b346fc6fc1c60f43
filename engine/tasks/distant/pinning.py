"""What a user fixed in a bag, as pins on mentions and labels; and which of these pins cannot hold together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.data.document import NIL, Document
from engine.data.errors import InputError
from engine.data.pins import LabelPin, NoPlace, Pin, RelationPin, UnknownName
from engine.structures.bag import Bag, BagPins
from engine.structures.base import Infeasible


def bag_pins(document: Document, pins: Sequence[Pin], relations: Sequence[str]) -> BagPins:
    """The user's pins as pins on mentions and labels; pins of other kinds do not concern bags.

    A relation pin whose type is NIL (or empty) says that the member expresses nothing. Pins that contradict each other
    outright are Infeasible; pins on what the bag or the model does not have are wrong input.
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
                    raise Infeasible(f"sentence {member + 1} is pinned to two relations")
                mentions[member] = label
            else:
                forbidden.add((member, label))
    clash = on & off
    if clash:
        raise Infeasible(f"{relations[min(clash) - 1]!r} is pinned both on and off")
    return BagPins(mentions, frozenset(forbidden), frozenset(on), frozenset(off))


def conflict(document: Document, pins: Sequence[Pin], relations: Sequence[str]) -> tuple[str, ...]:
    """Pins that cannot hold together, by name, none of which could be spared; empty where all of them can hold."""
    if _can_hold(document, pins, relations):
        return ()
    clashing = list(pins)
    for pin in pins:
        others = [one for one in clashing if one is not pin]
        if not _can_hold(document, others, relations):
            clashing = others
    return tuple(pin_name(document, pin) for pin in clashing)


def check_pins(document: Document, pins: Sequence[Pin], relations: Sequence[str]) -> None:
    """Refuse pins that cannot hold together."""
    names = conflict(document, pins, relations)
    if names:
        raise InputError(f"document {document.id!r}: these pins cannot hold together: {'; '.join(names)}")


def pin_name(document: Document, pin: Pin) -> str:
    """A pin in the terms of the bag: sentences by number, relations by name."""
    if isinstance(pin, RelationPin):
        if pin.type in (NIL, ""):
            says = "says nothing" if pin.holds else "says something"
        else:
            says = f"{'says' if pin.holds else 'does not say'} {pin.type}"
        return f"sentence {_member_at(document, pin) + 1} {says}"
    assert isinstance(pin, LabelPin)
    return f"{pin.label} {'holds' if pin.holds else 'does not hold'} for the pair"


def _can_hold(document: Document, pins: Sequence[Pin], relations: Sequence[str]) -> bool:
    assert document.bag is not None
    n = len(document.bag.members)
    try:
        fixed = bag_pins(document, pins, relations)
        Bag(n, len(relations)).solve(np.zeros((n, len(relations) + 1)), pins=fixed)
    except Infeasible:
        return False
    return True


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
