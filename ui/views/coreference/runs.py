"""How coreference runs learnt: shapes of their latent trees, the replay of a document, policies against each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import mean
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from engine.metrics.significance import wilcoxon
from engine.store.workspace import RunInfo
from ui.shell import cache, layout, palette
from ui.views.coreference import data as view
from ui.views.see.frame import Frame


def show_shapes(frame: Frame) -> None:
    """Latent trees and how much each policy reads, iteration by iteration: this run's, and the newest of each other."""
    if not frame.model.state.history:
        st.caption("This model does not say how it was trained.")
        return
    histories = {name: cache.model(run).state.history for name, run in newest_by_policy(frame.run).items()}
    left, right = st.columns(2)
    for place, column, title in (
        (left, "arc distance", "mean distance of an arc, in mentions"),
        (right, "read, %", "mentions read, percent"),
    ):
        figure = _lines({name: view.shape_rows(history) for name, history in histories.items()}, column, title)
        place.plotly_chart(figure, key=f"coreference.shapes.{column}", config={"displaylogo": False})
    st.caption(
        "Latent trees of the training documents. Long arcs are hard to learn from: the paper's argument against LaSO;"
        " early update reads only up to the first error. Below: this run."
    )
    st.dataframe(view.shape_rows(frame.model.state.history), hide_index=True)


def newest_by_policy(own: RunInfo) -> dict[str, RunInfo]:
    """The run on screen, and the newest of every other policy, feature set, way to find mentions and training data."""
    found: dict[str, RunInfo] = {}
    seen: set[tuple[str, str]] = set()
    for run in (own, *cache.runs("coreference", usable=True)):
        name = f"{run.learner}, {run.settings.get('features', '')}, {run.settings.get('mentions', '')} mentions"
        if (name, run.data_hash) in seen:
            continue
        seen.add((name, run.data_hash))
        # What was trained alike on other data goes by its date.
        found[name if name not in found else f"{name}, {run.created[5:19].replace('T', ' ')}"] = run
    return found


