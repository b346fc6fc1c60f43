"""Decoding a scored corpus under the user's pins.

A pin that names a candidate of its mention restricts the mention's rows. If there is a model, scoring adds every pinned
entity to the candidates. If there is none, the mention still takes the pinned entity, and the rest of the document is
decided as if the mention had been declined, since an entity without scores cannot support others.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from engine.data.document import NIL, Document, Layer
from engine.data.errors import InputError
from engine.data.pins import LinkPin, NoPlace, Pin
from engine.structures.base import Infeasible
from engine.tasks.base import DocumentPins
from engine.tasks.disambiguation.scored import DisambiguationScored
from engine.tasks.disambiguation.search.problem import Problem

Placed: TypeAlias = Mapping[int, Sequence[LinkPin]]
"""Position of the mention in its document -> the pins on it."""


def decide(scored: DisambiguationScored, pins: DocumentPins | None = None) -> list[Layer]:
    """Every document's mentions with the entities that the search chose."""
    problem = problem_of(scored, pins)
    decoded = problem.decode()
    layers = []
    for document, first in zip(scored.documents, scored.mention_offsets.tolist(), strict=False):
        gone = no_mentions((pins or {}).get(document.id, ()))
        mentions = (
            dataclasses.replace(
                mention,
                entity=problem.entity(m, int(decoded.rows[m])),
                score=float(decoded.confidence[m]),
            )
            for m, mention in enumerate(document.gold.mentions, start=first)
            if mention.span not in gone
        )
        layers.append(Layer(tuple(mentions)))
    return layers


def no_mentions(pins: Sequence[Pin]) -> set[tuple[int, int]]:
    """The spans that pins declare not to be mentions."""
    return {pin.span for pin in pins if isinstance(pin, LinkPin) and pin.entity is None and pin.holds}


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


def place_all(documents: Sequence[Document], pins: DocumentPins | None) -> dict[str, Placed]:
    return {d.id: place(d, pins[d.id]) for d in documents if d.id in pins} if pins else {}


def problem_of(scored: DisambiguationScored, pins: DocumentPins | None = None) -> Problem:
    """The search problem that the pins leave."""
    allowed = np.ones(scored.n_rows, dtype=np.bool_)
    # A mention without candidates can only be declined.
    declined = np.diff(scored.row_offsets) == 0
    settled = np.zeros(scored.n_mentions, dtype=np.bool_)
    outside: dict[int, str] = {}
    placed = place_all(scored.documents, pins)
    for d, document in enumerate(scored.documents):
        for position, on_mention in placed.get(document.id, {}).items():
            m = int(scored.mention_offsets[d]) + position
            rows = scored.rows(m)
            left = _left([scored.title(row) for row in rows], on_mention)
            if left is None:
                raise Infeasible(f"document {document.id!r}: the pins on mention {position} leave it no entity")
            allowed[rows.start : rows.stop] = left.rows
            declined[m], settled[m] = left.declined, left.settled
            if left.outside is not None:
                outside[m] = left.outside
    return Problem(scored, allowed, declined, settled, outside)


class _Left(NamedTuple):
    """The options that pins leave a mention (see Problem)."""

    rows: list[bool]
    declined: bool
    settled: bool
    outside: str | None


def _left(entities: Sequence[str], pins: Sequence[LinkPin]) -> _Left | None:
    """The options that these pins leave a mention with these candidates; None if there are none."""
    held = {pin.entity or NIL for pin in pins if pin.holds}
    forbidden = {pin.entity or NIL for pin in pins if not pin.holds}
    if len(held) > 1 or held & forbidden:
        return None
    rows = [entity not in forbidden and held <= {entity} for entity in entities]
    outside = next(iter(held - {NIL, *entities}), None)
    if held:
        declined = held == {NIL} or outside is not None
    else:
        declined = not entities and NIL not in forbidden
    if not declined and not any(rows):
        return None
    return _Left(rows, declined, bool(held) or NIL in forbidden or not all(rows), outside)
