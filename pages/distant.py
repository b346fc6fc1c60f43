"""Distant relations: one pair of entities, the sentences that mention both, and what training for a beta does."""

from ui.shell import navigation

navigation.guard()

from engine.tasks import registry
from engine.tasks.distant.task import Distant
from ui.tab import session
from ui.views.distant import data, widgets, words
from ui.views.see import contrast, pins
from ui.views.see import frame as see

frame = see.frame(registry.the(Distant), words.SENTENCE)
with pins.removable(frame.document.text):
    trace = frame.trace()
frame.draw_knob(decisions=data.decisions(trace))
see.land(data.places(frame.document))
chosen = data.member_of(session.selected(), len(trace.members))
with frame.left:
    widgets.draw(frame, trace, chosen)
with frame.right:
    widgets.show_sentence(frame, trace, chosen)
    contrast.on_page(frame, frame.scored)
with frame.left:
    widgets.show_tabs(frame, trace)
