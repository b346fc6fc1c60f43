"""A list of cases with the one under the cursor beside it, and the links from a case to the pages that show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import streamlit as st

from ui.components.cases import cases
from ui.shell import layout, pages, session
from ui.views.see import frame as see

Row: TypeAlias = Mapping[str, str]
"""One case: its key, its sign, its title, and a note."""


def current(rows: Sequence[Row]) -> str | None:
    """The key of the case under the cursor: what is selected, else the first."""
    keys = [row["key"] for row in rows]
    selected = session.selected()
    return selected if selected in keys else next(iter(keys), None)


def listed(rows: Sequence[Row], documents: Mapping[str, str], *, key: str) -> None:
    """The list. Moving the cursor also changes the document (`documents`: that of each case), so that the next page
    opens there."""

    def go_to(case: str) -> None:
        session.put_together({"doc": documents.get(case, session.get("doc")), "sel": case})

    cases(rows, key=key, selected=current(rows), on_select=go_to)


def links(task: str, document: str, span: tuple[int, int] | None = None, *, correct: bool = True) -> None:
    """From a case, or a whole document, to how it was decided, to its text, and to the editor."""
    where = {} if span is None else {"sel": see.place(*span)}
    with st.container(horizontal=True):
        if pages.exists(task):
            layout.link_to(task, "Open its view" if span is None else "Why? Open its view", doc=document, **where)
        layout.link_to("document", "Open the document", doc=document, **where)
        if correct:
            layout.link_to("annotate", "Correct it", doc=document, **where)
