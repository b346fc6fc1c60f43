"""Compare: two systems on the same documents, and whether their difference is more than chance."""

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
    layout.no_gold(words.NO_GOLD, choice.corpus.id, choice.run.id)
    st.stop()
cache.ask_first(choice.corpus, choice.run)

run, corpus = choice.run, choice.corpus
others = results.systems(run, corpus)
if others:
    other = widgets.choose_other(others)
    second = cache.run(other)
    result = results.comparison(run, other, corpus)
    widgets.show_unanswered(other, corpus)
    widgets.show_scores(run, other, corpus, result)
    names = [words.FOUND, words.LEADERBOARD, words.EVERYWHERE_TAB, words.LEARNING, words.SETTINGS]
    found, leaderboard, everywhere, learning, settings, bring, report = st.tabs(
        [*names, words.IMPORT, words.REPORT], key="compare.tabs", on_change="rerun"
    )
    # Only the open one is drawn: two score every run, and the figure of another takes the browser a second.
    if found.open:
        with found:
            widgets.show_found(run, other, corpus)
    if leaderboard.open:
        with leaderboard:
            widgets.show_leaderboard(run, corpus)
    if everywhere.open:
        with everywhere:
            widgets.show_everywhere(run, corpus)
    if learning.open:
        with learning:
            widgets.show_learning([run] if second is None else [run, second])
    if settings.open:
        with settings:
            widgets.show_settings(run, second)
    brings, reports = bring.open, report.open
else:
    layout.empty(words.NO_OTHER, "train", "Train another", task=run.task)
    other, bring, report = None, st.container(), st.container()
    brings = reports = True
if brings:
    with bring:
        widgets.import_predictions(run.task, corpus)
if reports:
    with report:
        if cache.is_large(corpus):
            st.caption(words.LARGE_REPORT)
        else:
            widgets.show_report(run, corpus, other)
