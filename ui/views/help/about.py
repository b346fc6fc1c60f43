"""The About page: version, workspace, papers, licences."""

from __future__ import annotations

import streamlit as st

import engine
from ui.shell import cache, layout
from ui.views.help import data, words


def show_version() -> None:
    st.markdown(f"**Espalier {engine.__version__}**")
    st.caption(words.WORKSPACE)
    layout.link_to("help", "What the words mean")
    st.text(layout.visible(f"Workspace: {cache.directory().name} · {place()}"))


def place() -> str:
    """The location of the tables in words, never a path on the server."""
    return "PostgreSQL" if cache.is_remote() else "SQLite, in the folder of the server that ESPALIER_WORKSPACE names"


def show_papers() -> None:
    st.subheader(words.PAPERS, anchor=False)
    st.caption(words.PAPERS_CAPTION)
    # As lines, not as a table: on a narrow screen a table would scroll sideways, out of reach of the keyboard.
    for paper in data.papers_in_words():
        st.text(paper)


def show_licences() -> None:
    st.subheader(words.LICENCES, anchor=False)
    st.caption(words.LICENCES_CAPTION)
    st.dataframe(data.licence_rows(), hide_index=True, width="stretch", height="content")
