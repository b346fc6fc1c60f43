"""A list of cases with details of the one under the cursor, and links from a case to the pages that show it.

A long list is divided into pages; the selected case determines which one is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol, TypeAlias

import streamlit as st

from engine.data.document import Document
from engine.store.workspace import CorpusInfo
from ui.components.cases import Page, cases
from ui.shell import cache, layout
from ui.tab import pages, session
from ui.views.see import frame as see

Row: TypeAlias = Mapping[str, str]
"""One case: its key, its sign, its title, and a note."""
Line: TypeAlias = tuple[Row, str]
"""A row, and the document of the case."""


PAGE: Final = 200
"""Maximum number of cases in the list at once."""


class Paged(Protocol):
    """A list of which only the visible part is read."""

    def __len__(self) -> int: ...
    def index_of(self, key: str) -> int | None: ...


def paged(found: Paged, rows: Callable[[int, int], Sequence[Line]], *, key: str) -> int | None:
    """Draw the list of cases, reading only the visible ones; returns the position of the case under the cursor, None if
    there is none."""
    if not len(found):
        cases([], key=key, selected=None, on_select=lambda _: None)
        return None
    at = found.index_of(session.selected() or "") or 0
    first = at // PAGE * PAGE
    last = min(first + PAGE, len(found))
    # One more on each side, so that the keys continue on the next page.
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


def documents_named(corpus: CorpusInfo, ids: Sequence[str]) -> list[Document]:
    """The documents with these ids, for the lines of a list."""
    known = cache.workspace().positions_of(corpus.id, ids) if cache.is_large(corpus) else cache.positions(corpus)
    return cache.documents_at(corpus, [known[id] for id in ids])


def _asked() -> str:
    """The cell of the table to which the list belongs."""
    return repr([session.get(name) for name in ("stage", "type")])


def links(
    task: str,
    document: str,
    span: tuple[int, int] | None = None,
    *,
    mention: tuple[int, int] | None = None,
    correct: bool = True,
) -> None:
    """Links from a case, or a whole document, to its view, to its text, and to the editor, which opens on the
    `mention` if the case spans more than one."""
    where = {} if span is None else {"sel": see.place(*span)}
    with st.container(horizontal=True):
        if pages.exists(task):
            layout.link_to(task, "Open its view" if span is None else "Why? Open its view", doc=document, **where)
        layout.link_to("document", "Open the document", doc=document, **where)
        if correct:
            edited = where if mention is None else {"sel": see.place(*mention)}
            layout.link_to("annotate", "Correct it", doc=document, **edited)
