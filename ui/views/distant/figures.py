"""The figures of the Distant page: trained points and the curve, the ranking, the search for the worst labels, the
agreement of the dual, the rounds of training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import plotly.graph_objects as go

from engine.arrays import Floats, Ints
from engine.metrics.distant import Ranking
from engine.structures.agreement import Step
from engine.tasks.distant.training import LossTrace
from engine.tuning.curve import Curve, thin
from ui.background.retraining import Visited
from ui.shell import layout
from ui.tab import palette
from ui.views.distant import words


def trained_figure(
    visited: Sequence[Visited], curve: Curve | None, here: float, bias: float, *, dark: bool
) -> go.Figure:
    """Trained operating points, one per chosen beta, together with the nil-bias curve of one model."""
    figure = go.Figure()
    muted, strong = palette.role("muted", dark), palette.colours(dark)[1]
    if curve is not None:
        kept = thin(curve, [curve.index_at(bias)], 300)
        kept = kept[curve.predicted[kept] > 0]
        figure.add_trace(
            go.Scatter(
                x=100 * curve.recall[kept],
                y=100 * curve.precision[kept],
                mode="lines",
                name="this model, nil bias moved",
                line={"color": muted, "width": 2, "dash": "dot"},
                customdata=curve.bias[kept],
                hovertemplate="nil bias %{customdata:.3g}: P %{y:.1f} %, R %{x:.1f} %<extra></extra>",
            )
        )
    if visited:
        figure.add_trace(
            go.Scatter(
                x=[100 * one.recall for one in visited],
                y=[100 * one.precision for one in visited],
                mode="lines+markers+text",
                name="trained for this weight",
                text=[f"{one.beta:g}" for one in visited],
                textposition="top center",
                textfont={"size": 12},
                line={"color": strong, "width": 1},
                marker={
                    "color": strong,
                    "size": [14 if one.beta == here else 9 for one in visited],
                    "symbol": ["diamond" if one.beta == here else "circle" for one in visited],
                },
                customdata=[one.beta for one in visited],
                hovertemplate="trained for %{customdata}: P %{y:.1f} %, R %{x:.1f} %<extra></extra>",
            )
        )
    return _styled(figure, "recall, percent", "precision, percent", 380)


def steps_shown(recall: Floats, most: int = 600) -> Ints:
    """The points where recall rises, and the end, since precision only falls between them; evenly spaced ones if there
    are too many."""
    rises = np.flatnonzero(np.diff(recall, prepend=0.0) > 0)
    kept = np.unique(np.append(rises, len(recall) - 1)) if len(recall) else rises
    if len(kept) > most:
        kept = kept[np.unique(np.linspace(0, len(kept) - 1, most).astype(np.int64))]
    return kept


@dataclass(frozen=True)
class Decided:
    """The result of a model at one bias."""

    bias: float
    predicted: int
    precision: float
    recall: float

    @classmethod
    def on(cls, curve: Curve, bias: float) -> Decided:
        at = curve.index_at(bias)
        return cls(bias, int(curve.predicted[at]), float(curve.precision[at]), float(curve.recall[at]))


def ranked_figure(ranking: Ranking, here: Decided | None, *, dark: bool) -> go.Figure:
    """Precision and recall by score, with the model's decisions at the current bias."""
    colours = palette.colours(dark)
    kept = steps_shown(ranking.recall)
    figure = go.Figure(
        go.Scatter(
            x=100 * ranking.recall[kept],
            y=100 * ranking.precision[kept],
            mode="lines",
            name="all pairs, best score first",
            line={"color": colours[0], "width": 2},
            hovertemplate="P %{y:.1f} %, R %{x:.1f} %<extra></extra>",
        )
    )
    if here is not None and here.predicted:
        figure.add_trace(
            go.Scatter(
                x=[100 * here.recall],
                y=[100 * here.precision],
                mode="markers",
                name="what is decided at the bias on screen",
                marker={"symbol": "diamond", "size": 13, "color": colours[1]},
                hovertemplate="decided: P %{y:.1f} %, R %{x:.1f} %<extra></extra>",
            )
        )
    figure = _styled(figure, "recall, percent", "precision, percent", 380)
    figure.update_xaxes(range=[0, 102])
    figure.update_yaxes(range=[0, 102])
    return figure


def ranked_caption(ranking: Ranking, here: Decided | None) -> str:
    """What the figure counts, in numbers."""
    words = (
        f"All {layout.counted(ranking.pairs, 'pair')} of a bag and a relation ({layout.counted(ranking.bags, 'bag')}),"
        f" best score first, against {layout.counted(ranking.gold, 'gold relation')}. Precision and recall are"
        f" percentages of relations; area under the curve {ranking.area:.3f}."
    )
    if here is None or not here.predicted:
        return words + " Nothing is decided at the bias on screen."
    return (
        f"{words} Diamond: the {layout.counted(here.predicted, 'relation')} decided at bias {layout.three(here.bias)},"
        f" P {layout.percent(here.precision)} %, R {layout.percent(here.recall)} %. A decision gives each sentence one"
        " relation at most, which the ranking does not, so it need not lie on the curve."
    )


