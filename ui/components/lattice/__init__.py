"""The mention lattice: tokens along x, candidate spans above them, each with its entities.

The browser flips chosen candidates by itself while the knob moves; clicks and keys select, pin and forbid.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ui.components import mount
from ui.shell import session


def lattice(
    data: dict[str, Any], *, key: str, on_select: Callable[[str | None], None], on_act: Callable[[], None]
) -> Any:
    """Draw the lattice. `on_select` gets the id of the candidate under the cursor, None where there is none; the
    result has `.act` ({kind, id, n}: pin, forbid, free)."""

    def moved() -> None:
        message = session.component(key, "selected")
        if message is not None:
            on_select(message["id"])

    return mount(
        "lattice",
        key=key,
        data={**data, "ack": session.heard(key, "selected")},
        on_selected_change=moved,
        on_act_change=on_act,
    )
