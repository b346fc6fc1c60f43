"""A Plotly figure with the buttons that every picture of the app has: it can be saved as SVG and as PNG."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from ui.components import mount

if TYPE_CHECKING:
    import plotly.graph_objects as go

PLAIN: Final[Mapping[str, Any]] = {"displaylogo": False}


def chart(figure: go.Figure, *, key: str, config: Mapping[str, Any] = PLAIN, alt: str | None = None) -> None:
    """Draw the figure; its files are named after the last part of the key."""
    with st.container(gap=None):
        st.plotly_chart(figure, key=key, config=dict(config), alt=alt)
        mount("chart", key=f"{key}.saving", data={"name": key.rsplit(".", 1)[-1]}, width="content")
