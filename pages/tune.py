"""Tune: precision against recall of a whole corpus at every bias, and the one that is kept."""

from ui.shell import navigation

navigation.guard()

import streamlit as st

from engine.tasks.outside.run import has_scores
from ui.shell import cache, layout, sidebar
from ui.tab import session
from ui.views.see import frame as see
from ui.views.tune import widgets, words

choice = sidebar.current()
layout.title_line("Tune", words.SENTENCE)
if choice.run is None:
    layout.empty(words.NO_RUN, "train", "Train a system")
    st.stop()
if choice.corpus is None:
    layout.empty(words.NO_CORPUS, "corpora", "Add a corpus")
    st.stop()
curve = cache.curve(choice.run, choice.corpus)
if curve is None:
    if has_scores(cache.model(choice.run)):
        layout.no_gold(words.NO_GOLD, choice.corpus.id, choice.run.id)
    else:
        layout.empty(words.NO_SCORES, "errors", "See its errors")
    st.stop()

bias = see.bias_on_screen(choice.run)
widgets.show_chart(choice.run, choice.corpus, curve, bias, session.get_float("beta") or 1.0)
names = [words.FLIPS, words.CALIBRATION_TAB, words.SCORES, words.GUARD]
flips, calibration, scores, guard = st.tabs(names, key="tune.tabs", on_change="rerun")
# These three decide the whole corpus again, so they are computed only when opened.
if flips.open:
    with flips:
        widgets.show_flips(choice.run, choice.corpus, bias)
if calibration.open:
    with calibration:
        widgets.show_calibration(choice.run, choice.corpus, bias)
if scores.open:
    with scores:
        widgets.show_scores(choice.run, choice.corpus, bias)
with guard:
    widgets.show_guard(choice.run, choice.corpus, bias)
