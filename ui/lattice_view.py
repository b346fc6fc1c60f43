"""The widgets of the Linking page: the lattice, why, tables, features."""

from __future__ import annotations

import streamlit as st

from engine.data.document import NIL
from engine.data.pins import LinkPin
from engine.tasks.linking.trace import CandidateTrace, LinkingTrace
from ui import data, layout, linking, pins, session
from ui.components.bars import bars
from ui.components.lattice import lattice
from ui.see import Frame


def own_text() -> str:
    """A text of the visitor's own instead of the document, where one was typed."""
    session.sync("linking.own", session.get("text") or "")
    st.text_input(
        "Try your own text",
        key="linking.own",
        placeholder="Try your own: type a tweet and press Enter",
        label_visibility="collapsed",
        on_change=_on_own,
    )
    return (session.get("text") or "").strip()


def _on_own() -> None:
    typed = str(session.value("linking.own", ""))
    session.put("text", typed or None)
    session.select(None)


def is_judged(frame: Frame, *, own: bool) -> bool:
    """Whether gold says what is right here. In an annotated corpus a text without gold links is one where every link
    is wrong; the visitor's own text and a corpus without gold say nothing."""
    return not own and data.fits(frame.corpus, frame.task.name) == "yes"


def draw(trace: LinkingTrace, frame: Frame, *, judged: bool) -> None:
    pins.bar(trace.text)
    lattice(
        linking.lattice_data(trace, selected=session.selected(), run=frame.run.id, judged=judged),
        key="linking.lattice",
        on_select=session.select,
        on_act=lambda: _on_act(trace),
    )


def _on_act(trace: LinkingTrace) -> None:
    act = session.component("linking.lattice", "act")
    if not act or act.get("n") == session.value("linking.acted"):
        return
    session.keep("linking.acted", act.get("n"))
    one = linking.candidate(trace, str(act.get("id")))
    if one is not None:
        apply_pin(one, str(act.get("kind")))
        session.select(str(one.id))


def apply_pin(one: CandidateTrace, kind: str) -> None:
    """Fix or forbid a candidate, or free it; what was fixed for it before is replaced."""
    for pin in linking.without_span(pins.pins(), one):
        pins.remove(pin)
    if kind in ("pin", "forbid"):
        pins.add(linking.pin_for(one, kind))


def why(trace: LinkingTrace, selected: str | None, *, judged: bool) -> None:
    one = linking.candidate(trace, selected)
    if one is None:
        _summary(trace, judged=judged)
        return
    st.text(layout.visible(f"{one.surface} → {one.entity}"))
    if one.description or one.types:
        st.text(layout.visible(" · ".join(filter(None, [one.description, ", ".join(one.types[:4])]))))
    if not one.known:
        st.text(f"? {linking.GUESSED}")
    state = "chosen" if one.chosen else "blocked" if one.blocked_by else "declined"
    gold = ", gold" if one.gold else ""
    st.text(f"{state}{gold} · score {layout.three(one.score)} · probability {layout.percent(one.marginal)} %")
    change = linking.flip_needed(trace, one)
    if change == change:
        st.text(f"The decision flips if its score changes by {'+' if change > 0 else ''}{layout.three(change)}.")
    if one.blocked_by:
        st.text(layout.visible("blocked by " + ", ".join(trace.candidates[i].entity for i in one.blocked_by)))
    rivals = linking.shut_out(trace, one)
    if rivals:
        st.text(layout.visible(f"It shares words with {layout.counted(len(one.blocks), 'candidate')}: {rivals}."))
    with st.container(horizontal=True):
        for kind, label in (("pin", "Pin (p)"), ("forbid", "Forbid (f)"), ("free", "Free (u)")):
            st.button(label, key=f"linking.{kind}", on_click=apply_pin, args=(one, kind))
        st.button("No mention here", key="linking.nil", on_click=pins.add, args=(LinkPin((one.start, one.end), NIL),))
    if not linking.is_explained(one):
        st.caption("This learner cannot say what each feature adds to the score; these are the values it saw.")
        st.dataframe(
            [{"feature": f.name, "value": f.value} for f in one.features if f.value], hide_index=True, width="stretch"
        )
        return
    bars(
        linking.contributions(one),
        key="linking.why",
        total=one.score,
        caption=f"What each feature adds to {layout.three(trace.base)}, the score before any feature speaks.",
    )


def _summary(trace: LinkingTrace, *, judged: bool) -> None:
    right = sum(trace.candidates[i].gold for i in trace.chosen)
    against_gold = f", {right} right, {len(trace.gold)} gold" if judged else ""
    st.text(
        f"{layout.counted(len(trace.chosen), 'link')} chosen{against_gold};"
        f" {layout.counted(len(trace.candidates), 'candidate')}."
    )
    if not judged:
        st.text("Nobody has annotated this text, so nothing says which links are right.")
    if trace.margin is not None:
        st.text(f"The best output leads the next by {layout.three(trace.margin)}.")
    close = [one for one in linking.doubtful(trace) if 0.02 < one.marginal < 0.98]
    if close:
        st.text("Closest decisions:")
        st.dataframe(
            [
                {
                    "span": layout.visible(one.surface),
                    "entity": layout.visible(one.entity),
                    "probability, %": 100 * one.marginal,
                    "chosen": one.chosen,
                }
                for one in close
            ],
            hide_index=True,
            width="stretch",
            column_config={"probability, %": st.column_config.NumberColumn(format="%.1f")},
        )


def show_tables(trace: LinkingTrace, *, judged: bool) -> None:
    st.dataframe(
        linking.output_rows(trace),
        hide_index=True,
        width="stretch",
        column_config={
            "score": st.column_config.NumberColumn(format="%.3g"),
            "behind": st.column_config.NumberColumn(format="%.3g"),
        },
    )
    st.dataframe(
        linking.candidate_rows(trace, judged=judged),
        hide_index=True,
        width="stretch",
        column_config={
            "score": st.column_config.NumberColumn(format="%.3g"),
            "probability, %": st.column_config.NumberColumn(format="%.1f"),
        },
    )


def show_features(frame: Frame) -> None:
    listed = frame.task.features(frame.model)
    st.caption(
        f"{layout.counted(len(listed), 'feature')} of every candidate, in {len({f.group for f in listed})} groups."
    )
    st.dataframe(
        [{"feature": one.name, "group": one.group, "what it says": one.help} for one in listed],
        hide_index=True,
        width="stretch",
    )
