"""The widgets of the Help page: where to begin, every word, every key."""

from __future__ import annotations

import streamlit as st

from ui.components import tour
from ui.components.keys import COMMON
from ui.shell import layout
from ui.tab import pages
from ui.views.help import data, words


def show_start() -> None:
    """The next steps of somebody who is new here."""
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        tour.offer("help.tour")
        layout.link_to("home", "Home")
        if pages.exists("linking"):
            layout.link_to("linking", "A first picture: Linking")
        layout.link_to("tune", "The knob at full size")
        layout.link_to("corpora", "Add your own data", view="Add")
        layout.link_to("about", "About, papers, licences")


def show_words() -> None:
    """Every entry of the glossary under its heading; a search narrows them down."""
    search = st.text_input(words.FIND, key="help.search", placeholder=words.FIND_EXAMPLE, width=420)
    found = data.found(search or "")
    if not found:
        st.caption(words.NOTHING)
    for heading, entries in found.items():
        with st.expander(f"{heading} · {len(entries)}", expanded=bool(search) or heading == "Terms"):
            # All texts are our own, but a table allows them to be copied.
            st.table(data.rows(entries))
    with st.expander(words.ALL_KEYS):
        st.table(data.key_rows(COMMON))
