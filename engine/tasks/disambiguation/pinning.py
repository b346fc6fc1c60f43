"""What a user fixed, as candidates that must exist and rows that may not be taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from engine.data.document import NIL, Document
from engine.data.errors import InputError
from engine.data.pins import LinkPin, NoPlace, Pin
from engine.features.disambiguation.table import Table
from engine.learners.sgtb.learner import Choices
from engine.structures.base import Infeasible
from engine.tasks.base import DocumentPins
from engine.tasks.disambiguation.state import Forced

Placed = Mapping[int, Sequence[LinkPin]]
"""Position of the mention in its document -> the pins on it."""


def place(document: Document, pins: Sequence[Pin]) -> dict[int, list[LinkPin]]:
    """The pins of one document by mention."""
    at = {mention.span: i for i, mention in enumerate(document.gold.mentions)}
    placed: dict[int, list[LinkPin]] = {}
    for pin in pins:
        if not isinstance(pin, LinkPin):
            raise InputError(f"document {document.id!r}: disambiguation takes pins on links, not {type(pin).__name__}")
        if pin.span not in at:
            raise NoPlace(f"document {document.id!r}: there is no mention at {pin.span} to pin")
        placed.setdefault(at[pin.span], []).append(pin)
    return placed


def place_all(documents: Sequence[Document], pins: DocumentPins | None) -> dict[str, dict[int, list[LinkPin]]]:
    return {d.id: place(d, pins[d.id]) for d in documents if d.id in pins} if pins else {}


def forced_entities(placed: Mapping[str, Placed]) -> Forced:
    """Entities that pins name and that must therefore be candidates."""
    return {
        document: {
            mention: [p.entity for p in pins if p.holds and p.entity is not None and p.entity != NIL]
            for mention, pins in by_mention.items()
        }
        for document, by_mention in placed.items()
    }


def restrict(choices: Choices, table: Table, placed: Mapping[str, Placed]) -> Choices:
    """The choices that the pins leave."""
    if not placed:
        return choices
    allowed, nil_allowed = choices.allowed.copy(), choices.nil_allowed.copy()
    for d, document in enumerate(table.ids):
        for position, pins in placed.get(document, {}).items():
            m = int(table.document_offsets[d]) + position
            rows = range(int(table.row_offsets[m]), int(table.row_offsets[m + 1]))
            title = {row: table.titles[table.entity[row]] for row in rows}
            for pin in pins:
                declines = pin.entity is None or pin.entity == NIL
                for row in rows:
                    same = not declines and title[row] == pin.entity
                    if same != pin.holds and (pin.holds or same):
                        allowed[row] = False
                if declines:
                    nil_allowed[m] = pin.holds
                elif pin.holds:
                    nil_allowed[m] = False
            if not nil_allowed[m] and not any(allowed[row] for row in rows):
                raise Infeasible(f"document {document!r}: the pins on mention {position} leave it no entity")
    return replace(choices, allowed=allowed, nil_allowed=nil_allowed)
