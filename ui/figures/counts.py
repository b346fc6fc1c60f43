"""Plotly figures of counts, as pure functions. Texts that may come from documents are escaped here."""

from __future__ import annotations

import html
from collections.abc import Sequence

import plotly.graph_objects as go

from ui.tab import palette
from ui.tab.hidden import visible


def histogram(values: Sequence[float], title: str, *, dark: bool) -> go.Figure:
    """The distribution of a whole number over documents: one bar per value if these are few, else bars of equal
    ranges."""
    few = len(values) > 0 and max(values) - min(values) <= 30
    bins = {"xbins": {"start": min(values) - 0.5, "end": max(values) + 0.5, "size": 1}} if few else {"nbinsx": 30}
    figure = go.Figure(go.Histogram(x=list(values), marker_color=palette.colours(dark)[0], **bins))
    figure.update_traces(hovertemplate="%{x}: %{y} documents<extra></extra>")
    figure.update_yaxes(title={"text": "documents", "font": {"size": 12}})
    if few and max(values) - min(values) <= 12:
        figure.update_xaxes(dtick=1)
    return _plain(figure, title, 200)


def ranking(names: Sequence[str], counts: Sequence[int], title: str, *, dark: bool, most: int = 12) -> go.Figure:
    """The most frequent names, longest bar on top."""
    shown = [html.escape(visible(_cut(name))) for name in names[:most]][::-1]
    # Two names shortened to the same text would share a bar, so the position distinguishes them.
    figure = go.Figure(
        go.Bar(
            x=list(counts[:most])[::-1],
            y=list(range(len(shown))),
            orientation="h",
            marker_color=palette.colours(dark)[0],
            customdata=shown,
            hovertemplate="%{customdata}: %{x}<extra></extra>",
        )
    )
    figure.update_yaxes(tickvals=list(range(len(shown))), ticktext=shown)
    return _plain(figure, title, 60 + 22 * max(3, len(shown)))


def _cut(name: str) -> str:
    return name if len(name) <= 32 else name[:31] + "…"


def _plain(figure: go.Figure, title: str, height: int) -> go.Figure:
    figure.update_layout(
        title={"text": title, "font": {"size": 13}, "x": 0, "y": 0.98},
        height=height,
        margin={"l": 8, "r": 8, "t": 28, "b": 8},
        bargap=0.12,
        showlegend=False,
        dragmode=False,
    )
    figure.update_xaxes(automargin=True, tickfont_size=12)
    figure.update_yaxes(automargin=True, tickfont_size=12)
    return figure
