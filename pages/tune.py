"""Tune: precision against recall of a whole corpus at every bias, and the one that is kept."""

from ui.shell import navigation

navigation.guard()

import streamlit as st

from ui.shell import cache, layout, session, sidebar
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
    layout.empty(words.NO_GOLD)
    st.stop()

bias = see.bias_on_screen(choice.run)
see.knob(choice.run, choice.corpus, bias, large=True)
widgets.show_targets(curve)
names = [words.CURVES, words.FLIPS, words.SCORES, words.GUARD]
curves, flips, scores, guard = st.tabs(names, key="tune.tabs", on_change="rerun")
with curves:
    widgets.show_curves(choice.run, choice.corpus, curve, bias, session.get_float("beta") or 1.0)
# These two decide the whole corpus again: only for those who look.
if flips.open:
    with flips:
        widgets.show_flips(choice.run, choice.corpus, bias)
if scores.open:
    with scores:
        widgets.show_scores(choice.run, choice.corpus, bias)
with guard:
    widgets.show_guard(choice.run, choice.corpus, bias)
