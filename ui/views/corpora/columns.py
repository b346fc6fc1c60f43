"""Naming the columns of an uploaded table: what a row stands for, the role of each column, and a preview."""

from __future__ import annotations

import hashlib

import pandas as pd
import streamlit as st

from engine.corpora import tables
from engine.corpora.tables.columns import USED
from ui.shell import layout
from ui.tab import upload
from ui.views.corpora import words

SHOWN = 5
"""Number of rows in the preview."""


def choose_columns(grid: tables.Grid, format: str | None) -> upload.How | None:
    """The current choice; None if a required column is still missing."""
    rows = [[layout.visible(cell[:200]) for cell in row.cells] for row in grid.rows[:SHOWN]]
    st.dataframe(pd.DataFrame(rows, columns=list(grid.header)), hide_index=True, key="corpora.table")
    guessed = tables.guess(grid)
    # Boxes belong to one table, so that choices for another are not kept.
    key = f"corpora.column.{hashlib.sha256(repr(grid.header).encode()).hexdigest()[:8]}"
    kinds = list(tables.KINDS)
    kind = st.selectbox(
        words.ROW, kinds, kinds.index(guessed.kind), format_func=tables.KINDS.__getitem__, key=f"{key}.row"
    )
    st.caption(words.COLUMNS)
    told: dict[str, str] = {}
    places = st.columns(4)
    for i, role in enumerate(USED[kind]):
        options = ["", *grid.header]
        told[role] = places[i % 4].selectbox(
            role,
            options,
            options.index(guessed.of.get(role, "")),
            format_func=lambda name: layout.visible(name) or words.NO_COLUMN,
            key=f"{key}.{kind}.{role}",
            help=tables.ROLES[role],
        )
    others = {role: "" for role in tables.ROLES if role not in USED[kind]}
    chosen = guessed.with_told(grid, {**told, **others}, kind)
    if chosen.missing():
        st.info(words.STILL_NEEDED.format(roles=", ".join(chosen.missing())), icon=":material/arrow_upward:")
        return None
    return upload.How(format, {**told, **others}, kind)
