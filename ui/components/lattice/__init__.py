"""The mention lattice: tokens along x, candidate spans above them, each with its entities.

The browser updates the chosen candidates by itself while the knob moves; clicks and keys select, pin and forbid.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ui.components import mount
from ui.tab import messages


def lattice(data: dict[str, Any], *, key: str, on_select: messages.Selects, on_act: Callable[[str, str], None]) -> None:
    """Draw the lattice. `on_select` receives the id of the candidate under the cursor, None if there is none; `on_act`
    receives "pin", "forbid" or "free" and the id of the candidate."""

    def act(message: messages.Message) -> None:
        on_act(message["action"], str(message["id"]))

    hear = messages.each(select=lambda message: on_select(message["id"]), pin=act, forbid=act, free=act)
    mount("lattice", key=key, data=data, hear=hear)
