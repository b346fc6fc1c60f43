"""Compare: two systems on the same documents, and whether their difference is more than luck."""

from ui.shell import navigation

navigation.guard()

import streamlit as st

from ui.shell import cache, layout, sidebar
from ui.views.compare import results, widgets, words

choice = sidebar.current()
layout.title_line("Compare", words.SENTENCE)
if choice.run is None or choice.corpus is None:
    layout.empty(words.NO_RUN, "train", "Train a system")
    st.stop()
if cache.fits(choice.corpus, choice.run.task) != "yes":
    layout.empty(words.NO_GOLD)
    st.stop()

run, corpus = choice.run, choice.corpus
others = results.systems(run, corpus)
if others:
    other = widgets.choose_other(others)
    second = cache.run(other)
    result = results.comparison(run, other, corpus)
    widgets.show_unanswered(other, corpus)
    widgets.show_scores(result)
    found, learning, settings, leaderboard, bring, report = st.tabs(
        [words.FOUND, words.LEARNING, words.SETTINGS, words.LEADERBOARD, words.IMPORT, words.REPORT]
    )
    with found:
        widgets.show_found(run, other, corpus)
    with learning:
        widgets.show_learning([run] if second is None else [run, second])
    with settings:
        widgets.show_settings(run, second)
    with leaderboard:
        widgets.show_leaderboard(run, corpus)
else:
    layout.empty(words.NO_OTHER, "train", "Train another", task=run.task)
    other, bring, report = None, st.container(), st.container()
with bring:
    widgets.import_predictions(corpus)
with report:
    widgets.show_report(run, corpus, other)
