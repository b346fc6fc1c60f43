"""The distant page's parts that look at whole corpora: live beta, loss grid, agreement, the training's objective."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from engine import corpora
from engine.data.document import Document
from engine.data.errors import InputError
from engine.learners.fbeta import from_van_rijsbergen
from engine.learners.margin.cccp import MaxMarginF
from engine.metrics.distant import Ranking
from engine.store.workspace import CorpusInfo
from engine.tasks.distant import Distant
from engine.tasks.distant.trace import LossTrace
from ui.background import models
from ui.shell import cache, layout, session
from ui.views.distant import data as view
from ui.views.distant import figures as figures
from ui.views.distant.lab import Laboratory, Visited
from ui.views.see.frame import Frame

_PLAIN = {"displaylogo": False}
LARGE = 1000
"""Bags beyond which a new beta takes long enough to be asked for by a button."""
SHOWN = (0.2, 0.5, 0.833)
"""Weights that are trained unasked on small corpora, so that there is a curve to compare with."""


GONE = "The corpus that this run was trained on is no longer in the workspace: nothing can be trained or searched."


def _training_corpora(frame: Frame) -> list[CorpusInfo]:
    """What the run was trained on; nothing where any of it is gone."""
    found = [cache.corpus(id) for id in frame.run.train.split(",")]
    there = [info for info in found if info is not None]
    return there if len(there) == len(found) else []


def _training_documents(frame: Frame) -> tuple[Document, ...]:
    return tuple(document for info in _training_corpora(frame) for document in cache.documents(info))


def _documents(ids: str) -> tuple[Document, ...]:
    """The documents of corpora named as a run names them; those that are gone are left out."""
    found = [cache.corpus(id) for id in ids.split(",")]
    return tuple(document for info in found if info is not None for document in cache.documents(info))


def _key(frame: Frame) -> str:
    """Changes whenever the run or what it was trained on does."""
    trained_on = " ".join(f"{info.id} {cache.content(info)}" for info in _training_corpora(frame))
    return f"{cache.directory()} {frame.run.id} {cache.model_version(frame.run.id)} {trained_on}"


@st.cache_resource(show_spinner=False, max_entries=8)
def _laboratory(key: str, _frame: Frame) -> Laboratory:
    assert isinstance(_frame.task, Distant)
    return Laboratory(_frame.task, _frame.model, _training_documents(_frame), _frame.documents)


def laboratory(frame: Frame) -> Laboratory:
    return _laboratory(f"{_key(frame)} {frame.corpus.id} {cache.content(frame.corpus)}", frame)


def beta_on_screen(lab: Laboratory) -> float:
    asked = session.get_float("weight")
    return lab.base.beta if asked is None or not 0.0 <= asked <= 1.0 else round(asked, 3)


def show_live_beta(frame: Frame) -> None:
    """The slider, the trained points beside the nil-bias curve, and the table of what was visited."""
    if cache.fits(frame.corpus, "distant") != "yes":
        st.text("This corpus has no gold relations, so trained models cannot be compared on it.")
        return
    if not _training_corpora(frame):
        st.text(GONE)
        return
    lab = laboratory(frame)
    beta = beta_on_screen(lab)
    session.sync("distant.beta", beta)
    st.slider(
        "Weight on precision",
        0.0,
        1.0,
        key="distant.beta",
        step=0.01,
        on_change=session.writes("weight", "distant.beta"),
        help="Training itself aims at F with this weight; 0.5 is F1. The model is trained anew in the background.",
    )
    st.caption(view.both_betas(beta))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for other in (0.5, 1.0, 2.0):
            weight = round(from_van_rijsbergen(other), 3)
            st.button(
                f"β = {other:g}",
                key=f"distant.other.{other:g}",
                on_click=session.put,
                args=("weight", weight),
                help=f"van Rijsbergen's convention; weight on precision {weight:g}",
            )
    if len(_training_documents(frame)) <= LARGE:
        lab.want(beta, later=SHOWN)
    elif st.button("Train for this weight", key="distant.train"):
        lab.want(beta)
    _points(frame, lab, beta)


@st.fragment(run_every=0.5)
def _watch(lab: Laboratory, known: int) -> None:
    now = lab.training
    if now is None or len(lab.visited) != known:
        st.rerun()
    st.caption(f"Training for weight {now:g} …")


def _points(frame: Frame, lab: Laboratory, beta: float) -> None:
    visited = lab.visited
    figure = figures.trained_figure(visited, frame.curve, beta, frame.bias, dark=layout.is_dark())
    st.plotly_chart(figure, key="distant.trained", config=_PLAIN)
    if lab.failure:
        st.text(layout.visible(lab.failure))
    elif lab.training is not None:
        _watch(lab, len(visited))
    st.caption(
        "Orange: models trained for different weights. Dotted: the model on screen with its nil bias moved."
        " What lies above the dotted line is what training for the weight buys."
    )
    if visited:
        st.dataframe(
            view.visited_rows(visited),
            hide_index=True,
            key="distant.visited",
            column_config={
                name: st.column_config.NumberColumn(format="%.1f %%")
                for name in ("precision", "recall", "F1", "F at this weight")
            },
        )
    one = lab.at(beta)
    if one is not None:
        _offer_to_keep(frame, one)


def _offer_to_keep(frame: Frame, one: Visited) -> None:
    """A button that makes a run of the model for the weight on screen; where it is one already, its name."""
    note = f"weight {one.beta:g} of the live beta of {frame.run.id}"
    known = next((run for run in cache.runs("distant") if run.message == note), None)
    if known is not None:
        st.text(f"The model for weight {one.beta:g} is kept as {known.id}: choose it in the sidebar.")
        return
    st.button(
        "Keep as a run",
        key="distant.keep",
        on_click=keep_visited,
        args=(frame, one, note),
        help=f"The model trained for weight {one.beta:g} becomes a run like any other.",
    )


def keep_visited(frame: Frame, one: Visited, note: str) -> None:
    """Scored on the corpora that the run was scored on, whichever is on screen."""
    dev = _documents(frame.run.dev)
    scores = frame.task.evaluate(dev, frame.task.predict(dev, one.model), one.model) if dev else {}
    model = replace(one.model, scores=scores, data_hash=corpora.data_hash(_training_documents(frame)))
    models.keep(cache.workspace(), frame.task, model, one.rounds, train=frame.run.train, dev=frame.run.dev, note=note)


@st.cache_resource(show_spinner="Ranking all pairs …", max_entries=16)
def _ranking(key: str, _frame: Frame) -> Ranking:
    assert isinstance(_frame.task, Distant)
    return _frame.task.ranking(_frame.documents, _frame.model)


def show_ranking(frame: Frame) -> None:
    """The precision-recall curve of the field: every relation of every bag, ranked by its score."""
    if cache.fits(frame.corpus, "distant") != "yes" or frame.document.shape == "sentential":
        st.text("This corpus has no bags with gold relations, so there is no ranking to judge.")
        return
    key = f"{cache.directory()} {frame.run.id} {cache.model_version(frame.run.id)} {frame.corpus.id}"
    ranking = _ranking(f"{key} {cache.content(frame.corpus)}", frame)
    here = figures.Decided.on(frame.curve, frame.bias) if frame.curve is not None else None
    st.plotly_chart(figures.ranked_figure(ranking, here, dark=layout.is_dark()), key="distant.ranked", config=_PLAIN)
    st.caption(figures.ranked_caption(ranking, here))


@st.cache_resource(show_spinner="Searching the grid …", max_entries=16)
def _loss_trace(key: str, beta: float, mix: float, _frame: Frame) -> LossTrace:
    assert isinstance(_frame.task, Distant)
    own = _frame.model.settings
    base = own if isinstance(own, MaxMarginF) else MaxMarginF(bags=own.bags)  # type: ignore[attr-defined]
    return _frame.task.loss_trace(_training_documents(_frame), _frame.model, replace(base, beta=beta, mix=mix))


def loss_trace(frame: Frame) -> LossTrace | None:
    own = frame.model.settings
    beta = own.beta if isinstance(own, MaxMarginF) else 0.5
    asked = session.get_float("weight")
    if asked is not None and 0.0 <= asked <= 1.0:
        beta = asked
    mix = own.mix if isinstance(own, MaxMarginF) else 0.8
    if not _training_corpora(frame):
        st.text(GONE)
        return None
    try:
        return _loss_trace(_key(frame), beta, mix, frame)
    except InputError as error:
        st.text(layout.visible(str(error)))
        return None


def show_grid(frame: Frame) -> None:
    trace = loss_trace(frame)
    if trace is None:
        return
    st.plotly_chart(figures.grid_figure(trace, dark=layout.is_dark()), key="distant.grid", config=_PLAIN)
    missed = trace.exact_value - trace.climb_value
    verdict = "found the optimum" if missed < 1e-9 else f"ended {missed:.3g} below the optimum"
    st.caption(
        "Every labelling of the training bags has counts (FP, FN); the more colour, the worse for the model: loss plus"
        " what the labels score. Exact search looks at every FN and bisects FP; hill climbing took"
        f" {len(trace.climb) - 1} steps and {verdict}. {view.both_betas(trace.beta)}."
    )
    st.dataframe(
        [
            {"point": "exact optimum", "FP": trace.exact[0], "FN": trace.exact[1], "value": trace.exact_value},
            {"point": "hill climbing", "FP": trace.climb[-1][0], "FN": trace.climb[-1][1], "value": trace.climb_value},
            {"point": "what the model predicts", "FP": trace.predicted[0], "FN": trace.predicted[1], "value": None},
        ],
        hide_index=True,
        placeholder="",
        key="distant.grid.table",
    )


def show_agreement(frame: Frame) -> None:
    trace = loss_trace(frame)
    if trace is None:
        return
    dark = layout.is_dark()
    left, right = st.columns(2, gap="medium")
    for place, name, steps, certified, gap, key in (
        (left, "two prices", trace.two_prices, trace.two_prices_certified, trace.two_prices_gap, "distant.two"),
        (
            right,
            "one price per label (the paper's)",
            trace.per_label,
            trace.per_label_certified,
            trace.per_label_gap,
            "distant.per",
        ),
    ):
        with place:
            st.markdown(f"**{name}**: {'certified' if certified else 'not certified'}")
            st.plotly_chart(figures.agreement_figure(steps, f"step of {name}", dark=dark), key=key, config=_PLAIN)
            st.caption(
                f"{layout.counted(len(steps), 'step')}; the worst labelling is known to within {gap:.3g} units of loss."
            )
    st.caption(
        "Finding the worst labelling is split in two: the loss sees counts only, the bags see scores only. Prices make"
        " them agree. The dual bounds the answer from above, the primal from below; where they meet it is certified."
        " The F loss is no concave function of its counts, so the dual alone stays above the answer: the last steps on"
        " the left bound it count by count instead, and show how good the answer was all along."
    )


def show_rounds(frame: Frame) -> None:
    rounds = [dict(one.details) for one in cache.workspace().rounds(frame.run.id) if "planes" in one.details]
    if not rounds:
        visited = laboratory(frame).visited
        rounds = [dict(one.details) for one in visited[-1].rounds] if visited else []
    if not rounds:
        st.text("This run kept no objective; a max-margin learner does. Move beta, or train mm-f or mm-hamming.")
        return
    st.plotly_chart(figures.rounds_figure(rounds, dark=layout.is_dark()), key="distant.rounds", config=_PLAIN)
    st.caption(
        "Within a CCCP round cutting planes bring primal and dual together; between rounds the mention labels are"
        " completed anew. The objective after each round never rises."
    )
    st.dataframe(
        [
            {
                "round": i + 1,
                "objective": one["objective"],
                "primal": one["primal"],
                "dual": one["dual"],
                "gap": one["gap"],
                "certified by the dual": one["certified"],
                "worst labelling known to": one.get("doubt"),
                "mentions completed anew": one["changed"],
                "planes": len(one["planes"]),
                **({"integral programs": one["integral"]} if one.get("integral") is not None else {}),
            }
            for i, one in enumerate(rounds)
        ],
        hide_index=True,
        key="distant.rounds.table",
        column_config={
            "certified by the dual": st.column_config.NumberColumn(
                format="percent", help="Share of the searches for the worst labelling whose dual met the primal."
            ),
            "integral programs": st.column_config.NumberColumn(
                format="percent", help="Share of the bags' linear programs so far that were integral by themselves."
            ),
            "worst labelling known to": st.column_config.NumberColumn(
                format="%.2e", help="Share of its value by which the search after the round may have missed the worst."
            ),
        },
    )
