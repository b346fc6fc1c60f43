"""The Bulk tab: mark by rule, or answer the model's suggestions, in many documents at once."""

from __future__ import annotations

import uuid
from typing import Any, Final

import streamlit as st

from engine.data.document import Document
from engine.data.edits import State
from engine.workbench.suggestions import Suggestion, accept_all, reject_all, suggestions
from ui.shell import cache, layout
from ui.shell.sidebar import Choice, model_for
from ui.tab import session
from ui.views.annotate import rules, words
from ui.views.annotate.desk import Seat

SHOWN: Final = 200


def show(choice: Choice, seat: Seat) -> None:
    """Two ways to do something in many documents at once: by rule, or with what the run suggests."""
    if choice.corpus is None:
        return
    first = words.BY_RULE if model_for(choice)[1] is None else words.BY_RUN
    session.sync("bulk.view", session.value("bulk.view", first))
    view = st.segmented_control("View", (words.BY_RUN, words.BY_RULE), key="bulk.view", label_visibility="collapsed")
    if view == words.BY_RULE:
        rules.show(choice.corpus, seat)
    else:
        _answers(choice, seat.user, seat.layer)


def _answers(choice: Choice, user: str, layer: str) -> None:
    """Answer the model's suggestions in many documents at once: one action, one undo."""
    corpus, run = choice.corpus, choice.run
    task, model = model_for(choice)
    if corpus is None or run is None or task is None or model is None:
        st.text(words.NO_BULK)
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        low, high = st.slider(
            "Confidence of the suggestions", 0.0, 1.0, (0.95, 1.0), 0.01, key="annotate.bulk", width=260
        )
        said = st.text_input(
            "Only those that say", key="annotate.bulk.words", width=240, placeholder="entity, type or text"
        )
        begun = st.checkbox("Also in documents that somebody has edited", key="annotate.bulk.begun")
    log = cache.workspace().annotations(corpus.id)
    edited = log.edited_documents(layer=layer)
    found: list[tuple[Document, State, list[Suggestion]]] = []
    originals = cache.original_documents(corpus)
    for (document, state), predicted in zip(
        log.states(originals, layer=layer), cache.predictions(run, corpus), strict=True
    ):
        if begun or document.id not in edited:
            offered = suggestions(state, predicted, task.decides)
            if chosen := [one for one in offered if _is_meant(one, document, low, high, said)]:
                found.append((document, state, chosen))
    n = sum(len(chosen) for _, _, chosen in found)
    counts = {
        "suggestions": layout.counted(n, "suggestion"),
        "documents": layout.counted(len(found), "document"),
    }
    st.text(words.FOUND.format(**counts))
    st.dataframe(
        [_row(document, one) for document, _, chosen in found for one in chosen][:SHOWN],
        hide_index=True,
        width="stretch",
        column_config={"confidence": st.column_config.NumberColumn(format="%.3f")},
    )
    with st.container(horizontal=True):
        if n and st.button(f"Accept {n}", key="annotate.accept", type="primary"):
            answers = [(d, accept_all(state, chosen, f"bulk{uuid.uuid4().hex[:12]}")) for d, state, chosen in found]
            log.append_all(answers, user=user, layer=layer)
            st.rerun()
        if n and st.button(f"Reject {n}", key="annotate.reject"):
            log.append_all([(d, reject_all(chosen)) for d, _, chosen in found], user=user, layer=layer)
            st.rerun()


def _row(document: Document, one: Suggestion) -> dict[str, Any]:
    return {
        "document": document.id,
        "text": layout.visible(document.text[one.decision.start : one.decision.end]),
        "what": one.decision.kind,
        "says": layout.visible(one.decision.value),
        "confidence": one.score,
    }


def _is_meant(one: Suggestion, document: Document, low: float, high: float, said: str) -> bool:
    """Whether the filter lets a suggestion through; without a confidence it passes only where none is asked for."""
    says = f"{one.decision.kind} {one.decision.value} {document.text[one.decision.start : one.decision.end]}"
    sure = low <= one.score <= high if one.score is not None else low == 0
    return sure and said.casefold().strip() in says.casefold()
