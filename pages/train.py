"""Train: choose a system, its data and its settings; watch it learn; stop it and go on."""

from ui import shell

shell.guard()

import streamlit as st  # noqa: E402

from ui import data, layout, models, training  # noqa: E402

layout.title_line("Train", "Choose what to learn from, start, and watch. Training goes on when you leave this page.")
if not data.tasks():
    layout.empty("No system is registered, so there is nothing to train.")
    st.stop()
if not data.corpora():
    layout.empty("There is no corpus to learn from yet.", "corpora", "Add a corpus", view="Add")
    st.stop()
left, right = st.columns(2, gap="large")
with left:
    training.form()
with right:
    training.panel()
    training.table()
    models.bring()
