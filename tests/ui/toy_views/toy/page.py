"""The toy's page: the words of a document with their scores, and why the first has its own."""

from ui.shell import navigation

navigation.guard()

import streamlit as st  # noqa: E402

from engine.tasks import registry  # noqa: E402
from tests.ui.toy import Toy  # noqa: E402
from tests.ui.toy_views.toy import words  # noqa: E402
from ui.views.see import frame as see  # noqa: E402

frame = see.frame(registry.the(Toy), words.SENTENCE)
trace = frame.trace()
frame.draw_knob()
with frame.left:
    for word, score in trace:
        st.text(f"{word}: {score:g}")
with frame.right:
    told = frame.task.explain(frame.scored, frame.model, 0)
    st.text(f"{told.contributions[0].name} adds {told.score:g}")
