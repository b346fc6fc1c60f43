"""Mentions in a row, relations as arrows: above, the choices of the classifiers alone; below, the joint decision.

An arrow that breaks a constraint is red, dashed, and marked with `BROKEN` and the constraint's name; ✓ and ✗ refer only
to gold. Arrows and types follow the knob without the server.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from ui.components import mount
from ui.tab import messages

BROKEN: Final = "!"
"""The sign of a broken constraint."""

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
    """A relation from one node to another. `gold`: True right, False wrong, None unknown; `missed`: only in gold."""

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
    """The data of the graph. `ends`: the nodes of a selected pair, marked if it has no arrow."""
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
    """Draw the graph; `on_select` receives the key of a node or of an arrow."""
    mount("graph", key=key, data=payload(nodes, before, after, **options), hear=messages.selecting(on_select))
