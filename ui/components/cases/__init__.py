"""A list of cases to walk through by arrow keys: errors, disagreements, whatever has a line each.

Moving is instant in the browser; the server hears where the cursor stops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ui.components import mount
from ui.shell import messages


def cases(
    rows: Sequence[dict[str, str]],
    *,
    key: str,
    version: str,
    selected: str | None,
    on_select: Callable[[str], None],
    height: int = 320,
) -> None:
    """Rows have `key`, `sign` (✗ or ∅), `title`, `note`; `on_select` gets the key under the cursor."""
    data = {"rows": list(rows), "version": version, "selected": selected, "height": height}
    mount("cases", key=key, data=data, hear=messages.each(select=lambda message: on_select(str(message["id"]))))
