"""Two trees over the mentions of a document: the predicted one on the left, the best gold-consistent one on the right.

There is one row per mention in text order; an arc leads from a mention to its antecedent. Only the visible part is
drawn, so that long documents stay responsive. Above the trees is a map of all entities: one line each, one mark per
mention.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ui.components import mount
from ui.tab import messages


@dataclass(frozen=True)
class TreeRow:
    """A mention. `head` and `latent` are rows of antecedents (-1: none, a new entity; -2: the tree is unknown)."""

    key: str
    text: str
    type: str
    sentence: int
    number: int | None
    gold: int | None
    colour: int
    head: int
    latent: int
    score: float
    margin: float | None
    right: bool | None


@dataclass(frozen=True)
class Tick:
    """A mention of a chain: its position in the text (0 to 1), its words, and whether its antecedent is right."""

    key: str
    at: float
    text: str
    right: bool | None


@dataclass(frozen=True)
class Chain:
    """An entity on the map of all entities: its number, its name, and its mentions in order."""

    number: int
    colour: int
    name: str
    ticks: Sequence[Tick]
    shown: bool = False
    """Whether the trees below show this entity."""


def payload(
    rows: Sequence[TreeRow],
    *,
    chains: Sequence[Chain] = (),
    selected: str | None = None,
    height: int = 420,
    caption: str = "",
) -> dict[str, Any]:
    body = {
        "rows": [vars(row) for row in rows],
        "chains": [asdict(chain) for chain in chains],
        "height": height,
        "caption": caption,
    }
    version = hashlib.blake2b(json.dumps(body, sort_keys=True).encode(), digest_size=12).hexdigest()
    return {**body, "version": version, "selected": selected}


def tree(rows: Sequence[TreeRow], *, key: str, on_select: messages.Selects, **options: Any) -> None:
    """Draw the trees; `on_select` receives the key of a mention."""
    mount("tree", key=key, data=payload(rows, **options), hear=messages.selecting(on_select))
