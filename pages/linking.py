"""Linking: the mention lattice of one text, why each candidate won or lost, and what pinning one changes."""

from ui import shell

shell.guard()

import streamlit as st  # noqa: E402

from engine.data.document import Document  # noqa: E402
from ui import lattice_view, linking, see, session  # noqa: E402

frame = see.frame(
    "linking",
    "Every name the text may hold, above its words, with what it may mean. Click one to see why; drag the knob.",
)
with frame.left:
    own = lattice_view.own_text()
document = Document("your text", own) if own else frame.document
trace = frame.task.trace(document, frame.model, bias=frame.bias, pins=frame.pins)
frame.draw_knob(decisions=[one.on for one in trace.candidates])
see.land(linking.places(trace))
with frame.left:
    lattice_view.draw(trace, frame, own=bool(own))
    tables, features, learners = st.tabs(["Best outputs and candidates", "Features", "Learners compared"])
    with tables:
        lattice_view.show_tables(trace)
    with features:
        lattice_view.show_features(frame)
    with learners:
        lattice_view.show_learners(frame)
with frame.right:
    lattice_view.why(trace, session.selected())
