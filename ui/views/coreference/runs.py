"""The training of coreference runs: shapes of their latent trees, the replay of a document, comparison of policies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from engine.store.workspace import RunInfo
from engine.tasks.coreference.evaluation import conll_by_document, versus
from engine.workbench import verdicts
from ui.components.chart import chart
from ui.shell import cache, layout
from ui.tab import palette
from ui.views.coreference import data as view
from ui.views.coreference import words
from ui.views.coreference.widgets import CoreferenceFrame


def show_shapes(frame: CoreferenceFrame) -> None:
    """Latent trees and how much each policy reads, by iteration: for this run, and the newest of each other policy."""
    if not frame.model.state.history:
        st.caption(words.NO_HISTORY)
        return
    histories = {name: cache.model(run).state.history for name, run in newest_by_policy(frame.run).items()}
    left, right = st.columns(2)
    for place, column, title in (
        (left, "arc distance", "mean distance of an arc, in mentions"),
        (right, "read, %", "mentions read, percent"),
    ):
        figure = _lines({name: view.shape_rows(history) for name, history in histories.items()}, column, title)
        with place:
            chart(figure, key=f"coreference.shapes.{column}")
    st.caption(words.SHAPES_HELP)
    st.dataframe(
        layout.in_three(view.shape_rows(frame.model.state.history), ("read, %", "arc distance", "tree depth")),
        hide_index=True,
        column_config={"loss": st.column_config.NumberColumn(format="%.1f")},
    )


def newest_by_policy(own: RunInfo) -> dict[str, RunInfo]:
    """The current run, and the newest run of every other configuration: policy, features, mentions, beam, history, loss
    in training, and data."""
    newest: dict[tuple[str, ...], RunInfo] = {}
    for run in (own, *cache.runs("coreference", usable=True)):
        newest.setdefault((*_way(run).values(), run.data_hash), run)
    found: dict[str, RunInfo] = {}
    for run in newest.values():
        name = _called(run, list(newest.values()))
        # Runs that differ only in their data are named by date.
        found[name if name not in found else f"{name}, {run.created[5:19].replace('T', ' ')}"] = run
    return found


def _way(run: RunInfo) -> dict[str, str]:
    """The configuration of a run, as far as it distinguishes policies."""
    return {"learner": run.learner, **{name: str(run.settings.get(name, "")) for name in words.POLICY_SETTINGS}}


def _called(run: RunInfo, among: Sequence[RunInfo]) -> str:
    """Policy, features and mentions, and whatever else distinguishes the runs of this policy."""
    way = _way(run)
    alike = [_way(other) for other in among if other.learner == run.learner]
    more = [name for name in words.FINER_SETTINGS if len({one[name] for one in alike}) > 1]
    name = f"{way['learner']}, {way['features']}, {way['mentions']} mentions"
    return ", ".join([name, *(f"{setting} {way[setting]}" for setting in more)])


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
        legend={"orientation": "h", "y": -0.3, "font": {"size": 12}},
    )
    figure.update_xaxes(tickfont_size=12)
    figure.update_yaxes(tickfont_size=12)
    return figure


def show_replay(frame: CoreferenceFrame) -> None:
    history = frame.model.state.history
    if not history:
        st.caption(words.NO_HISTORY)
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
        st.caption(words.NOT_TRAINED_ON)
        return
    share = item["read"] / item["mentions"] if item["mentions"] else 0.0
    st.caption(
        f"{layout.counted(item['mentions'], 'mention')}; read up to {layout.count(item['read'])}"
        f" ({layout.percent(share)} %), {layout.counted(len(item['updates']), 'error')} that led to updates,"
        f" loss {layout.three(item['loss'])}"
    )
    chart(_replay_figure(history, document, iteration), key="coreference.replay")
    st.caption(words.REPLAY_HELP)


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
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "font": {"size": 12}},
    )
    figure.update_xaxes(tickfont_size=12)
    figure.update_yaxes(tickfont_size=12)
    return figure


def _learning(run: RunInfo) -> list[dict[str, float]]:
    rounds = cache.workspace().rounds(run.id)
    return [{"iteration": one.index, "conll": 100 * one.scores["conll"]} for one in rounds if "conll" in one.scores]


def show_comparison(frame: CoreferenceFrame) -> None:
    """Policies and feature sets on this corpus, against the run on screen: the paper's Figures 3 and 4 and Table 1."""
    runs = newest_by_policy(frame.run)
    curves = {name: _learning(run) for name, run in runs.items()}
    if any(curves.values()):
        figure = _lines(curves, "conll", "CoNLL average on dev, percent")
        chart(figure, key="coreference.compare")
    if cache.fits(frame.corpus, "coreference") != "yes":
        st.caption(words.NO_GOLD)
        return
    documents = cache.documents(frame.corpus)
    ours = conll_by_document(documents, cache.predictions(frame.run, frame.corpus))
    rows = []
    for name, run in runs.items():
        scores = cache.report(run, frame.corpus)
        against = versus(ours, conll_by_document(documents, cache.predictions(run, frame.corpus)))
        rows.append(
            {
                "run": f"{name} (this run)" if run.id == frame.run.id else name,
                **{view.TITLES[metric]: 100 * scores[metric]["f1"] for metric in view.SHOWN},
                "CoNLL": 100 * scores["conll"],
                "abstain bias": layout.three(run.bias),
                "minus this run": verdicts.points(against.difference),
                "p against this run": "–" if against.p is None else verdicts.p_in_words(against.p),
            }
        )
    number = st.column_config.NumberColumn(format="%.1f")
    st.dataframe(
        sorted(rows, key=lambda row: -float(row["CoNLL"])),
        hide_index=True,
        column_config={
            **{name: number for name in (*view.TITLES.values(), "CoNLL")},
        },
    )
    st.caption(words.VERSUS_HELP.format(documents=layout.counted(len(documents), "document")))
    st.caption(words.COMPARED_HELP)
    if len(runs) < 2:
        layout.link_to("train", "Train other policies to compare them", task="coreference")
