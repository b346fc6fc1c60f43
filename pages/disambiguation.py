"""Disambiguation: the beam, decision by decision, and why each entity was taken."""

from ui.shell import navigation

navigation.guard()

import streamlit as st

from engine.tasks import registry
from engine.tasks.disambiguation.task import Disambiguation
from ui.tab import session
from ui.views.disambiguation import data, widgets, words
from ui.views.see import contrast, own, pins
from ui.views.see import frame as see

task = registry.the(Disambiguation)
frame = see.frame(task, words.SENTENCE)
frame.draw_knob()
with pins.removable(frame.document.text):
    scored = widgets.on_screen(task, frame.scored)
    trace = task.trace(scored, pins=frame.pins)
if not trace.decisions:
    own.no_mentions(frame.document, words.NO_MENTIONS)
    st.stop()
see.land(data.places(trace))
selected = data.selected(trace, session.selected())
decision = trace.decisions[selected.mention]
with frame.left:
    widgets.draw(frame, trace, selected)
    widgets.show_tables(trace)
with frame.right:
    pins.bar(frame.document.text)
    widgets.show_candidates(decision)
    if decision.options:
        candidate = decision.options[widgets.choose_candidate(decision, selected)]
        widgets.show_why(frame.model, task.explain(scored, frame.model, candidate.part, pins=frame.pins))
    contrast.on_page(frame, scored, (decision.start, decision.end))
