"""Mentions in a row, relations as arrows: above what the classifiers chose alone, below what was decided together.

An arrow that breaks a constraint is red, dashed, and carries `BROKEN` and the constraint's name; ✓ and ✗ are about gold
alone. Arrows and types follow the knob without asking the server.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from ui.components import mount
from ui.shell import messages

BROKEN: Final = "!"
"""The sign of what breaks a constraint."""

Interval = tuple[float | None, float | None]


@dataclass(frozen=True)
class Node:
    """A mention. `after` lists its decided types with the bias intervals in which each is decided."""

    key: str
    surface: str
    before: str
    after: tuple[tuple[float | None, float | None, str], ...]
    gold: str | None = None
    violations: tuple[str, ...] = ()
    pinned: bool = False


@dataclass(frozen=True)
class Arrow:
    """A relation from one node to another. `gold`: True right, False wrong, None unknown; `missed` is gold's alone."""

    key: str
    head: int
    tail: int
    label: str
    on: tuple[Interval, ...]
    gold: bool | None = None
    violations: tuple[str, ...] = ()
    weight: float = 1.0
    pinned: bool = False
    missed: bool = False


def payload(
    nodes: Sequence[Node],
    before: Sequence[Arrow],
    after: Sequence[Arrow],
    *,
    bias: float,
    run: str,
    selected: str | None = None,
    ends: Sequence[int] = (),
    titles: tuple[str, str] = ("each classifier alone", "decided together"),
) -> dict[str, Any]:
    """`ends`: the nodes of a selected pair, marked where no arrow stands for it."""
    body = {
        "nodes": [asdict(node) for node in nodes],
        "before": [asdict(arrow) for arrow in before],
        "after": [asdict(arrow) for arrow in after],
        "titles": list(titles),
        "broken": BROKEN,
    }
    version = hashlib.blake2b(json.dumps(body, sort_keys=True).encode(), digest_size=12).hexdigest()
    said = {"selected": selected, "ends": list(ends), "bias": float(bias), "run": run}
    return {**body, "version": version, **said}


def graph(
    nodes: Sequence[Node],
    before: Sequence[Arrow],
    after: Sequence[Arrow],
    *,
    key: str,
    on_select: messages.Selects,
    **options: Any,
) -> None:
    """Draw the graph; `on_select` gets the key of a node or of an arrow."""
    mount("graph", key=key, data=payload(nodes, before, after, **options), hear=messages.selecting(on_select))
