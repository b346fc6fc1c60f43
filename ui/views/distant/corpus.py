"""The tabs on whole corpora: the ranking, the loss grid, the agreement, the training's objective."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from engine.data.errors import InputError
from engine.metrics.distant import Ranking
from engine.structures.agreement import Step
from engine.tasks import registry
from engine.tasks.distant.task import Distant
from engine.tasks.distant.training import LossTrace
from ui.components.chart import chart
from ui.shell import cache, layout
from ui.views.distant import data, figures, live_beta, words
from ui.views.distant.live_beta import DistantFrame


def show_ranking(frame: DistantFrame) -> None:
    """The usual precision-recall curve of the field: every relation of every bag, ranked by its score."""
    if cache.fits(frame.corpus, "distant") != "yes" or frame.document.shape == "sentential":
        st.text(words.NOT_RANKED)
        return
    if cache.is_large(frame.corpus):
        st.text(words.TOO_LARGE)
        return
    ranking = _ranking(cache.version(frame.run, frame.corpus), frame)
    here = figures.Decided.on(frame.curve, frame.bias) if frame.curve is not None else None
    chart(figures.ranked_figure(ranking, here, dark=layout.is_dark()), key="distant.ranked")
    st.caption(figures.ranked_caption(ranking, here))


@st.cache_resource(show_spinner="Ranking all pairs …", max_entries=16)
def _ranking(key: tuple[str, ...], _frame: DistantFrame) -> Ranking:
    task = registry.the(Distant)
    return task.ranking(task.scored(_frame.documents, _frame.model))


def show_grid(frame: DistantFrame) -> None:
    trace = _searched(frame)
    if trace is None:
        return
    chart(figures.grid_figure(trace, dark=layout.is_dark()), key="distant.grid")
    st.caption(data.grid_caption(trace))
    rows = layout.in_three(data.grid_rows(trace), ("value or bound",))
    st.dataframe(rows, hide_index=True, key="distant.grid.table")


def show_agreement(frame: DistantFrame) -> None:
    trace = _searched(frame)
    if trace is None:
        return
    left, right = st.columns(2, gap="medium")
    with left:
        _draw_steps(words.TWO_PRICES, trace.two_prices, trace.two_prices_certified, trace.two_prices_gap, "distant.two")
    with right:
        _draw_steps(words.PER_LABEL, trace.per_label, trace.per_label_certified, trace.per_label_gap, "distant.per")
    st.caption(words.AGREEMENT_CAPTION)


def _draw_steps(name: str, steps: Sequence[Step], certified: bool, gap: float, key: str) -> None:
    st.markdown(f"**{name}**: {'certified' if certified else 'not certified'}")
    figure = figures.agreement_figure(steps, f"step of {name}", dark=layout.is_dark())
    chart(figure, key=key)
    st.caption(f"{layout.counted(len(steps), 'step')}; the worst labelling is known to within {gap:.3g} units of loss.")


def show_rounds(frame: DistantFrame) -> None:
    rounds = _rounds(frame)
    if not rounds:
        st.text(words.NO_OBJECTIVE)
        return
    chart(figures.rounds_figure(rounds, dark=layout.is_dark()), key="distant.rounds")
    st.caption(words.OBJECTIVE_CAPTION)
    number = st.column_config.NumberColumn
    st.dataframe(
        layout.in_three(
            layout.in_percent(data.round_rows(rounds), ("certified, %", "integral, %")),
            ("objective", "primal", "dual", "gap", "known to", "certified, %", "integral, %"),
        ),
        hide_index=True,
        key="distant.rounds.table",
        column_config={
            "certified, %": number(help=words.CERTIFIED_HELP),
            "integral, %": number(help=words.INTEGRAL_HELP),
            "known to": number(help=words.DOUBT_HELP),
            "relabelled": number(help=words.RELABELLED_HELP),
        },
    )


def _rounds(frame: DistantFrame) -> list[dict[str, Any]]:
    """Details of the run's rounds; if it has none, of the last chosen weight."""
    own = [dict(one.details) for one in cache.workspace().rounds(frame.run.id) if "planes" in one.details]
    if own:
        return own
    visited = live_beta.laboratory(frame).visited
    return [dict(one.details) for one in visited[-1].rounds] if visited else []


def _searched(frame: DistantFrame) -> LossTrace | None:
    """The learner's search on its training bags for the current weight; None, after showing why, if it is not
    possible."""
    if not live_beta.is_at_hand(frame):
        st.text(live_beta.why_not(frame))
        return None
    try:
        return _loss_trace(live_beta.training_key(frame), live_beta.beta_on_screen(frame), frame)
    except InputError as error:
        st.text(layout.visible(str(error)))
        return None


@st.cache_resource(show_spinner="Searching the grid …", max_entries=16)
def _loss_trace(key: str, beta: float, _frame: DistantFrame) -> LossTrace:
    return registry.the(Distant).loss_trace(live_beta.training_documents(_frame), _frame.model, beta)
