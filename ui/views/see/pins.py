"""Pins of the current document, kept in the address, so that a link includes them.

Each pin is one `pins` parameter holding a short JSON list: the kind, then its fields.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, replace
from typing import Any, Final

import streamlit as st

from engine.data.errors import InputError
from engine.data.pins import ClusterPin, LabelPin, LinkPin, Pin, RelationPin, TypePin
from engine.structures.base import Infeasible
from ui.shell import layout
from ui.tab import session
from ui.tab.palette import PINNED

_KINDS: Final[dict[str, type[Any]]] = {
    "link": LinkPin,
    "cluster": ClusterPin,
    "type": TypePin,
    "relation": RelationPin,
    "label": LabelPin,
}


def encode(pin: Pin) -> str:
    kind = next(name for name, cls in _KINDS.items() if isinstance(pin, cls))
    return json.dumps([kind, *astuple(pin)], ensure_ascii=False, separators=(",", ":"))


def decode(text: str) -> Pin | None:
    """The pin, or None if the text is not one, since anybody can write an address."""
    try:
        kind, *fields = json.loads(text)
        pin: Pin = _KINDS[kind](*[tuple(map(int, one)) if isinstance(one, list) else one for one in fields])
    except (ValueError, TypeError, KeyError):
        return None
    return pin


def pins() -> tuple[Pin, ...]:
    """The user's pins on the current document."""
    return tuple(pin for pin in map(decode, session.get_all("pins")) if pin is not None)


def add(pin: Pin) -> None:
    """Add a pin; it replaces an earlier one that says the opposite."""
    kept = [one for one in pins() if one not in (pin, replace(pin, holds=not pin.holds))]
    session.put_all("pins", [encode(one) for one in (*kept, pin)])


def remove(pin: Pin) -> None:
    session.put_all("pins", [encode(one) for one in pins() if one != pin])


def clear() -> None:
    session.put_all("pins", [])


def describe(pin: Pin, text: str) -> str:
    """One line about a pin, with the words of its spans."""

    def words(span: Sequence[int]) -> str:
        return "“" + text[span[0] : span[1]] + "”"

    if isinstance(pin, LinkPin):
        target = "no mention" if pin.entity is None else pin.entity
        return f"{words(pin.span)} {'is' if pin.holds else 'is not'} {target}"
    if isinstance(pin, ClusterPin):
        return f"{words(pin.first)} and {words(pin.second)} {'corefer' if pin.holds else 'do not corefer'}"
    if isinstance(pin, TypePin):
        return f"{words(pin.span)} {'is' if pin.holds else 'is not'} a {pin.type}"
    if isinstance(pin, RelationPin):
        return f"{pin.type} {'holds' if pin.holds else 'does not hold'} of {words(pin.head)} and {words(pin.tail)}"
    return f"{pin.label} {'holds' if pin.holds else 'does not hold'}"


def bar(text: str) -> None:
    """The pins of this document, each with a button that removes it; nothing if there are none."""
    for number, pin in enumerate(pins()):
        sign, words, out = st.columns([1, 8, 2], vertical_alignment="center")
        sign.markdown(PINNED)
        words.text(layout.visible(describe(pin, text)))
        out.button("✕", key=f"pins.remove.{number}", help="Remove this pin", on_click=remove, args=(pin,))
    if len(pins()) > 1:
        st.button("Take all pins out", key="pins.clear", on_click=clear)


@contextmanager
def removable(text: str) -> Iterator[None]:
    """A context for code that reads the pins. Pins that conflict, or belong to another model or document, stop the
    page; they are drawn first, so that they can be removed."""
    try:
        yield
    except (InputError, Infeasible) as error:
        bar(text)
        raise InputError(str(error)) from error