def _lines(rows: Mapping[str, Sequence[Mapping[str, Any]]], column: str, title: str) -> go.Figure:
    """One line per run over the iterations."""
    colours = palette.colours(layout.is_dark())
    figure = go.Figure()
    for at, (name, points) in enumerate(rows.items()):
        dash = ("solid", "dash", "dot")[at // len(colours) % 3]
        figure.add_trace(
            go.Scatter(
                x=[row["iteration"] for row in points],
                y=[row[column] for row in points],
                name=name,
                mode="lines+markers",
                line={"color": colours[at % len(colours)], "dash": dash},
            )
        )
    figure.update_layout(
        height=300,
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        xaxis={"title": "iteration", "dtick": 1 if max(map(len, rows.values()), default=0) <= 12 else None},
        yaxis_title=title,
        showlegend=True,
        legend={"orientation": "h", "y": -0.3},
    )
    return figure


def show_replay(frame: Frame) -> None:
    history = frame.model.state.history
    if not history:
        st.caption("This model does not say how it was trained.")
        return
    names = [item["id"] for item in history[0]["documents"]]
    left, right = st.columns(2)
    document = left.selectbox("Training document", names, key="coreference.replay.document", format_func=layout.visible)
    iteration = 1
    if len(history) > 1:
        # One slider per document: each starts where its own updates end.
        start, key = view.last_busy(history, document), f"coreference.replay.iteration.{document}"
        iteration = right.slider("Iteration", 1, len(history), start, key=key)
    item = view.replay(history, document, iteration)
    if item is None:
        st.caption("This document was not trained on.")
        return
    share = item["read"] / item["mentions"] if item["mentions"] else 0.0
    st.caption(
        f"{layout.counted(item['mentions'], 'mention')}; read up to {layout.count(item['read'])}"
        f" ({layout.percent(share)} %), {layout.counted(len(item['updates']), 'error')} that led to updates,"
        f" loss {layout.three(item['loss'])}"
    )
    st.plotly_chart(
        _replay_figure(history, document, iteration), key="coreference.replay", config={"displaylogo": False}
    )
    st.caption(
        "Each row is an iteration, each mark a mention at which the search was found wrong and an update was made or"
        " noted (the baseline: once, at the end); the bar is what was read."
    )


def _replay_figure(history: Any, document: str, iteration: int) -> go.Figure:
    dark = layout.is_dark()
    xs, ys, reads, iterations, colours = [], [], [], [], []
    for one in history:
        item = next((found for found in one["documents"] if found["id"] == document), None)
        if item is None:
            continue
        iterations.append(one["iteration"])
        reads.append(item["read"])
        colours.append(palette.role("declined" if one["iteration"] != iteration else "precision", dark))
        xs += item["updates"]
        ys += [one["iteration"]] * len(item["updates"])
    figure = go.Figure(go.Bar(x=reads, y=iterations, orientation="h", marker_color=colours, opacity=0.35, name="read"))
    figure.add_trace(
        go.Scatter(
            x=xs,
            y=ys,
            mode="markers",
            name="update",
            marker={"symbol": "x-thin-open", "color": palette.role("negative", dark), "size": 7},
        )
    )
    figure.update_layout(
        height=80 + 16 * max(6, len(iterations)),
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        xaxis_title="mention",
        yaxis_title="iteration",
        yaxis={"autorange": "reversed"},
    )
    return figure


def _learning(run: RunInfo) -> list[dict[str, float]]:
    rounds = cache.workspace().rounds(run.id)
    return [{"iteration": one.index, "conll": 100 * one.scores["conll"]} for one in rounds if "conll" in one.scores]


def show_comparison(frame: Frame) -> None:
    """Policies and feature sets on this corpus, against the run on screen: the paper's Figures 3 and 4 and Table 1."""
    runs = newest_by_policy(frame.run)
    curves = {name: _learning(run) for name, run in runs.items()}
    if any(curves.values()):
        figure = _lines(curves, "conll", "CoNLL average on dev, percent")
        st.plotly_chart(figure, key="coreference.compare", config={"displaylogo": False})
    if cache.fits(frame.corpus, "coreference") != "yes":
        st.caption("This corpus has no gold clusters to compare runs on.")
        return
    documents = cache.documents(frame.corpus)
    ours = view.per_document_conll(documents, cache.predictions(frame.run, frame.corpus))
    rows = []
    for name, run in runs.items():
        scores = cache.report(run, frame.corpus)
        theirs = view.per_document_conll(documents, cache.predictions(run, frame.corpus))
        differ = any(a != b for a, b in zip(ours, theirs, strict=True))
        rows.append(
            {
                "run": f"{name} (this run)" if run.id == frame.run.id else name,
                **{view.TITLES[metric]: 100 * scores[metric]["f1"] for metric in view.SHOWN},
                "CoNLL": 100 * scores["conll"],
                "root bias": run.bias,
                "minus this run": 100 * (mean(theirs) - mean(ours)),
                "p against this run": f"{wilcoxon(ours, theirs):.3f}" if differ else "–",
            }
        )
    number = st.column_config.NumberColumn(format="%.1f")
    st.dataframe(
        sorted(rows, key=lambda row: -float(row["CoNLL"])),
        hide_index=True,
        column_config={
            **{name: number for name in (*view.TITLES.values(), "CoNLL")},
            "minus this run": st.column_config.NumberColumn(format="%+.1f"),
            "root bias": st.column_config.NumberColumn(format="%.3g"),
        },
    )
    st.caption(
        "Minus this run: mean difference of the CoNLL averages of single documents; p: Wilcoxon signed-rank over"
        f" {layout.counted(len(documents), 'document')}."
    )
    st.caption(
        "A line is every pass on the run's dev corpus at root bias 0. The table is the model that was kept, usually"
        " that of the best pass, on the corpus on screen and at the root bias chosen for it: it is not the peak."
    )
    if len(runs) < 2:
        layout.link_to("train", "Train other policies to compare them", task="coreference")
