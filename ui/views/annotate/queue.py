"""The Queue tab: documents that are not done, the most rewarding first."""

from __future__ import annotations

from typing import Final, get_args

import streamlit as st

from engine.data.document import Document
from engine.store.workspace import Project, RunInfo
from engine.workbench.queue import ABOUT, Order, Queued, queue
from ui.background import opened
from ui.shell import cache, layout
from ui.shell.sidebar import Choice, model_for
from ui.tab import session
from ui.views.annotate import words
from ui.views.annotate.desk import Seat

SHOWN: Final = 200
UNAIDED: Final[list[Order]] = ["document order", "diversity"]
"""The orders that need no model."""


def show(choice: Choice, seat: Seat, project: Project) -> None:
    corpus = choice.corpus
    if corpus is None:
        return
    orders = _orders(choice, seat)
    if orders == UNAIDED and not seat.blind:
        st.text(words.UNAIDED)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        session.sync("annotate.order", _order(choice, seat))
        st.selectbox(
            "Order", orders, key="annotate.order", width=220, on_change=session.writes("order", "annotate.order")
        )
        if _order(choice, seat) == "disagreement":
            _choose_other(choice)
        if project.documents_of(seat.user):
            st.checkbox(words.MINE, True, key="annotate.mine")
    rows = queued(choice, seat)
    if rows is None:
        st.text(words.NO_SECOND_RUN)
        return
    documents = choice.documents
    not_done = words.NOT_DONE.format(left=layout.count(len(rows)), documents=layout.counted(len(documents), "document"))
    st.text(not_done + (words.NEXT_KEY if rows else words.NONE_LEFT))
    st.caption(ABOUT[_order(choice, seat)])
    reasoned = _order(choice, seat) != "document order"
    table = [
        {
            "document": documents[one.position].id,
            **({one.reason: one.gain, "why": layout.visible(one.why)} if reasoned else {}),
            "text": _first_words(documents[one.position]),
        }
        for one in rows[:SHOWN]
    ]
    chosen = layout.choose_row(layout.in_three(table, [one.reason for one in rows[:1]]), key="annotate.queue")
    with st.container(horizontal=True):
        if rows and st.button("Open the next", key="annotate.next", type="primary"):
            _open(documents[rows[0].position].id)
        if chosen is not None and st.button("Open the marked one", key="annotate.open"):
            _open(documents[rows[chosen].position].id)


def _orders(choice: Choice, seat: Seat) -> list[Order]:
    if choice.corpus is not None and cache.is_large(choice.corpus):
        return UNAIDED[:1]  # the others look at every document
    return list(get_args(Order)) if not seat.blind and model_for(choice)[1] is not None else UNAIDED


def _order(choice: Choice, seat: Seat) -> Order:
    wanted = session.get("order")
    return next((order for order in _orders(choice, seat) if order == wanted), "document order")


def queued(choice: Choice, seat: Seat) -> list[Queued] | None:
    """The documents that are not done, in the order chosen; None where that order needs a run that is not there."""
    corpus = choice.corpus
    if corpus is None:
        return []
    task, model = model_for(choice)
    order, layer = _order(choice, seat), seat.layer
    other = _other_run(choice) if order == "disagreement" else None
    if order == "disagreement" and other is None:
        return None
    log = cache.workspace().annotations(corpus.id)
    places, documents = cache.positions(corpus), cache.original_documents(corpus)
    begun = [documents[places[id]] for id in sorted(log.edited_documents(layer=layer)) if id in places]
    done = {document.id for document, state in log.states(begun, layer=layer) if state.done}
    mine = opened.project(corpus.id).documents_of(seat.user)
    mine = mine if session.value("annotate.mine", True) else set()
    if cache.is_large(corpus):
        over = {places[id] for id in done}
        wanted = sorted(places[id] for id in mine if id in places) if mine else range(corpus.n_documents)
        return [Queued(place, 0.0, order) for place in wanted if place not in over]
    needs_model = order not in UNAIDED and choice.run is not None and model is not None
    found = queue(
        choice.documents,
        cache.predictions(choice.run, corpus) if needs_model and choice.run else [d.gold for d in choice.documents],
        order,
        other=cache.predictions(other, corpus) if other else None,
        decides=task.decides if task else (),
        done=done,
    )
    if not mine:
        return found
    return [one for one in found if choice.documents[one.position].id in mine]


def next_up(choice: Choice, seat: Seat) -> str | None:
    """The first of the queue that is not the document on screen."""
    rows = queued(choice, seat) or []
    return next((choice.documents[one.position].id for one in rows if one.position != choice.position), None)


def _others(choice: Choice) -> list[RunInfo]:
    if choice.run is None:
        return []
    return [run for run in cache.runs(choice.run.task, usable=True) if run.id != choice.run.id]


def _other_run(choice: Choice) -> RunInfo | None:
    """The run that the one in the sidebar is held against."""
    others = _others(choice)
    named = session.get("against")
    return next((run for run in others if run.id == named), others[0] if others else None)


def _choose_other(choice: Choice) -> None:
    other = _other_run(choice)
    if other is not None:
        session.sync("annotate.other", other.id)
        st.selectbox(
            "Against run",
            [run.id for run in _others(choice)],
            key="annotate.other",
            width=280,
            on_change=session.writes("against", "annotate.other"),
        )


def _open(document: str) -> None:
    session.choose("doc", document)
    st.rerun()


def _first_words(document: Document, n: int = 90) -> str:
    text = " ".join(document.text.split())
    return layout.visible(text if len(text) <= n else text[: n - 1] + "…")
