"""Errors: every miss and false alarm with the one stage to blame, from the table down to the case."""

from ui.shell import navigation

navigation.guard()

import streamlit as st

from ui.shell import cache, layout, mistakes, sidebar
from ui.views.errors import widgets, words
from ui.views.see import frame as see

choice = sidebar.current()
layout.title_line("Errors", words.SENTENCE)
if choice.run is None or choice.corpus is None:
    layout.empty(words.NO_RUN, "train", "Train a system")
    st.stop()
if cache.fits(choice.corpus, choice.run.task) != "yes":
    layout.no_gold(words.NO_GOLD, choice.corpus.id, choice.run.id)
    st.stop()

run, corpus = choice.run, choice.corpus
bias = see.bias_on_screen(run)
found = mistakes.digest(run, corpus, bias)
if not found.n_errors:
    layout.empty(words.NO_ERRORS, "tune", "Tune")
    st.stop()
widgets.show_table(run, corpus, bias, found)
kept = found.select(widgets.filters(found, run.task))
widgets.show_worth(run, corpus, bias, kept, found.n_errors)
cases, confusions, documents = st.tabs(
    [words.CASES, words.CONFUSIONS, words.DOCUMENTS], key="errors.tabs", on_change="rerun"
)
if cases.open:
    with cases:
        widgets.show_cases(run, corpus, widgets.narrowed(run, kept), bias=bias)
if confusions.open:
    with confusions:
        widgets.show_confusions(kept)
if documents.open:
    with documents:
        widgets.show_documents(run, corpus, kept)
