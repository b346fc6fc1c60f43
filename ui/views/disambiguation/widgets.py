"""The widgets of the Disambiguation page: the text, the beam with its controls, tables, and why."""

from __future__ import annotations

from typing import Final, TypeAlias

import streamlit as st

from engine.data.pins import LinkPin
from engine.tasks.base import AnyModel
from engine.tasks.disambiguation.explain import DisambiguationExplanation
from engine.tasks.disambiguation.scored import DisambiguationScored
from engine.tasks.disambiguation.search.passes import DIRECTIONS, Pass
from engine.tasks.disambiguation.settings import DisambiguationSettings
from engine.tasks.disambiguation.state import DisambiguationState
from engine.tasks.disambiguation.task import Disambiguation
from engine.tasks.disambiguation.trace import Decision, DisambiguationTrace
from ui.components.beam import beam
from ui.components.text import text
from ui.shell import layout
from ui.tab import session
from ui.views.disambiguation import data, words
from ui.views.disambiguation.data import Selected
from ui.views.see import pins
from ui.views.see.frame import Frame
from ui.views.see.why import made_of

DisambiguationFrame: TypeAlias = Frame[
    DisambiguationSettings, DisambiguationState, DisambiguationScored, DisambiguationTrace
]

WIDTHS: Final = (1, 2, 3, 4, 5, 6, 8, 12, 16, 32, 64)


def on_screen(task: Disambiguation, scored: DisambiguationScored) -> DisambiguationScored:
    """The scores with the beam width from the address."""
    asked = session.get_float("width")
    return task.with_width(scored, int(asked)) if asked in WIDTHS and asked is not None else scored


def is_judged(trace: DisambiguationTrace) -> bool:
    """Whether gold links any mention of this document."""
    return trace.verdict != "no gold"


def draw(frame: DisambiguationFrame, trace: DisambiguationTrace, selected: Selected) -> None:
    """The outcome, the text, and the beam of one direction."""
    st.markdown(data.verdict(trace))
    text(
        frame.document,
        data.spans(trace, frame.pins),
        key="disambiguation.text",
        on_select=session.select,
        selected=f"m{selected.mention}",
        bias=frame.bias,
        run=frame.run.id,
        judged=is_judged(trace),
        height=220,
    )
    direction, width = st.columns([3, 2], vertical_alignment="bottom")
    with direction:
        shown = _choose_direction(trace)
    with width:
        _choose_width(trace.width, frame.scored.width)
    beam(
        data.columns(trace, shown),
        key="disambiguation.beam",
        on_select=session.select,
        selected=selected.key,
        caption=f"{words.BEAM_JUDGED} {words.BEAM}" if is_judged(trace) else words.BEAM,
    )


def _choose_direction(trace: DisambiguationTrace) -> Pass:
    """The direction to draw: that of the answer, unless the address names another."""
    passes = {one.direction: one for one in trace.passes}
    shown = passes.get("backward" if session.get("way", trace.chosen) == "backward" else "forward", trace.passes[0])
    if len(passes) > 1:
        session.sync("disambiguation.way", shown.direction)
        st.segmented_control(
            "Direction",
            DIRECTIONS,
            key="disambiguation.way",
            format_func=lambda way: f"{way} (chosen)" if way == trace.chosen else way,
            on_change=session.writes("way", "disambiguation.way"),
        )
    return shown


def _choose_width(width: int, own: int) -> None:
    session.sync("disambiguation.width", width)
    st.selectbox(
        "Beam width",
        sorted({*WIDTHS, own}),
        key="disambiguation.width",
        format_func=lambda n: f"{n} (of this run)" if n == own else str(n),
        on_change=session.writes("width", "disambiguation.width"),
        help=words.WIDTH_HELP,
    )


def show_tables(trace: DisambiguationTrace) -> None:
    """The document as a table, and the final sequences of the search."""
    mentions, sequences = st.tabs([words.MENTIONS, words.SEQUENCES])
    share = st.column_config.ProgressColumn(format=layout.PERCENT, min_value=0.0, max_value=100.0)
    mentions.dataframe(
        layout.in_percent(data.decision_rows(trace), ("confidence",)),
        hide_index=True,
        column_config={"confidence": share},
    )
    sequences.dataframe(
        layout.in_three(layout.in_percent(data.sequence_rows(trace), ("probability",)), ("score",)),
        hide_index=True,
        column_config={"probability": share},
    )


def show_candidates(decision: Decision) -> None:
    """The current mention, its candidates, and the second choice."""
    st.text(layout.visible(decision.surface))
    st.dataframe(
        layout.in_three(layout.in_percent(data.option_rows(decision), ("probability",)), ("score",)),
        hide_index=True,
        column_config={
            "": st.column_config.TextColumn(width=40, help=words.SIGNS_HELP),
            "candidate": st.column_config.TextColumn(width=140),
            "probability": st.column_config.ProgressColumn(
                format=layout.PERCENT, min_value=0.0, max_value=100.0, width=105
            ),
            "score": st.column_config.NumberColumn(width=55),
        },
        height="content" if len(decision.options) < 5 else 180,
    )
    st.text(data.runner_up(decision))


def choose_candidate(decision: Decision, selected: Selected) -> int:
    """Choose one of the mention's candidates, with buttons that pin it; returns its position."""
    names = [option.entity for option in decision.options]
    chosen = next((i for i, option in enumerate(decision.options) if option.chosen), 0)
    at = chosen if selected.option is None else selected.option
    # One box per mention: the browser keeps the label of a box, which would be that of another mention's candidate.
    key = f"disambiguation.candidate.{decision.start}.{decision.surface}"
    session.sync(key, at)
    st.selectbox(
        "Candidate",
        range(len(names)),
        key=key,
        format_func=lambda i: layout.visible(names[i]),
        on_change=lambda: session.select(f"m{selected.mention}.{session.value(key, 0)}"),
    )
    span = (decision.start, decision.end)
    for place, label, holds in zip(st.columns(2), ("It is this one", "It is not"), (True, False), strict=True):
        place.button(
            label,
            key=f"disambiguation.pin.{holds}",
            on_click=pins.add,
            args=(LinkPin(span, names[at], holds),),
            width="stretch",
        )
    return at


def show_why(model: AnyModel, why: DisambiguationExplanation) -> None:
    """What each feature adds to a candidate's score, and the decisions behind those that look at others."""
    made_of(model, data.contributions(why), key="disambiguation.why", total=why.score, caption=words.ADDS)
    rows = data.support_rows(why)
    if rows:
        st.caption(words.SUPPORT)
        st.dataframe(rows, hide_index=True, column_config={"decided before": st.column_config.Column(width=150)})
