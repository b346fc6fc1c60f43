"""Compare: two systems on the same documents, and whether their difference is more than luck."""

from ui.shell import navigation

navigation.guard()

import streamlit as st

from ui.shell import cache, layout, session, sidebar
from ui.views.compare import widgets as versus

choice = sidebar.current()
layout.title_line(
    "Compare",
    "A is the run in the sidebar, B the one chosen here; every difference has its interval and p-value.",
)
if choice.run is None or choice.corpus is None:
    layout.empty("There is no run to compare.", "train", "Train a system")
    st.stop()
if cache.fits(choice.corpus, choice.run.task) != "yes":
    layout.empty("This corpus has no gold that systems could be judged by; choose another in the sidebar.")
    st.stop()

run, corpus = choice.run, choice.corpus
others = versus.systems(run, corpus)
named = session.get("other")
if others:
    session.sync("compare.other", named if named in others else others[0])
    other = st.selectbox(
        "B", others, key="compare.other", format_func=versus.label, on_change=session.writes("other", "compare.other")
    )
    result = versus.comparison(run, other, corpus)
    versus.show_unanswered(other, corpus)
    versus.show_scores(result)
    second = cache.run(other)
    found, learning, settings, board, bring, report = st.tabs(
        ["Who found what", "Learning", "Settings", "Leaderboard", "Import predictions", "Report"]
    )
    with found:
        versus.show_found(run, other, corpus)
    with learning:
        versus.show_learning([run] if second is None else [run, second])
    with settings:
        st.dataframe(versus.settings_diff(run, second) if second else [], hide_index=True, width="stretch")
    with board:
        versus.show_leaderboard(run, corpus)
else:
    layout.empty(
        "There is only one system for this corpus. Train another, or import predictions below.",
        "train",
        "Train another",
        task=run.task,
    )
    other, bring, report = None, st.container(), st.container()
with bring:
    versus.import_predictions(corpus)
with report:
    versus.show_report(run, corpus, other)
