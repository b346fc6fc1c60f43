"""A list of cases to walk through by arrow keys: errors, disagreements, whatever has a line each.

Moving is instant in the browser; the server hears where the cursor stops.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence

from ui.components import mount
from ui.shell import messages


def cases(
    rows: Sequence[Mapping[str, str]],
    *,
    key: str,
    selected: str | None,
    on_select: Callable[[str], None],
    height: int = 320,
) -> None:
    """Rows have `key`, `sign` (✗ or ∅), `title`, `note`; `on_select` gets the key under the cursor."""
    # The list is built anew only when its cases change; moving the cursor repaints it.
    version = hashlib.blake2b(repr([row["key"] for row in rows]).encode(), digest_size=12).hexdigest()
    data = {"rows": [dict(row) for row in rows], "version": version, "selected": selected, "height": height}
    mount("cases", key=key, data=data, hear=messages.each(select=lambda message: on_select(str(message["id"]))))
