"""The beam, step by step: a column per decision, a cell per sequence, lines to the sequence that each extends."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ui.components import mount
from ui.tab import messages


@dataclass(frozen=True)
class Cell:
    """A sequence at a step. `parent` is its position in the previous column (-1 at the first step)."""

    key: str
    entity: str
    parent: int
    score: float
    added: float
    probability: float
    kept: bool
    gold: bool
    chosen: bool
    ahead: float | None = None
    """What the other direction adds when sequences are ranked; None if there is none."""


@dataclass(frozen=True)
class Column:
    """A decision: the mention, its cells (kept ones first), and the view's remarks on gold."""

    key: str
    surface: str
    cells: Sequence[Cell]
    n_expansions: int
    gold_rank: int | None
    fell: bool
    pinned_away: bool = False
    """Whether a pin forbids the right one here."""
    missing: bool = False
    """Whether the right one is not among the candidates."""
    judged: bool = True
    """Whether gold says anything about this document."""


def payload(columns: Sequence[Column], *, selected: str | None = None, caption: str = "") -> dict[str, Any]:
    body = {"columns": [asdict(column) for column in columns], "caption": caption}
    version = hashlib.blake2b(json.dumps(body, sort_keys=True).encode(), digest_size=12).hexdigest()
    return {**body, "version": version, "selected": selected}


def beam(columns: Sequence[Column], *, key: str, on_select: messages.Selects, **options: Any) -> None:
    """Draw the beam; `on_select` receives the key of a cell or of a column."""
    mount("beam", key=key, data=payload(columns, **options), hear=messages.selecting(on_select))
