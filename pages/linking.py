"""Linking: the mention lattice of one text, why each candidate won or lost, and what pinning one changes."""

from ui.shell import navigation

navigation.guard()

import streamlit as st

from engine.tasks import registry
from engine.tasks.linking.task import Linking
from ui.shell import cache, first_time
from ui.tab import session
from ui.views.linking import data as linking
from ui.views.linking import learners, words
from ui.views.linking import widgets as lattice_view
from ui.views.see import contrast, pins
from ui.views.see import frame as see

frame = see.frame(registry.the(Linking), words.SENTENCE)
with frame.left:
    once = first_time.spinner("Deciding …", frame.run.id, cache.model_version(frame.run.id))
    with once, pins.removable(frame.document.text):
        scored = frame.scored
        trace = frame.task.trace(scored, pins=frame.pins)
frame.draw_knob(decisions=[one.on for one in trace.candidates])
see.land(linking.places(trace))
judged = frame.is_judged
with frame.left:
    lattice_view.draw(trace, frame, judged=judged)
with frame.right:
    lattice_view.why(frame, scored, trace, session.selected(), judged=judged)
    contrast.on_page(frame, scored, linking.place_of(trace, session.selected()))
TABS = [words.TABLES, words.FEATURES, words.LEARNERS]
named = session.get("tab")
session.sync("linking.tab", named if named in TABS else TABS[0])
with frame.left:
    # Only the open part is computed, because comparing learners needs every learner's curve.
    tables, features, compared = st.tabs(TABS, key="linking.tab", on_change=session.writes("tab", "linking.tab"))
    if tables.open:
        with tables:
            lattice_view.show_tables(trace, judged=judged)
    if features.open:
        with features:
            lattice_view.show_features(frame)
    if compared.open:
        with compared:
            learners.show(frame)
