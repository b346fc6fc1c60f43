"""The Comments tab: every comment of the corpus, filtered by author, words and whether it is resolved."""

from __future__ import annotations

from typing import Any, Final

import streamlit as st

from engine.store.workspace import CorpusInfo
from engine.workbench.team.comments import Written, comments
from ui.shell import cache, layout
from ui.tab import session
from ui.views.annotate import words

SHOWN: Final = 300


def show(corpus: CorpusInfo) -> None:
    log = cache.workspace().annotations(corpus.id)
    found = comments(log, cache.original_documents(corpus))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        state = st.segmented_control("Which", ["open", "resolved", "all"], default="open", key="comments.state")
        authors = st.multiselect("Author", sorted({one.author for one in found}), key="comments.author", width=260)
        said = st.text_input("Words", key="comments.words", width=220).strip()
    meant = [one for one in found if fits(one, state or "all", authors, said)]
    if not meant:
        st.text(words.NO_COMMENTS)
        return
    chosen = layout.choose_row([_row(one) for one in meant[:SHOWN]], key="comments.table")
    if chosen is not None and st.button("Go there", key="comments.open", type="primary"):
        one = meant[chosen]
        session.put("sel", f"@{one.start}-{one.end}" if one.end else None)
        session.choose("doc", one.document)
        st.rerun()


def fits(one: Written, state: str, authors: list[str], said: str) -> bool:
    """Whether the filter lets a comment through."""
    right_state = state == "all" or one.resolved == (state == "resolved")
    right_words = said.casefold() in f"{one.text} {one.about}".casefold()
    return right_state and right_words and (not authors or one.author in authors)


def _row(one: Written) -> dict[str, Any]:
    return {
        "document": one.document,
        "about": layout.visible(one.about),
        "comment": layout.visible(one.text),
        "author": one.author or "–",
        "when (UTC)": layout.moment(one.time),
        "layer": one.layer,
        "resolved": "✓" if one.resolved else "",
    }
