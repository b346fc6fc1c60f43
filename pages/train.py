"""Train: choose a system, its data and its settings; watch it learn; stop it and go on."""

from ui.shell import navigation

navigation.guard()

import streamlit as st

from ui.shell import cache, layout, models
from ui.views.train import outside, widgets, words

layout.title_line("Train", words.SENTENCE)
if not cache.tasks():
    layout.empty(words.NO_SYSTEM)
    st.stop()
if not cache.corpora():
    layout.empty(words.NO_CORPUS, "corpora", "Add a corpus", view="Add")
    st.stop()
left, right = st.columns(2, gap="large")
with left:
    widgets.show_form()
with right:
    widgets.show_run()
    models.bring()
    outside.show(cache.task(widgets.system()))
widgets.show_runs()
