"""Determines the role of each column of a table, and so what a row stands for: guessed from names and values, or
given."""

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
"""What a row can stand for -> its description."""

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
"""The roles that a row of this kind uses."""


@dataclass(frozen=True)
class Columns:
    """What a row stands for, and the column of each role."""

    kind: str
    of: Mapping[str, str] = field(default_factory=dict)

    def with_told(self, grid: Grid, told: Mapping[str, str], kind: str | None = None) -> Columns:
        """The columns with given roles in place of guessed ones; an empty name removes a role. The kind is guessed
        again unless it is given."""
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
        """The missing roles that a row of this kind requires."""
        lacking = [role for role in NEEDED[self.kind] if role not in self.of]
        if self.kind == "mention" and "mention" not in self.of and not {"start", "end"} <= set(self.of):
            lacking.append("mention")
        return lacking


def guess(grid: Grid) -> Columns:
    """Guess the roles by the names of the columns; if no name indicates the text, it is the column with the longest
    cells. Among columns with unknown names, a single one whose cells occur in the texts is the mention, two are head
    and tail."""
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
        # "entity" usually holds the words of the mention, unless another column has them.
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
