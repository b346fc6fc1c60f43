"""A list of cases with the one under the cursor beside it, and the links from a case to the pages that show it.

A long list is cut into pages; which one is on screen follows from the case that is selected.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

import streamlit as st

from engine.store.large.chosen import Listed
from ui.components.cases import Page, cases, page_of
from ui.shell import layout, pages, session
from ui.views.see import frame as see

Row: TypeAlias = Mapping[str, str]
"""One case: its key, its sign, its title, and a note."""
Line: TypeAlias = tuple[Row, str]
"""A row, and the document that the case is in."""


PAGE: Final = 200
"""Cases in the list at once."""


def current(keys: Sequence[str]) -> str | None:
    """The key of the case under the cursor: what is selected, else the first."""
    selected = session.selected()
    return selected if selected in keys else next(iter(keys), None)


def listed(keys: Sequence[str], row: Callable[[int], Row], documents: Sequence[str], *, key: str) -> str | None:
    """The list, of which `row` makes the lines that are on screen; the key of the case under the cursor. Moving the
    cursor also changes the document (`documents`: that of each case), so that the next page opens there."""
    of: Mapping[str, str] = dict(zip(keys, documents, strict=True))

    def go_to(case: str) -> None:
        if case in of:
            session.put_together({"doc": of[case], "sel": case})

    selected = current(keys)
    page, part = page_of(keys, selected, PAGE)
    rows = [row(i) for i in range(part.start, part.stop)]
    cases(rows, key=key, selected=selected, on_select=go_to, page=page, asked=_asked())
    return selected


def paged(found: Listed, rows: Callable[[int, int], Sequence[Line]], *, key: str) -> int | None:
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


def links(task: str, document: str, span: tuple[int, int] | None = None, *, correct: bool = True) -> None:
    """From a case, or a whole document, to how it was decided, to its text, and to the editor."""
    where = {} if span is None else {"sel": see.place(*span)}
    with st.container(horizontal=True):
        if pages.exists(task):
            layout.link_to(task, "Open its view" if span is None else "Why? Open its view", doc=document, **where)
        layout.link_to("document", "Open the document", doc=document, **where)
        if correct:
            layout.link_to("annotate", "Correct it", doc=document, **where)
