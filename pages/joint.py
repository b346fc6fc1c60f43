"""Joint: one sentence before and after the constraints are applied."""

from ui.shell import navigation

navigation.guard()

import streamlit as st

from engine.tasks import registry
from engine.tasks.joint.task import Joint
from engine.tasks.joint.what_if.ledger import totals
from ui.components.strip import NO_GOLD
from ui.views.joint import corpus, data, decision, graph, widgets, words
from ui.views.joint.screen import look
from ui.views.see import contrast, own, pins
from ui.views.see import frame as see

frame = see.frame(registry.the(Joint), words.SENTENCE, own_curve=False)
with pins.removable(frame.document.text):
    screen = look(frame)
if not screen.trace.spans:
    own.no_mentions(frame.document, words.NO_MENTIONS)
    st.stop()
found = totals(screen.corpus)
arrows = graph.after(screen.trace, frame.pins)
frame.with_curve(None if found is None else corpus.curve_soon(screen)).draw_knob(
    decisions=[arrow.on for arrow in arrows if not arrow.missed], empty=NO_GOLD if found else words.CANNOT_HOLD
)
see.land(data.places(screen.trace))
selected = decision.selected(screen)
with frame.left:
    widgets.show_sentence(screen, arrows, selected)
    widgets.show_constraints(screen)
    widgets.show_tabs(screen, found)
with frame.right:
    widgets.show_choice(screen, found, selected)
    contrast.on_page(frame, screen.sentence)
