"""A list of cases to walk through by arrow keys: errors, disagreements, whatever has a line each.

Moving is instant in the browser; the server hears where the cursor stops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ui.components import mount
from ui.shell import session


def cases(
    rows: Sequence[dict[str, str]],
    *,
    key: str,
    version: str,
    selected: str | None,
    on_select: Callable[[str], None],
    height: int = 320,
) -> Any:
    """Rows have `key`, `sign` (✗ or ∅), `title`, `note`; `on_select` gets the key under the cursor."""

    def moved() -> None:
        cursor = session.component(key, "cursor")
        if cursor is not None:
            on_select(str(cursor["key"]))

    data = {
        "rows": list(rows),
        "version": version,
        "selected": selected,
        "height": height,
        "ack": session.heard(key, "cursor"),
    }
    return mount("cases", key=key, data=data, on_cursor_change=moved)
