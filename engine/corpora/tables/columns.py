"""Which column of a table means what, and so what a row is: guessed from names and values, or told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from engine.corpora.tables.cells import Grid
from engine.corpora.tables.names import ROLES, role_of
from engine.data.errors import InputError

__all__ = ["KINDS", "ROLES", "Columns", "guess"]

KINDS: Final[Mapping[str, str]] = {
    "text": "a text",
    "mention": "a mention in a text",
    "relation": "a relation between two mentions of a text",
    "pair": "a sentence about a pair of entities: rows of one pair are a bag",
}
"""What a row can be -> how to say it."""

NEEDED: Final[Mapping[str, tuple[str, ...]]] = {
    "text": ("text",),
    "mention": ("text",),
    "relation": ("text", "head", "tail"),
    "pair": ("text", "head", "tail"),
}

USED: Final[Mapping[str, tuple[str, ...]]] = {
    "text": ("text", "id"),
    "mention": ("text", "id", "mention", "start", "end", "entity", "type", "chain"),
    "relation": ("text", "id", "head", "head type", "relation", "tail", "tail type"),
    "pair": ("text", "id", "head", "relation", "tail"),
}
"""Roles that a row of this kind makes use of."""


@dataclass(frozen=True)
class Columns:
    """What a row is, and which column has which role."""

    kind: str
    of: Mapping[str, str] = field(default_factory=dict)

    def with_told(self, grid: Grid, told: Mapping[str, str], kind: str | None = None) -> Columns:
        """With what somebody says instead of the guess; an empty name takes a role away. The kind is guessed again
        unless it is told."""
        for role, name in told.items():
            if role not in ROLES:
                raise InputError(f"there is no role {role!r} for a column; choose from {', '.join(ROLES)}")
            if name and name not in grid.header:
                raise InputError(f"there is no column {name!r}; the table has {', '.join(grid.header)}")
        if kind is not None and kind not in KINDS:
            raise InputError(f"a row cannot be {kind!r}; choose from {', '.join(KINDS)}")
        taken = {name for name in told.values() if name}
        kept = {role: name for role, name in self.of.items() if role not in told and name not in taken}
        of = kept | {role: name for role, name in told.items() if name}
        return Columns(kind or _kind(of), of)

    def missing(self) -> list[str]:
        """Roles without which a row of this kind says nothing."""
        lacking = [role for role in NEEDED[self.kind] if role not in self.of]
        if self.kind == "mention" and "mention" not in self.of and not {"start", "end"} <= set(self.of):
            lacking.append("mention")
        return lacking


def guess(grid: Grid) -> Columns:
    """By the names of the columns; the text, where no name says it, is the column with the longest cells. Of columns
    whose names say nothing, one whose cells stand in their texts is the mention, two are head and tail."""
    of: dict[str, str] = {}
    for name in grid.header if grid.named else ():
        role = role_of(name)
        if role is not None and role not in of:
            of[role] = name
    if "text" not in of:
        free = [name for name in grid.header if name not in of.values()]
        longest = max(free, key=lambda name: sum(map(len, grid.values(name))), default=None)
        if longest is not None:
            of["text"] = longest
    if "mention" not in of and "entity" in of and _are_in_their_text(grid, of["entity"], of.get("text")):
        # "entity" beside a text usually is the words of the mention, unless another column has them.
        of["mention"] = of.pop("entity")
    unnamed = [name for name in grid.header if name not in of.values()]
    inside = [name for name in unnamed if _are_in_their_text(grid, name, of.get("text"))]
    wanted = ("mention",) if len(inside) == 1 else ("head", "tail")
    if len(inside) == len(wanted) and not {"mention", "head", "tail"} & set(of):
        of |= dict(zip(wanted, inside, strict=True))
    return Columns(_kind(of), of)


def _are_in_their_text(grid: Grid, column: str, text: str | None) -> bool:
    if text is None:
        return False
    pairs = [(cell, whole) for cell, whole in zip(grid.values(column), grid.values(text), strict=True) if cell]
    return bool(pairs) and all(cell in whole for cell, whole in pairs)


def _kind(of: Mapping[str, str]) -> str:
    if "head" in of and "tail" in of:
        return "relation" if {"head type", "tail type"} & set(of) else "pair"
    if "mention" in of or {"start", "end"} <= set(of):
        return "mention"
    return "text"
