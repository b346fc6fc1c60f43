"""A Plotly figure with the buttons that every picture of the app has: it can be saved as SVG and as PNG."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from ui.components import mount
from ui.tab import palette

if TYPE_CHECKING:
    import plotly.graph_objects as go

PLAIN: Final[Mapping[str, Any]] = {"displaylogo": False}


def chart(figure: go.Figure, *, key: str, config: Mapping[str, Any] = PLAIN, alt: str | None = None) -> None:
    """Draw the figure; its files are named after the last part of the key. What stands at its axes is as dark as other
    captions: Streamlit's own grey has less contrast than 4.5 to 1."""
    ink = palette.role("muted", getattr(st.context.theme, "type", None) == "dark")
    for axes in (figure.update_xaxes, figure.update_yaxes):
        axes(tickfont_color=ink, title_font_color=ink)
    with st.container(gap=None):
        st.plotly_chart(figure, key=key, config=dict(config), alt=alt)
        mount("chart", key=f"{key}.saving", data={"name": key.rsplit(".", 1)[-1]}, width="content")
