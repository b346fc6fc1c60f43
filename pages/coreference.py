"""Coreference: the clusters of one text, the predicted tree against the latent one, and why each arc won."""

from ui.shell import navigation

navigation.guard()

import streamlit as st

from engine.tasks import registry
from engine.tasks.coreference.task import Coreference
from ui.shell import cache, layout
from ui.tab import session
from ui.views.coreference import data as view
from ui.views.coreference import runs as coreference_runs
from ui.views.coreference import widgets as tree_view
from ui.views.coreference import words
from ui.views.see import contrast, pins
from ui.views.see import frame as see

frame = see.frame(registry.the(Coreference), words.SENTENCE, own_curve=False)
with pins.removable(frame.document.text):
    shown = tree_view.decided(frame)
trace = shown.trace
if not trace.mentions:
    with frame.left:
        tree_view.draw_text(trace, frame)
    with frame.right:
        layout.empty(view.why_no_mentions(frame.model), "annotate", "Annotate")
    frame.with_curve(cache.curve_soon(frame.run, frame.corpus)).draw_knob()
    st.stop()
see.land((one.start, one.end, f"m{i}") for i, one in enumerate(trace.mentions, 1))
mention = view.chosen_mention(trace, session.selected())
with frame.left:
    tree_view.draw(trace, frame, mention)
    names = [words.GRID, words.SHAPES, words.REPLAY, words.COMPARED]
    grid, shapes, replay, compared = st.tabs(names, key="coreference.tabs", on_change="rerun")
    # Only the open one is drawn, because the last two load and score other runs.
    if grid.open:
        with grid:
            tree_view.show_grid(trace)
    if shapes.open:
        with shapes:
            coreference_runs.show_shapes(frame)
    if replay.open:
        with replay:
            coreference_runs.show_replay(frame)
    if compared.open:
        with compared:
            coreference_runs.show_comparison(frame)
with frame.right:
    tree_view.why(shown, frame, mention)
    contrast.on_page(frame, shown.scored, None if mention is None else shown.scored.span(mention))
# Last, because searching a long document at every bias takes far longer than drawing it and would delay the drawing.
frame.with_curve(cache.curve_soon(frame.run, frame.corpus)).draw_knob()
