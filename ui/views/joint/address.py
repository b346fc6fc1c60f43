"""Constraints in the address: those switched on or off and those with another weight, by position."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from engine.tasks.joint.constraints import Constraint, Count
from engine.tasks.joint.constraints.together import with_switch, with_weight

FORCED: Final = "asked for"


def changed(constraints: Sequence[Constraint], off: str | None, weights: str | None) -> tuple[Constraint, ...]:
    """The constraints with the switches and weights of the address; invalid values are ignored, since anybody can write
    an address."""
    made = tuple(constraints)
    for index in _integers(off):
        if index < len(constraints):
            made = with_switch(made, constraints[index].name, on=not constraints[index].enabled)
    for piece in (weights or "").split(","):
        place, colon, text = piece.partition(":")
        if colon and place.isdigit() and int(place) < len(constraints):
            weight = _weight(text)
            if text == "hard" or weight is not None:
                made = with_weight(made, constraints[int(place)].name, weight)
    return made


def written(own: Sequence[Constraint], wanted: Sequence[Constraint]) -> tuple[str | None, str | None]:
    """The address parameters from which `changed` restores the wanted constraints."""
    off = [str(i) for i, (a, b) in enumerate(zip(own, wanted, strict=True)) if a.enabled != b.enabled]
    weights = [
        f"{i}:{'hard' if b.weight is None else repr(b.weight)}"
        for i, (a, b) in enumerate(zip(own, wanted, strict=True))
        if a.weight != b.weight
    ]
    return ",".join(off) or None, ",".join(weights) or None


def with_forced(constraints: Sequence[Constraint], relation: str | None) -> tuple[Constraint, ...]:
    """The constraints, plus one that the relation must hold somewhere in the sentence."""
    if relation is None:
        return tuple(constraints)
    return (*constraints, Count(name=f"{FORCED}: {relation}", relation=relation, at_least=1))


def _integers(text: str | None) -> list[int]:
    return [int(piece) for piece in (text or "").split(",") if piece.isdigit()]


def _weight(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0.0 <= value < math.inf else None
