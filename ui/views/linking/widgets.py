"""The widgets of the Linking page: the lattice, why, tables, features."""

from __future__ import annotations

from typing import TypeAlias

import streamlit as st

from engine.data.document import NIL
from engine.data.pins import LinkPin
from engine.tasks.explanation import Explanation
from engine.tasks.linking.scored import LinkingScored
from engine.tasks.linking.settings import LinkingSettings
from engine.tasks.linking.state import LinkingState
from engine.tasks.linking.trace import CandidateTrace, LinkingTrace, flip_needed
from ui.components.lattice import lattice
from ui.shell import layout
from ui.tab import session
from ui.views.linking import data as linking
from ui.views.linking import words
from ui.views.see import pins
from ui.views.see import words as see_words
from ui.views.see.frame import Frame
from ui.views.see.why import made_of

LinkingFrame: TypeAlias = Frame[LinkingSettings, LinkingState, LinkingScored, LinkingTrace]


def draw(trace: LinkingTrace, frame: LinkingFrame, *, judged: bool) -> None:
    pins.bar(trace.text)
    lattice(
        linking.lattice_data(trace, selected=session.selected(), run=frame.run.id, judged=judged),
        key="linking.lattice",
        on_select=session.select,
        on_act=lambda action, id: _on_act(trace, action, id),
    )


def _on_act(trace: LinkingTrace, action: str, id: str) -> None:
    one = linking.candidate(trace, id)
    if one is not None:
        apply_pin(one, action)
        session.select(str(one.id))


def apply_pin(one: CandidateTrace, kind: str) -> None:
    """Pin, forbid or free a candidate, replacing earlier pins on it."""
    for pin in linking.without_span(pins.pins(), one):
        pins.remove(pin)
    if kind in ("pin", "forbid"):
        pins.add(linking.pin_for(one, kind))


def why(frame: LinkingFrame, scored: LinkingScored, trace: LinkingTrace, selected: str | None, *, judged: bool) -> None:
    """The selected candidate: what it is, how close the opposite decision is, and the features behind its score."""
    one = linking.candidate(trace, selected)
    if one is None:
        _summary(trace, judged=judged)
        return
    _describe(trace, one, flip_needed(scored, one.id, frame.pins))
    with st.container(horizontal=True):
        for kind, label in (("pin", "Pin (p)"), ("forbid", "Forbid (f)"), ("free", "Free (u)")):
            st.button(label, key=f"linking.{kind}", on_click=apply_pin, args=(one, kind))
        st.button("No mention here", key="linking.nil", on_click=pins.add, args=(LinkPin((one.start, one.end), NIL),))
    _explain(frame, frame.task.explain(scored, frame.model, one.id, pins=frame.pins))


def _describe(trace: LinkingTrace, one: CandidateTrace, change: float | None) -> None:
    st.text(layout.visible(f"{one.surface} → {one.entity}"))
    if one.description or one.types:
        st.text(layout.visible(" · ".join(filter(None, [one.description, ", ".join(one.types[:4])]))))
    if not one.known:
        st.text(f"? {words.GUESSED}")
    state = "chosen" if one.chosen else "blocked" if one.blocked_by else "declined"
    state = words.FORBIDDEN if one.pinned == "off" else state
    gold = ", gold" if one.gold else ""
    st.text(f"{state}{gold} · score {layout.three(one.score)} · probability {layout.percent(one.marginal)} %")
    if change is not None:
        st.text(f"The decision flips if its score changes by {linking.signed(change)}.")
    if one.blocked_by and one.pinned != "off":
        st.text(layout.visible("blocked by " + ", ".join(trace.candidates[i].entity for i in one.blocked_by)))
    rivals = linking.excluded(trace, one)
    if rivals:
        st.text(layout.visible(f"It shares words with {layout.counted(len(one.blocks), 'candidate')}: {rivals}."))


def _explain(frame: LinkingFrame, why: Explanation) -> None:
    if not linking.is_explained(why):
        st.caption(words.NOT_EXPLAINED)
        st.dataframe(linking.value_rows(why), hide_index=True, width="stretch")
        return
    made_of(
        frame.model,
        linking.contributions(why),
        key="linking.why",
        total=why.score,
        caption=f"What each feature adds to {layout.three(why.base)}, the score before any feature speaks.",
    )


def _summary(trace: LinkingTrace, *, judged: bool) -> None:
    right = sum(trace.candidates[i].gold for i in trace.chosen)
    against_gold = f", {right} right, {len(trace.gold)} gold" if judged else ""
    st.text(
        f"{layout.counted(len(trace.chosen), 'link')} chosen{against_gold};"
        f" {layout.counted(len(trace.candidates), 'candidate')}."
    )
    if not judged:
        st.text(words.NOT_JUDGED)
    if trace.margin is not None:
        st.text(f"The best output leads the next by {layout.three(trace.margin)}.")
    close = linking.doubtful_rows(trace)
    if close:
        st.text("Closest decisions:")
        st.dataframe(
            close,
            hide_index=True,
            width="stretch",
            column_config={
                "": st.column_config.TextColumn(width=25, help=words.CHOSEN_HELP),
                "link": st.column_config.TextColumn(width=165),
                "%": st.column_config.NumberColumn(format="%.1f", help=words.PROBABILITY_HELP, width=44),
                "flips at": st.column_config.TextColumn(help=words.FLIP_HELP, width=54),
            },
        )


def show_tables(trace: LinkingTrace, *, judged: bool) -> None:
    st.dataframe(layout.in_three(linking.output_rows(trace), ("score", "behind")), hide_index=True, width="stretch")
    st.dataframe(
        layout.in_three(linking.candidate_rows(trace, judged=judged), ("score",)),
        hide_index=True,
        width="stretch",
        column_config={"probability, %": st.column_config.NumberColumn(format="%.1f")},
    )


def show_features(frame: LinkingFrame) -> None:
    if frame.model.outside is not None:
        st.caption(see_words.NO_WHY)
        return
    listed = frame.task.features(frame.model)
    st.caption(
        f"{layout.counted(len(listed), 'feature')} of every candidate, in {len({f.group for f in listed})} groups."
    )
    st.dataframe(
        [{"feature": one.name, "group": one.group, "what it says": one.help} for one in listed],
        hide_index=True,
        width="stretch",
    )
