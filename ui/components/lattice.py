"""The mention lattice: tokens along x, candidate spans above them, each with its entities.

The browser flips chosen candidates by itself while the knob moves; clicks and keys select, pin and forbid.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ui.components import mount


def lattice(
    data: dict[str, Any], *, key: str, on_select: Callable[[], None], on_act: Callable[[], None] | None = None
) -> Any:
    """Draw the lattice. The result has `.selected` (a candidate's id) and `.act` ({kind, id, n}: pin, forbid, free)."""
    return mount("lattice", key=key, data=data, on_selected_change=on_select, on_act_change=on_act or (lambda: None))
