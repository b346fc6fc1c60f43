"""Two trees over the mentions of a document: the predicted one on the left, the best gold-consistent one on the right.

One row per mention in the order of the text; an arc leads from a mention to its antecedent. Only what is on screen is
drawn, so a long document stays fluid.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ui.components import mount
from ui.shell import messages


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


def payload(
    rows: Sequence[TreeRow], *, selected: str | None = None, height: int = 420, caption: str = ""
) -> dict[str, Any]:
    body = {"rows": [vars(row) for row in rows], "height": height, "caption": caption}
    version = hashlib.blake2b(json.dumps(body, sort_keys=True).encode(), digest_size=12).hexdigest()
    return {**body, "version": version, "selected": selected}


def tree(rows: Sequence[TreeRow], *, key: str, on_select: messages.Selects, **options: Any) -> None:
    """Draw the trees; `on_select` gets the key of a mention."""
    mount("tree", key=key, data=payload(rows, **options), hear=messages.selecting(on_select))
