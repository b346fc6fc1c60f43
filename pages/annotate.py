"""Annotate: correct spans, links, chains and relations; every edit is saved at once and can be undone."""

from ui.shell import navigation

navigation.guard()

from dataclasses import replace

import streamlit as st

from ui.background import opened
from ui.shell import glances, layout, sidebar
from ui.views.annotate import bulk, labels, queue, versions, widgets, words
from ui.views.annotate.team import people
from ui.views.annotate.team import project as view

choice = sidebar.current()
layout.title_line("Annotate", words.SENTENCE)
if choice.corpus is None or choice.document is None:
    layout.empty(words.NO_DOCUMENT, "corpora", "Add a corpus")
    st.stop()

project = opened.project(choice.corpus.id)
if choice.run is not None and glances.ask_inside(choice.corpus, choice.run, words.CLOSED):
    choice = replace(choice, run=None)
seat = widgets.choose_seat(choice, project)
desk = widgets.desk_at(choice, seat)
widgets.show_editor(choice.corpus, seat, desk, widgets.vocabulary(choice.corpus, seat))
widgets.watch(choice.corpus, seat, desk)
# Only the open part is computed, because the queue and the scores go through the whole corpus.
names = words.BLIND_PARTS if seat.blind else words.PARTS
parts = dict(zip(names, st.tabs(names, key="annotate.part", on_change="rerun"), strict=True))
shown = {
    words.QUEUE: lambda: queue.show(choice, seat, project),
    words.BULK: lambda: bulk.show(choice, seat),
    words.HISTORY: lambda: widgets.show_past(choice.corpus, seat, desk),
    words.PEOPLE: lambda: people.show(choice, project, seat.user),
    words.VERSIONS: lambda: versions.show(choice, seat.user, seat.layer),
    words.LABELS: lambda: labels.show(choice.corpus, seat.user, may_change=project.leads(seat.user)),
    words.PROGRESS: lambda: view.show(choice.corpus, project, seat.user),
}
for name, part in parts.items():
    with part:
        if part.open:
            shown[name]()
