"""Train: choose a system, its data and its settings; watch it learn; stop it and go on."""

from ui.shell import navigation

navigation.guard()

import streamlit as st

from ui.background import models
from ui.shell import cache, layout
from ui.views.train import widgets as training

layout.title_line("Train", "Choose what to learn from, start, and watch. Training goes on when you leave this page.")
if not cache.tasks():
    layout.empty("No system is registered, so there is nothing to train.")
    st.stop()
if not cache.corpora():
    layout.empty("There is no corpus to learn from yet.", "corpora", "Add a corpus", view="Add")
    st.stop()
left, right = st.columns(2, gap="large")
with left:
    training.form()
with right:
    training.panel()
    training.table()
    models.bring()
