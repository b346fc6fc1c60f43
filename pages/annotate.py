"""Annotate: correct spans, links, chains and relations; every edit is saved at once and can be undone."""

from ui import shell

shell.guard()

import streamlit as st  # noqa: E402

from ui import annotate, desk, layout, people, session, sidebar  # noqa: E402
from ui.components.editor import editor  # noqa: E402

choice = sidebar.current()
layout.title_line(
    "Annotate",
    "Mark text and press Enter; click a mention to change it; ? shows every key. Each edit is saved at once.",
)
if choice.corpus is None or choice.document is None:
    layout.empty("There is no document to annotate.", "corpora", "Add a corpus")
    st.stop()

user, layer, least = desk.controls(choice)
vocabulary = desk.vocabulary(choice.corpus)
at = desk.at(choice, user, layer)


@st.fragment
def draw_editor() -> None:
    editor(
        annotate.payload(
            at,
            vocabulary,
            ack=session.value("annotate.ack", {}),
            message=session.value("annotate.message", ""),
            candidates=desk.candidates(at, vocabulary),
            least=least,
        ),
        key="annotate.editor",
        on_ops=lambda: desk.on_ops(at),
        on_query=lambda: None,
    )


draw_editor()
queue_tab, bulk_tab, history_tab, people_tab, versions_tab = st.tabs(
    ["Queue", "Bulk", "History", "People", "Versions and scores"]
)
with queue_tab:
    desk.show_queue(choice, user, layer)
with bulk_tab:
    desk.show_bulk(choice, user, layer)
with history_tab:
    st.dataframe(annotate.history(at), hide_index=True, width="stretch")
with people_tab:
    people.show(choice, user)
with versions_tab:
    desk.show_versions(choice, user, layer)
