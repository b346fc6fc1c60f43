"""Experiments: tables and figures of saved experiments, learners side by side."""

from ui.shell import navigation

navigation.guard()

import streamlit as st

from engine.workbench.experiments import summary
from ui.shell import cache, layout
from ui.views.experiments import data, widgets, words

layout.title_line("Experiments", words.SENTENCE)
folder = widgets.choose()
experiment = None if folder is None else widgets.opened(folder)
if experiment is None:
    st.stop()

task = cache.task(experiment.about.plan.task)
widgets.show_about(experiment, task)
if not experiment.outcomes:
    st.stop()
lines = summary.lines(task, experiment)
corpus = widgets.choose_corpus(experiment)
sides = [words.SIDES] if data.sides(lines, corpus) else []
varied = [words.VARIED] if data.varied(experiment, task, corpus) else []
names = [words.TABLES, words.BIAS, *sides, words.LEARNING, *varied]
tabs = dict(zip(names, st.tabs(names), strict=True))
with tabs[words.TABLES]:
    widgets.show_tables(experiment, task)
with tabs[words.BIAS]:
    widgets.show_bias(experiment, task, corpus)
if words.SIDES in tabs:
    with tabs[words.SIDES]:
        widgets.show_sides(lines, corpus)
with tabs[words.LEARNING]:
    widgets.show_learning(experiment, task, lines, corpus)
if words.VARIED in tabs:
    with tabs[words.VARIED]:
        widgets.show_varied(experiment, task, corpus)
