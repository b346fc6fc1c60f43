"""Curves and tables of runs as Plotly figures: pure functions of numbers, like figures.py for corpora.

Text that comes from documents is escaped here, since Plotly reads markup in labels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np
import plotly.graph_objects as go

from engine.tuning.band import Band
from engine.tuning.curve import Curve, thin
from ui.shell import palette

POINTS = 1500
"""Points drawn of a curve; the numbers beside it are always exact."""


def curve_figure(
    curve: Curve, *, bias: float, beta: float, dark: bool, band: Band | None = None, name: str = "bias"
) -> go.Figure:
    """Precision, recall and F-beta against the bias, in percent; the line marks the current bias."""
    best = curve.best_index(beta)
    kept = thin(curve, [best, curve.index_at(bias)], POINTS)
    x = _finite(curve.bias)[kept]
    figure = go.Figure()
    series = (
        ("precision", curve.known_precision, "solid", "precision"),
        ("recall", curve.recall, "dash", "recall"),
        (f"F{beta:g}", curve.f(beta), "solid", "f"),
    )
    for label, values, dash, role in series:
        colour = palette.role(role, dark)
        limits = None if band is None else {"precision": band.precision, "recall": band.recall}.get(label, band.f)
        if band is not None and limits is not None:
            known = np.isfinite(limits[:, 0])
            # Steps like the lines: each pair of limits holds up to the next.
            places = np.repeat(_finite(band.bias)[known], 2)[1:]
            low, high = (np.repeat(limits[known, side], 2)[:-1] for side in (0, 1))
            figure.add_trace(
                go.Scatter(
                    x=np.concatenate([places, places[::-1]]),
                    y=100 * np.concatenate([high, low[::-1]]),
                    fill="toself",
                    mode="none",
                    fillcolor=_faint(colour),
                    hoverinfo="skip",
                    showlegend=False,
                )
            )
        figure.add_trace(
            go.Scatter(
                x=x,
                y=100 * values[kept],
                name=label,
                mode="lines",
                line={"shape": "hv", "color": colour, "dash": dash, "width": 2},
                hovertemplate=f"{label} %{{y:.1f}} %<br>bias %{{x:.3g}}<extra></extra>",
            )
        )
    here = float(np.clip(bias, x.min(), x.max()))
    marks = [_line(here, palette.role("muted", dark), "solid")]
    if best:
        marks.append(_line(float(_finite(curve.bias)[best]), palette.role("f", dark), "dot"))
    figure.update_layout(shapes=marks)
    return _styled(figure, f"{name} bias", "percent")


def against_figure(curves: Mapping[str, tuple[Curve, float]], *, dark: bool) -> go.Figure:
    """Precision against recall of one or several runs; the dot is where each stands."""
    figure = go.Figure()
    dashes = ("solid", "dash", "dot", "dashdot")
    for number, (name, (curve, bias)) in enumerate(curves.items()):
        colour = palette.colours(dark)[number % 6]
        kept = thin(curve, [curve.index_at(bias)], POINTS)
        figure.add_trace(
            go.Scatter(
                x=100 * curve.recall[kept],
                y=100 * curve.known_precision[kept],
                name=escape(name),
                mode="lines",
                line={"color": colour, "dash": dashes[number % 4], "width": 2},
                customdata=curve.bias[kept],
                hovertemplate="P %{y:.1f} %, R %{x:.1f} %<br>bias %{customdata:.3g}<extra></extra>",
            )
        )
        point = curve.at(bias)
        figure.add_trace(
            go.Scatter(
                x=[100 * point.recall],
                y=[100 * point.precision],
                mode="markers",
                marker={"color": colour, "size": 11, "symbol": number % 6},
                hovertemplate="chosen: P %{y:.1f} %, R %{x:.1f} %<extra></extra>",
                showlegend=False,
            )
        )
    return _styled(figure, "recall, percent", "precision, percent")


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
    return _styled(figure, "round", label)


def confusion_figure(counts: Mapping[tuple[str, str], int], *, most: int = 15, dark: bool) -> go.Figure:
    """Gold against predicted: how often one was taken for the other; the most frequent names only."""
    weight: dict[str, int] = {}
    for (gold, predicted), n in counts.items():
        for name in (gold, predicted):
            weight[name] = weight.get(name, 0) + n
    names = sorted(weight, key=lambda name: (-weight[name], name))[:most]
    shown = [escape(_short(name)) or "nothing" for name in names]
    table = [[counts.get((gold, predicted), 0) for predicted in names] for gold in names]
    figure = go.Figure(
        go.Heatmap(
            z=table,
            x=shown,
            y=shown,
            colorscale=[[0, "rgba(0,0,0,0)"], [1, palette.colours(dark)[0]]],
            text=[[str(n) if n else "" for n in row] for row in table],
            texttemplate="%{text}",
            showscale=False,
            hovertemplate="gold %{y}<br>predicted %{x}<br>%{z} times<extra></extra>",
        )
    )
    figure.update_yaxes(autorange="reversed")
    return _styled(figure, "predicted", "gold", height=120 + 24 * len(names))


def _styled(figure: go.Figure, x: str, y: str, height: int = 340) -> go.Figure:
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


def _finite(bias: np.ndarray) -> np.ndarray:
    """The unbounded first step begins a little before the second."""
    finite = bias[np.isfinite(bias)]
    if not len(finite):
        return np.zeros_like(bias)
    span = float(finite.max() - finite.min()) or 1.0
    return np.where(np.isfinite(bias), bias, finite.min() - 0.05 * span)


def _faint(colour: str) -> str:
    r, g, b = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({r},{g},{b},0.15)"


def _short(name: str, n: int = 24) -> str:
    return name if len(name) <= n else name[: n - 1] + "…"


def f_figure(systems: Mapping[str, tuple[Curve, float]], *, unit: str, dark: bool) -> go.Figure:
    """F1 of several systems along their bias, each with the bias chosen for it.

    Scores of different learners have different scales, and so have their biases; how much a system puts out at a bias
    is comparable. Points stand at that: predictions per 100 gold items.
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
    # Where a learner links everything it can there is little to see: the picture ends beyond the chosen points.
    widest = max(100 * float(curve.predicted.max()) / max(1, curve.gold) for curve, _ in systems.values())
    figure.update_xaxes(range=[0, min(1.03 * widest, max(200.0, 1.3 * max(chosen)))])
    figure.update_layout(shapes=[_line(100.0, palette.role("muted", dark), "dot")])
    return _styled(figure, f"{unit} made per 100 gold {unit}", "F1, percent")
