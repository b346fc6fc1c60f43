"""Plotly figures of runs: curves and tables, as pure functions of numbers, like counts.py for corpora.

Text that comes from documents is escaped here, since Plotly reads markup in labels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import plotly.graph_objects as go

from engine.tuning.curve import Curve, thin
from engine.workbench.answers import Reliability
from ui.tab import palette

POINTS = 1500
"""Maximum number of points drawn of a curve; the numbers next to it are always exact."""


def reliability_figure(found: Reliability, *, dark: bool) -> go.Figure:
    """The share of right answers by probability, in percent; on the diagonal the two agree. Larger dots stand for more
    answers."""
    most = max(one.n for one in found.bins)
    figure = go.Figure(
        go.Scatter(
            x=[0, 100],
            y=[0, 100],
            mode="lines",
            line={"color": palette.role("muted", dark), "dash": "dash", "width": 1},
            hoverinfo="skip",
            showlegend=False,
        )
    )
    figure.add_trace(
        go.Scatter(
            x=[100 * one.said for one in found.bins],
            y=[100 * one.right for one in found.bins],
            mode="lines+markers",
            line={"color": palette.role("f", dark), "width": 2},
            marker={"size": [8 + 14 * (one.n / most) ** 0.5 for one in found.bins]},
            customdata=[one.n for one in found.bins],
            hovertemplate="said %{x:.1f} %, right %{y:.1f} %<br>%{customdata} answers<extra></extra>",
            showlegend=False,
        )
    )
    figure.update_xaxes(range=[-2, 102])
    figure.update_yaxes(range=[-2, 104])
    return styled(figure, "probability that was given, percent", "right, percent", height=320)


def learning_figure(runs: Mapping[str, Sequence[tuple[int, float]]], *, label: str, dark: bool) -> go.Figure:
    """One score per round of each run."""
    figure = go.Figure()
    for number, (name, points) in enumerate(runs.items()):
        figure.add_trace(
            go.Scatter(
                x=[x for x, _ in points],
                y=[y for _, y in points],
                name=escape(name),
                mode="lines",
                line={"color": palette.colours(dark)[number % 6], "dash": ("solid", "dash", "dot")[number % 3]},
            )
        )
    return styled(figure, "round", label)


def confusion_figure(counts: Mapping[tuple[str, str], int], *, most: int = 15, dark: bool) -> go.Figure:
    """Gold against predicted: how often one was taken for the other, for the most frequent names."""
    weight: dict[str, int] = {}
    for (gold, predicted), n in counts.items():
        for name in (gold, predicted):
            weight[name] = weight.get(name, 0) + n
    names = sorted(weight, key=lambda name: (-weight[name], name))[:most]
    shown = [escape(_short(name)) or "nothing" for name in names]
    table = [[counts.get((gold, predicted), 0) for predicted in names] for gold in names]
    figure = go.Figure(
        go.Heatmap(
            # Empty where nothing was confused. The scale begins near the page's colour, so that Plotly writes the
            # numbers in a colour that can be read on it.
            z=[[n or None for n in row] for row in table],
            zmin=0,
            x=shown,
            y=shown,
            colorscale=[[0, "#1B2A33" if dark else "#E3EEF6"], [1, palette.colours(dark)[0]]],
            text=[[str(n) if n else "" for n in row] for row in table],
            texttemplate="%{text}",
            textfont={"size": 12},
            showscale=False,
            hovertemplate="gold %{y}<br>predicted %{x}<br>%{z} times<extra></extra>",
        )
    )
    figure.update_yaxes(autorange="reversed")
    return styled(figure, "predicted", "gold", height=120 + 24 * len(names))


def styled(figure: go.Figure, x: str, y: str, height: int = 340) -> go.Figure:
    figure.update_layout(
        height=height,
        margin={"l": 50, "r": 10, "t": 10, "b": 45},
        xaxis_title=x,
        yaxis_title=y,
        legend={"orientation": "h", "y": 1.08, "x": 0, "font": {"size": 12}},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        hovermode="closest",
    )
    figure.update_xaxes(tickfont_size=12)
    figure.update_yaxes(tickfont_size=12)
    return figure


def _line(x: float, colour: str, dash: str) -> dict[str, Any]:
    return {
        "type": "line",
        "x0": x,
        "x1": x,
        "y0": 0,
        "y1": 1,
        "yref": "paper",
        "line": {"color": colour, "width": 1, "dash": dash},
    }


def _short(name: str, n: int = 24) -> str:
    return name if len(name) <= n else name[: n - 1] + "…"


def f_figure(systems: Mapping[str, tuple[Curve, float]], *, unit: str, dark: bool) -> go.Figure:
    """F1 of several systems along their bias, each with the bias chosen for it.

    Scores of different learners have different scales, and so have their biases, but the number of predictions at a
    bias is comparable. So the x axis is the number of predictions per 100 gold items.
    """
    figure = go.Figure()
    chosen = []
    for number, (name, (curve, bias)) in enumerate(systems.items()):
        size, f = 100 * curve.predicted / max(1, curve.gold), 100 * curve.f()
        colour = palette.colours(dark)[number % 6]
        at, zero = curve.index_at(bias), curve.index_at(0.0)
        kept = thin(curve, [curve.best_index(), at, zero], POINTS)
        chosen.append(float(size[at]))
        figure.add_trace(
            go.Scatter(
                x=size[kept],
                y=f[kept],
                name=escape(name),
                mode="lines",
                line={"color": colour, "dash": ("solid", "dash", "dot")[number // 6 % 3]},
                customdata=curve.bias[kept],
                hovertemplate="F1 %{y:.1f} %, bias %{customdata:.3g}<extra></extra>",
            )
        )
        figure.add_trace(
            go.Scatter(
                x=[size[at], size[zero]],
                y=[f[at], f[zero]],
                mode="markers",
                marker={"color": colour, "size": 11, "symbol": ["circle", "circle-open"], "line": {"width": 2}},
                customdata=[[bias, "chosen"], [0.0, "bias 0"]],
                hovertemplate="%{customdata[1]}: F1 %{y:.1f} %, bias %{customdata[0]:.3g}<extra></extra>",
                showlegend=False,
            )
        )
    # There is little to see where a learner links everything it can: the figure ends shortly beyond the chosen points.
    widest = max(100 * float(curve.predicted.max()) / max(1, curve.gold) for curve, _ in systems.values())
    figure.update_xaxes(range=[0, min(1.03 * widest, max(200.0, 1.3 * max(chosen)))])
    figure.update_layout(shapes=[_line(100.0, palette.role("muted", dark), "dot")])
    return styled(figure, f"{unit} made per 100 gold {unit}", "F1, percent")
