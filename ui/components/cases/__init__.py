"""A list of cases to walk through by arrow keys: errors, disagreements, whatever has a line each.

Moving is instant in the browser; the server hears where the cursor stops. Of a long list the browser gets a page; the
keys go on to the next one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ui.components import mount
from ui.shell import messages


@dataclass(frozen=True)
class Page:
    """Which part of a list the rows are: the number of the first, from 0, of how many, and the keys of the cases just
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
    height: int = 320,
    page: Page | None = None,
    asked: str = "",
) -> None:
    """Rows have `key`, `sign` (✗ or ∅), `title`, `note`; `on_select` gets the key under the cursor, which may be that
    of a case before or after the `page`. `asked` is what the list answers: the same cases asked for by another click
    are a new list, and the keyboard goes on in it."""
    # The list is built anew only when its cases change; moving the cursor repaints it.
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
