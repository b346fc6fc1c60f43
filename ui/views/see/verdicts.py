"""People's verdicts on gold, from any page that shows a case: a note, and "gold is wrong here".

Neither changes gold. Both are edits of the shared layer's log, so they can be undone and show up in the history; scores
are then given twice, against gold as it is and against gold without what was marked wrong.
"""

from __future__ import annotations

from typing import Any

import streamlit as st

from engine.data.document import Document
from engine.data.edits import Comment, DoubtGold, Edit, State, apply, label_target, place_target
from engine.metrics.errors import Error, Span
from engine.store.workspace import CorpusInfo
from ui.shell import cache, login
from ui.tab import session


def state_of(corpus: CorpusInfo, document: str) -> State | None:
    """Gold of a document with all notes and doubts; None if the document is gone."""
    original = _original(corpus, document)
    return None if original is None else cache.workspace().annotations(corpus.id).state(original)


def target_at(state: State, span: Span) -> str:
    """The target of an edit about this span: gold's mention there, else the place."""
    found = [id for id, mention in state.mentions.items() if mention.span == span]
    return found[0] if found else place_target(*span)


def target_of(state: State, error: Error, *, about_document: bool = False) -> str:
    """The target of an edit about this error: a mention, a relation, a place, or (`about_document`) a label of the
    document."""
    if error.arguments is not None:
        for id, arc in state.relations.items():
            if (state.mentions[arc.head].span, state.mentions[arc.tail].span) == error.arguments:
                return id
        return place_target(*error.arguments[0])
    if about_document or not error.spans:
        return label_target(error.type)
    return target_at(state, error.spans[0])


def show(corpus: CorpusInfo, document: str, state: State, target: str, *, key: str) -> None:
    """The two controls. Widgets are keyed by their target, so that the next case starts with its own values."""
    here = f"{key}.{document}.{target}"
    doubted, note = (
        target in state.doubted,
        next((one.text for one in state.comments.get(target, ()) if not one.id), ""),
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        session.sync(f"{here}.wrong", doubted)
        st.toggle(
            "Gold is wrong here",
            key=f"{here}.wrong",
            on_change=lambda: _append(corpus, document, DoubtGold(target, bool(session.value(f"{here}.wrong", False)))),
            help="Gold stays as it is; the error is blamed on it, and scores are given with and without.",
        )
        session.sync(f"{here}.note", note)
        st.text_input(
            "Note",
            key=f"{here}.note",
            on_change=lambda: _append(corpus, document, Comment(target, str(session.value(f"{here}.note", "")))),
            placeholder="a note for whoever comes next",
            label_visibility="collapsed",
        )


def _append(corpus: CorpusInfo, document: str, edit: Edit) -> None:
    """Write the edit, unless nothing changed: a widget may report a change without one."""
    original = _original(corpus, document)
    if original is None:
        return
    log = cache.workspace().annotations(corpus.id)
    state = log.state(original)
    if apply(state, edit) != state:
        log.append(original, edit, user=_who())


def _original(corpus: CorpusInfo, document: str) -> Document | None:
    place = cache.positions(corpus).get(document)
    return None if place is None else cache.original_documents(corpus)[place]


def _who() -> str:
    # A callback runs before the page checks the login.
    login.must_still_be_in()
    name: Any = login.name() or session.value("user.name") or session.get("user")
    return str(name or "annotator")
