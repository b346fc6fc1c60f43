"""Annotate: correct spans, links, chains and relations; every edit is saved at once and can be undone."""

from ui.shell import navigation

navigation.guard()

import streamlit as st

from ui.shell import layout, sidebar
from ui.views.annotate import bulk, people, queue, versions, widgets, words

choice = sidebar.current()
layout.title_line("Annotate", words.SENTENCE)
if choice.corpus is None or choice.document is None:
    layout.empty(words.NO_DOCUMENT, "corpora", "Add a corpus")
    st.stop()

seat = widgets.choose_seat(choice)
desk = widgets.desk_at(choice, seat)
widgets.show_editor(choice.corpus, seat, desk, widgets.vocabulary(choice.corpus))
widgets.watch(desk)
# Only the part that is open is computed: the queue and the scores look at the whole corpus.
parts = st.tabs(
    [words.QUEUE, words.BULK, words.HISTORY, words.PEOPLE, words.VERSIONS], key="annotate.part", on_change="rerun"
)
with parts[0]:
    if parts[0].open:
        queue.show(choice, seat.layer)
with parts[1]:
    if parts[1].open:
        bulk.show(choice, seat.user, seat.layer)
with parts[2]:
    if parts[2].open:
        widgets.show_history(desk)
with parts[3]:
    if parts[3].open:
        people.show(choice, seat.user)
with parts[4]:
    if parts[4].open:
        versions.show(choice, seat.user, seat.layer)
