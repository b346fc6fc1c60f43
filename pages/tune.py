"""Tune: precision against recall of a whole corpus at every bias, and the one that is kept."""

from ui.shell import navigation

navigation.guard()

import streamlit as st

from ui.shell import cache, layout, session, sidebar
from ui.views.see import frame as see
from ui.views.tune import widgets as tune

choice = sidebar.current()
layout.title_line(
    "Tune",
    "Drag the knob: precision and recall of the whole corpus answer at once. Keep the bias you want, or lock it.",
)
if choice.run is None:
    layout.empty("Nothing has been trained yet, so there is nothing to tune.", "train", "Train a system")
    st.stop()
if choice.corpus is None:
    layout.empty("There is no corpus to tune on.", "corpora", "Add a corpus")
    st.stop()
curve = cache.curve(choice.run, choice.corpus)
if curve is None:
    layout.empty("This corpus has no gold that this system could be counted against; choose another in the sidebar.")
    st.stop()

bias = see.bias_on_screen(choice.run)
see.knob(choice.run, choice.corpus, bias, large=True)
tune.show_targets(curve)
names = ["Curves", "What flips", "All scores", "Keep, lock, reveal test"]
curves, flips, scores, guard = st.tabs(names, key="tune.tabs", on_change="rerun")
with curves:
    tune.show_curves(choice.run, choice.corpus, curve, bias, session.get_float("beta") or 1.0)
# These two decide the whole corpus again: only for those who look.
if flips.open:
    with flips:
        tune.show_flips(choice.run, choice.corpus, bias)
if scores.open:
    with scores:
        tune.show_scores(choice.run, choice.corpus, bias)
with guard:
    tune.show_guard(choice.run, choice.corpus, bias)
