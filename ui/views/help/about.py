"""The About page: version, workspace, papers, licences."""

from __future__ import annotations

import streamlit as st

import engine
from ui.shell import cache, layout
from ui.views.help import data, words


def show_version() -> None:
    st.markdown(f"**Espalier {engine.__version__}**")
    st.caption(words.WORKSPACE)
    st.text(layout.visible(f"Workspace: {cache.directory().name}, {place()}"))
    layout.link_to("help", "What the terms mean")


def place() -> str:
    """The location of the tables in words, never a path on the server."""
    return "with its tables in PostgreSQL" if cache.is_remote() else "a folder on the server, with its tables in SQLite"


def show_papers() -> None:
    st.subheader(words.PAPERS, anchor=False)
    st.caption(words.PAPERS_CAPTION)
    # As lines, not as a table: on a narrow screen a table would scroll sideways, out of reach of the keyboard.
    st.markdown("\n".join(f"- {paper}" for paper in data.papers_in_words()))


def show_licences() -> None:
    st.subheader(words.LICENCES, anchor=False)
    st.caption(words.LICENCES_CAPTION)
    st.dataframe(data.licence_rows(), hide_index=True, width="stretch", height="content")
