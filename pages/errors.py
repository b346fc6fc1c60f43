"""Errors: every miss and false alarm with the one stage to blame, from the table down to the case."""

from ui.shell import navigation

navigation.guard()

import streamlit as st

from engine.metrics.errors import select
from ui.shell import cache, layout, mistakes, sidebar
from ui.views.errors import widgets
from ui.views.see import frame as see

choice = sidebar.current()
layout.title_line(
    "Errors", "Where answers were lost, stage by stage. Click a cell, then walk its cases with the arrow keys."
)
if choice.run is None or choice.corpus is None:
    layout.empty("There is no run whose errors could be shown.", "train", "Train a system")
    st.stop()
if cache.fits(choice.corpus, choice.run.task) != "yes":
    layout.empty("This corpus has no gold that this system could be judged by; choose another in the sidebar.")
    st.stop()

run, corpus = choice.run, choice.corpus
bias = see.bias_on_screen(run)
found = mistakes.digest(run, corpus, bias)
if not found.errors:
    layout.empty("There is not one error: every answer agrees with gold.", "tune", "Tune")
    st.stop()
widgets.show_table(run, corpus, bias, found)
kept = select(found.errors, widgets.filters(found.attributes, run.task))
widgets.show_worth(run, corpus, bias, kept, len(found.errors))
walk, confused, documents = st.tabs(["Cases", "Confusions", "Documents"], key="errors.tabs", on_change="rerun")
if walk.open:
    with walk:
        widgets.show_cases(run, corpus, kept, bias=bias)
if confused.open:
    with confused:
        widgets.show_confusions(kept)
if documents.open:
    with documents:
        widgets.show_documents(run, corpus, kept)
