"""A list of cases with the one under the cursor beside it, and the links from a case to the pages that show it.

A long list is cut into pages; which one is on screen follows from the case that is selected.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol, TypeAlias

import streamlit as st

from ui.components.cases import Page, cases
from ui.shell import layout, pages, session
from ui.views.see import frame as see

Row: TypeAlias = Mapping[str, str]
"""One case: its key, its sign, its title, and a note."""
Line: TypeAlias = tuple[Row, str]
"""A row, and the document that the case is in."""


PAGE: Final = 200
"""Cases in the list at once."""


class Paged(Protocol):
    """A list of which only what is on screen is read."""

    def __len__(self) -> int: ...
    def index_of(self, key: str) -> int | None: ...


def paged(found: Paged, rows: Callable[[int, int], Sequence[Line]], *, key: str) -> int | None:
    """The list of cases of which only those on screen are read; the place of the case under the cursor, None where
    there is no case."""
    if not len(found):
        cases([], key=key, selected=None, on_select=lambda _: None)
        return None
    at = found.index_of(session.selected() or "") or 0
    first = at // PAGE * PAGE
    last = min(first + PAGE, len(found))
    # One more on both sides: the keys go on to the next page.
    start, lines = max(0, first - 1), rows(max(0, first - 1), min(last + 1, len(found)))
    of = {line["key"]: document for line, document in lines}
    shown = [line for line, _ in lines[first - start : last - start]]
    before = lines[0][0]["key"] if first else None
    after = lines[-1][0]["key"] if last < len(found) else None

    def go_to(case: str) -> None:
        if case in of:
            session.put_together({"doc": of[case], "sel": case})

    page = Page(first, len(found), before, after)
    cases(shown, key=key, selected=shown[at - first]["key"], on_select=go_to, page=page, asked=_asked())
    return at


def _asked() -> str:
    """Which cell of the table the list answers."""
    return repr([session.get(name) for name in ("stage", "type")])


def links(
    task: str,
    document: str,
    span: tuple[int, int] | None = None,
    *,
    mention: tuple[int, int] | None = None,
    correct: bool = True,
) -> None:
    """From a case, or a whole document, to how it was decided, to its text, and to the editor, which opens on the
    `mention` where the case spans more than one."""
    where = {} if span is None else {"sel": see.place(*span)}
    with st.container(horizontal=True):
        if pages.exists(task):
            layout.link_to(task, "Open its view" if span is None else "Why? Open its view", doc=document, **where)
        layout.link_to("document", "Open the document", doc=document, **where)
        if correct:
            edited = where if mention is None else {"sel": see.place(*mention)}
            layout.link_to("annotate", "Correct it", doc=document, **edited)
