"""Figures of experiments: F1 over the bias of all systems, precision against recall, learning curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, Protocol

import plotly.graph_objects as go

from ui.figures.curves import styled
from ui.tab import palette

SHOWN = 0.75
"""The share of a system's highest F1 above which its curve is shown at first."""


class Along(Protocol):
    """A system along its bias: predictions per 100 gold items, F1 in percent, and the bias."""

    @property
    def made(self) -> list[float]: ...
    @property
    def f1(self) -> list[float]: ...
    @property
    def bias(self) -> list[float]: ...


def bias_figure(systems: Mapping[str, Along], *, unit: str, dark: bool) -> go.Figure:
    """F1 of every system along its bias, with a dot at the highest."""
    figure = go.Figure()
    for number, (name, one) in enumerate(systems.items()):
        figure.add_trace(
            go.Scatter(
                x=one.made,
                y=one.f1,
                customdata=one.bias,
                name=escape(name),
                mode="lines",
                line=_line(number, dark),
                hovertemplate="F1 %{y:.1f} %, bias %{customdata:.3g}<extra></extra>",
            )
        )
        best = max(range(len(one.f1)), key=one.f1.__getitem__)
        figure.add_trace(
            go.Scatter(
                x=[one.made[best]],
                y=[one.f1[best]],
                mode="markers",
                marker=_mark(number, 10, dark),
                hovertemplate=f"highest F1 of {escape(name)}: %{{y:.1f}} %<extra></extra>",
                showlegend=False,
            )
        )
    _narrow(figure, systems)
    return styled(figure, f"{unit} made per 100 gold {unit}", "F1, percent")


def _narrow(figure: go.Figure, systems: Mapping[str, Along]) -> None:
    """Show the stretch in which learners can be told apart: where each predicts next to nothing, or everything it can,
    all of them look alike."""
    shown = [
        (at, value)
        for one in systems.values()
        for at, value in zip(one.made, one.f1, strict=True)
        if value >= SHOWN * max(one.f1)
    ]
    if shown:
        x, y = zip(*shown, strict=True)
        figure.update_xaxes(range=[min(x), max(x)])
        figure.update_yaxes(range=[min(y), max(y) + 0.05 * (max(y) - min(y)) + 1.0])


def sides_figure(systems: Mapping[str, tuple[float, float]], *, dark: bool) -> go.Figure:
    """Precision against recall, a mark for every system."""
    figure = go.Figure()
    for number, (name, (recall, precision)) in enumerate(systems.items()):
        figure.add_trace(
            go.Scatter(
                x=[recall],
                y=[precision],
                name=escape(name),
                mode="markers",
                marker=_mark(number, 12, dark),
                hovertemplate="P %{y:.1f} %, R %{x:.1f} %<extra></extra>",
            )
        )
    return styled(figure, "recall, percent", "precision, percent")


def line_figure(
    systems: Mapping[str, Sequence[tuple[float, float]]], *, x: str, y: str, dark: bool, marks: bool = False
) -> go.Figure:
    """One line per system through its points."""
    figure = go.Figure()
    for number, (name, points) in enumerate(systems.items()):
        figure.add_trace(
            go.Scatter(
                x=[at for at, _ in points],
                y=[value for _, value in points],
                name=escape(name),
                mode="lines+markers" if marks else "lines",
                line=_line(number, dark),
                hovertemplate="%{y:.1f} %<extra></extra>",
            )
        )
    return styled(figure, x, y)


def _mark(number: int, size: int, dark: bool) -> dict[str, Any]:
    """Six colours, each with its shape; after them the same shapes open, with a dot, and open with a dot."""
    return {"color": palette.colours(dark)[number % 6], "size": size, "symbol": number % 6 + 100 * (number // 6 % 4)}


def _line(number: int, dark: bool) -> dict[str, Any]:
    dash = ("solid", "dash", "dot", "dashdot")[number // 6 % 4]
    return {"color": palette.colours(dark)[number % 6], "dash": dash, "width": 2}
