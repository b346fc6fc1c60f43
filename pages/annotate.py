"""Annotate: correct spans, links, chains and relations; every edit is saved at once and can be undone."""

from ui.shell import navigation

navigation.guard()

import streamlit as st

from ui.components.editor import editor
from ui.shell import layout, session, sidebar
from ui.views.annotate import bulk, history, people, queue, versions
from ui.views.annotate import desk as annotate
from ui.views.annotate import seat as desk
from ui.views.see import frame as see

choice = sidebar.current()
layout.title_line(
    "Annotate",
    "Mark text and press Enter; click a mention to change it; ? shows every key. Each edit is saved at once.",
)
if choice.corpus is None or choice.document is None:
    layout.empty("There is no document to annotate.", "corpora", "Add a corpus")
    st.stop()

seat = desk.controls(choice)
vocabulary = desk.vocabulary(choice.corpus)
at = desk.at(choice, seat)


@st.fragment
def draw_editor() -> None:
    if session.value("annotate.moved", False):  # an undo or the queue led to another document
        session.keep("annotate.moved", False)
        st.rerun()
    shown = annotate.payload(
        at,
        vocabulary,
        outcome=desk.told(at),
        candidates=desk.candidates(at, vocabulary),
        least=seat.least,
        unsaved=desk.unsaved_place(choice, seat),
        place=see.landed(),
    )
    session.keep("annotate.drawn", shown["version"])
    editor(
        {**shown, "user": seat.user, "cookie": desk.COOKIE},
        key="annotate.editor",
        hear=lambda new: desk.hear(at, new),
    )


@st.fragment(run_every=2.0)
def show_history() -> None:
    st.dataframe(history.history(at.document, at.rows(), at.layer), hide_index=True, width="stretch")


draw_editor()
st.fragment(desk.watch, run_every=2.0)(at)
# Only the part that is open is computed: the queue and the scores look at the whole corpus.
parts = st.tabs(["Queue", "Bulk", "History", "People", "Versions and scores"], key="annotate.part", on_change="rerun")
queue_part, bulk_part, history_part, people_part, versions_part = parts
with queue_part:
    if queue_part.open:
        queue.show(choice, seat.layer)
with bulk_part:
    if bulk_part.open:
        bulk.show(choice, seat.user, seat.layer)
with history_part:
    if history_part.open:
        show_history()
with people_part:
    if people_part.open:
        people.show(choice, seat.user)
with versions_part:
    if versions_part.open:
        versions.show(choice, seat.user, seat.layer)