def grid_figure(trace: LossTrace, *, dark: bool) -> go.Figure:
    """The (FP, FN) grid as a heat map with the paper's search path, the worst output and the model's own output."""
    colours = palette.colours(dark)
    ground = "#0E1316" if dark else "#FFFFFF"
    figure = go.Figure(
        go.Heatmap(
            x=trace.fps,
            y=trace.fns,
            z=trace.values,
            # The far corner is so low that it would dominate the colour scale.
            zmin=float(np.quantile(trace.values, 0.35)),
            zmax=float(trace.values.max()),
            colorscale=[[0, ground], [1, colours[0]]],
            colorbar={
                "title": {"text": "loss + score, at most", "side": "right", "font": {"size": 12}},
                "thickness": 12,
                "tickfont": {"size": 12},
            },
            hovertemplate="FP %{x}, FN %{y}: %{z:.2f}<extra></extra>",
        )
    )
    figure.add_trace(
        go.Scatter(
            x=[fp for fp, _ in trace.climb],
            y=[fn for _, fn in trace.climb],
            mode="lines+markers",
            name="hill climbing",
            line={"color": colours[4], "width": 2},
            marker={"size": 6, "color": colours[4], "line": {"color": ground, "width": 1}},
            hovertemplate="step: FP %{x}, FN %{y}<extra></extra>",
        )
    )
    for name, (fp, fn), symbol, colour in (
        (words.WORST, trace.worst, "star", colours[1]),
        ("what the model predicts", trace.predicted, "x", colours[2]),
    ):
        figure.add_trace(
            go.Scatter(
                x=[fp],
                y=[fn],
                mode="markers",
                name=name,
                marker={"symbol": symbol, "size": 15, "color": colour, "line": {"color": ground, "width": 1}},
                hovertemplate=f"{name}: FP %{{x}}, FN %{{y}}<extra></extra>",
            )
        )
    return _styled(figure, "false positives (FP)", "false negatives (FN)", 420)


def agreement_figure(steps: Sequence[Step], title: str, *, dark: bool) -> go.Figure:
    """Dual and primal per step; where they meet, the answer is certified. Disagreement on the right-hand axis."""
    colours = palette.colours(dark)
    at = list(range(1, len(steps) + 1))
    best: list[float] = []
    bound: list[float] = []
    for step in steps:
        best.append(max(step.primal, best[-1]) if best else step.primal)
        bound.append(min(step.dual, bound[-1]) if bound else step.dual)
    # The overlaying axis is drawn on top, so that lines are above bars.
    figure = go.Figure(
        go.Bar(
            x=at,
            y=[step.disagreement for step in steps],
            name="labels in disagreement",
            marker_color=palette.role("line", dark),
            hovertemplate="step %{x}: %{y:.0f} labels<extra></extra>",
        )
    )
    for name, values, colour, dash in (
        ("dual, lowest so far", bound, colours[1], "solid"),
        ("primal, best so far", best, colours[0], "solid"),
        ("dual of this step", [step.dual for step in steps], colours[1], "dot"),
    ):
        figure.add_trace(
            go.Scatter(
                x=at,
                y=values,
                mode="lines",
                name=name,
                yaxis="y2",
                line={"color": colour, "dash": dash, "width": 1 if dash == "dot" else 2},
                hovertemplate="step %{x}: %{y:.3f}<extra></extra>",
            )
        )
    figure = _styled(figure, title, "labels in disagreement", 340)
    figure.update_layout(
        yaxis={"side": "right", "showgrid": False, "rangemode": "tozero"},
        yaxis2={"overlaying": "y", "side": "left", "title": "value", "automargin": True, "tickfont": {"size": 12}},
    )
    return figure


def rounds_figure(rounds: Sequence[Mapping[str, Any]], *, dark: bool) -> go.Figure:
    """Primal and dual of the inner problem plane by plane, over all CCCP rounds, and the objective after each."""
    colours = palette.colours(dark)
    figure = go.Figure()
    at = 0
    ends: list[tuple[int, float]] = []
    primal: list[float | None] = []
    dual: list[float | None] = []
    for one in rounds:
        planes = one.get("planes", [])
        primal += [plane.get("primal") for plane in planes] + [None]
        dual += [plane.get("dual") for plane in planes] + [None]
        at += len(planes)
        ends.append((at, float(one["objective"])))
        at += 1
    for name, values, colour in (("primal", primal, colours[0]), ("dual", dual, colours[1])):
        figure.add_trace(
            go.Scatter(
                y=values, x=list(range(1, len(values) + 1)), mode="lines", name=name, line={"color": colour, "width": 2}
            )
        )
    figure.add_trace(
        go.Scatter(
            x=[x for x, _ in ends],
            y=[y for _, y in ends],
            mode="markers+lines",
            name="CCCP objective",
            line={"color": colours[2], "dash": "dash"},
            marker={"size": 10, "symbol": "diamond"},
            hovertemplate="objective %{y:.2f}<extra></extra>",
        )
    )
    figure = _styled(figure, "planes, over the CCCP rounds", "objective (log)", 340)
    figure.update_yaxes(type="log", dtick=1)
    return figure


def _styled(figure: go.Figure, x: str, y: str, height: int) -> go.Figure:
    figure.update_layout(
        height=height,
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        xaxis_title=escape(x),
        yaxis_title=escape(y),
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "font": {"size": 12}},
        hoverlabel={"namelength": -1},
    )
    figure.update_xaxes(automargin=True, tickfont_size=12)
    figure.update_yaxes(automargin=True, tickfont_size=12)
    return figure
