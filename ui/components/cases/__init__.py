"""A list of cases, such as errors or disagreements, to go through with the arrow keys.

Moving is instant in the browser; the server is told where the cursor stops. The browser gets one page of a long list,
and the keys continue on the next one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ui.components import mount
from ui.tab import messages


@dataclass(frozen=True)
class Page:
    """The position of the rows in a list: the number of the first, from 0, the total, and the keys of the cases just
    before and after."""

    first: int
    of: int
    before: str | None = None
    after: str | None = None


def cases(
    rows: Sequence[Mapping[str, str]],
    *,
    key: str,
    selected: str | None,
    on_select: Callable[[str], None],
    height: int = 460,
    page: Page | None = None,
    asked: str = "",
) -> None:
    """Draw the list. Rows have `key`, `sign` (✗ or ∅), `title`, `note`; `on_select` receives the key under the cursor,
    which may be that of a case before or after the `page`. `asked` identifies the request: the same cases requested by
    another click are a new list, which gets the keyboard focus."""
    # The list is rebuilt only when its cases change; moving the cursor only repaints it.
    version = hashlib.blake2b(repr([asked, *(row["key"] for row in rows)]).encode(), digest_size=12).hexdigest()
    shown = page or Page(0, len(rows))
    data = {
        "rows": [dict(row) for row in rows],
        "version": version,
        "selected": selected,
        "height": height,
        "first": shown.first,
        "of": shown.of,
        "before": shown.before,
        "after": shown.after,
    }
    mount("cases", key=key, data=data, hear=messages.each(select=lambda message: on_select(str(message["id"]))))
