"""Live beta: the slider, the models trained for the chosen weights, and keeping one of them as a run."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, TypeAlias

import streamlit as st

from engine import corpora
from engine.data.document import Document
from engine.learners.fbeta import from_van_rijsbergen
from engine.store.workspace import CorpusInfo
from engine.tasks import registry
from engine.tasks.distant.scored import DistantScored
from engine.tasks.distant.settings import DistantSettings
from engine.tasks.distant.state import DistantState
from engine.tasks.distant.task import Distant
from engine.tasks.distant.trace import DistantTrace
from ui.background.retraining import Laboratory, Visited
from ui.components.chart import chart
from ui.shell import cache, layout, models
from ui.tab import session
from ui.views.distant import data, figures, words
from ui.views.see.frame import Frame

DistantFrame: TypeAlias = Frame[DistantSettings, DistantState, DistantScored, DistantTrace]

LARGE: Final = 1000
"""Number of bags above which training for a new beta takes so long that it needs a button."""
SHOWN: Final = (0.2, 0.5, 0.833)
"""Weights that are trained automatically on small corpora, so that there is a curve to compare with."""


def show(frame: DistantFrame) -> None:
    """The slider, the trained points with the nil-bias curve, and the table of chosen weights."""
    if cache.fits(frame.corpus, "distant") != "yes":
        st.text(words.NOT_JUDGED)
        return
    if cache.is_large(frame.corpus):
        st.text(words.TOO_LARGE)
        return
    if not is_at_hand(frame):
        st.text(why_not(frame))
        return
    beta = beta_on_screen(frame)
    session.sync("distant.beta", beta)
    st.slider(
        "Weight on precision",
        0.0,
        1.0,
        key="distant.beta",
        step=0.01,
        on_change=session.writes("weight", "distant.beta"),
        help=words.BETA_HELP,
    )
    st.caption(data.both_betas(beta))
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
    lab = laboratory(frame)
    if len(training_documents(frame)) <= LARGE:
        lab.want(beta, later=SHOWN)
    elif st.button("Train for this weight", key="distant.train"):
        lab.want(beta)
    _points(frame, lab, beta)


def beta_on_screen(frame: DistantFrame) -> float:
    """The weight in the address, else the one with which the model was trained."""
    asked = session.get_float("weight")
    own = registry.the(Distant).beta_of(frame.model)
    return own if asked is None or not 0.0 <= asked <= 1.0 else round(asked, 3)


def why_not(frame: DistantFrame) -> str:
    """Why nothing can be trained or searched for this run."""
    return words.GONE if frame.model.outside is None else words.OUTSIDE


def is_at_hand(frame: DistantFrame) -> bool:
    """Whether all training corpora of the run are still in the workspace."""
    return bool(_training_corpora(frame))


def training_documents(frame: DistantFrame) -> tuple[Document, ...]:
    return tuple(document for info in _training_corpora(frame) for document in cache.documents(info))


def training_key(frame: DistantFrame) -> str:
    """A key that changes whenever the run or its training data do."""
    trained_on = " ".join(f"{info.id} {cache.content(info)}" for info in _training_corpora(frame))
    return f"{cache.directory()} {frame.run.id} {cache.model_version(frame.run.id)} {trained_on}"


def laboratory(frame: DistantFrame) -> Laboratory:
    return _laboratory(f"{training_key(frame)} {frame.corpus.id} {cache.content(frame.corpus)}", frame)


@st.cache_resource(show_spinner=False, max_entries=8)
def _laboratory(key: str, _frame: DistantFrame) -> Laboratory:
    return Laboratory(registry.the(Distant), _frame.model, training_documents(_frame), _frame.documents)


def _training_corpora(frame: DistantFrame) -> list[CorpusInfo]:
    """The training corpora of the run; empty if any of them is gone."""
    found = [cache.corpus(id) for id in frame.run.train.split(",")]
    there = [info for info in found if info is not None]
    return there if len(there) == len(found) else []


@st.fragment(run_every=0.5)
def _watch(lab: Laboratory, known: int) -> None:
    now = lab.training
    if now is None or len(lab.visited) != known:
        st.rerun()
    st.caption(f"Training for weight {now:g} …")


def _points(frame: DistantFrame, lab: Laboratory, beta: float) -> None:
    visited = lab.visited
    figure = figures.trained_figure(visited, frame.curve, beta, frame.bias, dark=layout.is_dark())
    chart(figure, key="distant.trained")
    if lab.failure:
        st.text(layout.visible(lab.failure))
    elif lab.training is not None:
        _watch(lab, len(visited))
    st.caption(words.POINTS)
    if visited:
        st.dataframe(
            data.visited_rows(visited),
            hide_index=True,
            key="distant.visited",
            column_config={
                name: st.column_config.NumberColumn(format=layout.PERCENT)
                for name in ("precision", "recall", "F1", "F at this weight")
            },
        )
    one = lab.at(beta)
    if one is not None:
        for note in one.model.notes:
            st.caption(words.SHORT_OF.format(note=layout.visible(note)))
        _offer_to_keep(frame, one)


def _offer_to_keep(frame: DistantFrame, one: Visited) -> None:
    """A button that makes a run from the model for the current weight; if there already is one, its name."""
    note = f"weight {one.beta:g} of the live beta of {frame.run.id}"
    known = next((run for run in cache.runs("distant") if run.message == note), None)
    if known is not None:
        st.text(f"The model for weight {one.beta:g} is kept as {known.id}: choose it in the sidebar.")
        return
    st.button(
        "Keep as a run",
        key="distant.keep",
        on_click=_keep,
        args=(frame, one, note),
        help=f"The model trained for weight {one.beta:g} becomes a run like any other.",
    )


def _keep(frame: DistantFrame, one: Visited, note: str) -> None:
    """Keep the model as a run, scored on the same corpora as the original run, as far as they still exist."""
    found = [cache.corpus(id) for id in frame.run.dev.split(",")]
    dev = tuple(document for info in found if info is not None for document in cache.documents(info))
    scores = {}
    if dev:
        scored = frame.task.scored(dev, one.model)
        scores = frame.task.evaluate(dev, frame.task.decide(scored), scored)
    model = replace(one.model, scores=scores, data_hash=corpora.data_hash(training_documents(frame)))
    models.keep(cache.workspace(), frame.task, model, one.rounds, train=frame.run.train, dev=frame.run.dev, note=note)
