"""The widgets of the Coreference page: text, trees, why, moving a mention, grid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

import streamlit as st

from engine.data.pins import ClusterPin
from engine.tasks import registry
from engine.tasks.coreference.evaluation import Clusters, document_scores, predicted_clusters
from engine.tasks.coreference.scored import CoreferenceScored
from engine.tasks.coreference.settings import CoreferenceSettings
from engine.tasks.coreference.state import CoreferenceState
from engine.tasks.coreference.task import Coreference
from engine.tasks.coreference.trace import CoreferenceTrace, TracedArc
from ui.components.text import text
from ui.components.tree import tree
from ui.shell import cache, layout
from ui.shell.held import brief
from ui.tab import session
from ui.views.coreference import data as view
from ui.views.coreference import words
from ui.views.see import pins
from ui.views.see.frame import Frame
from ui.views.see.why import made_of

CoreferenceFrame: TypeAlias = Frame[CoreferenceSettings, CoreferenceState, CoreferenceScored, CoreferenceTrace]

FILTERS: Final = ("one entity", "differences", "entities", "all")


@dataclass(frozen=True, eq=False)
class Decided:
    """The document on screen with its scores, and what was decided."""

    scored: CoreferenceScored
    trace: CoreferenceTrace


def decided(frame: CoreferenceFrame) -> Decided:
    """The decided document, cached for the next clicks, because the trace of a long document takes a second."""
    return _decided(
        (str(cache.directory()), frame.run.id, cache.model_version(frame.run.id)),
        (frame.corpus.id, cache.content(frame.corpus), frame.document.id),
        frame.bias,
        tuple(map(pins.encode, frame.pins)),
        frame,
    )


@brief
@st.cache_resource(show_spinner=False, max_entries=4)
def _decided(
    run: tuple[str, ...], document: tuple[str, ...], bias: float, pinned: tuple[str, ...], _frame: CoreferenceFrame
) -> Decided:
    return Decided(_frame.scored, _frame.trace())


def draw_text(trace: CoreferenceTrace, frame: CoreferenceFrame) -> None:
    """The text with its clusters."""
    text(
        frame.document,
        view.spans(trace, frame.document),
        key="coreference.text",
        on_select=session.select,
        selected=session.selected(),
        judged=trace.has_gold,
        bias=frame.bias,
        run=frame.run.id,
        height=260,
    )


def draw(trace: CoreferenceTrace, frame: CoreferenceFrame, mention: int | None) -> None:
    """The text with its clusters, and both trees."""
    draw_text(trace, frame)
    asked = session.get("show")
    which = asked if asked in FILTERS else FILTERS[0]
    session.sync("coreference.show", which)
    st.segmented_control(
        "Mentions in the trees",
        FILTERS,
        key="coreference.show",
        on_change=session.writes("show", "coreference.show"),
        label_visibility="collapsed",
    )
    about = view.first_mention(trace) if mention is None else mention
    rows = view.tree_rows(trace, which=which, mention=about if which == "one entity" else mention)
    if not rows:
        st.caption(words.NO_ENTITY)
        return
    tree(
        rows,
        key="coreference.tree",
        on_select=session.select,
        chains=view.chains(trace, about if which == "one entity" else mention),
        selected=None if mention is None else f"m{mention}",
        caption=words.TREE_JUDGED if trace.has_gold else words.TREE,
    )


def why(shown: Decided, frame: CoreferenceFrame, mention: int | None) -> None:
    """The selected mention's decision, or the document's summary."""
    trace = shown.trace
    pins.bar(frame.document.text)
    missed = view.missed_mention(frame.document, session.selected())
    if missed is not None:
        st.text(layout.visible(missed))
        st.caption(words.NOT_PROPOSED)
    if mention is None:
        _summary(trace, frame)
        return
    arc = trace.predicted[mention - 1]
    latent = trace.latent[mention - 1] if trace.latent else None
    st.text(layout.visible(view.name_of(trace, mention)))
    one = trace.mentions[mention - 1]
    pinned = any(isinstance(pin, ClusterPin) and (one.start, one.end) in (pin.first, pin.second) for pin in frame.pins)
    _facts(trace, arc, latent, pinned=pinned)
    choices = {"predicted": arc.head}
    if arc.runner_up >= 0:
        choices["runner-up"] = arc.runner_up
    if latent is not None and latent.head not in choices.values():
        choices["latent"] = latent.head
    which = st.segmented_control("Arc", list(choices), default="predicted", key=f"coreference.arc.{mention}")
    head = choices[which or "predicted"]
    explained = registry.the(Coreference).explain(
        shown.scored, frame.model, shown.scored.arc(head, mention), pins=frame.pins, trace=trace
    )
    made_of(
        frame.model,
        view.contributions(explained),
        key="coreference.why",
        total=explained.score,
        caption=words.WHY,
        heads=("feature", "", "adds"),
    )
    _pin_buttons(trace, mention, head)
    if trace.has_gold:
        _move(trace, frame, mention)


def _facts(trace: CoreferenceTrace, arc: TracedArc, latent: TracedArc | None, *, pinned: bool) -> None:
    rows = [{"": "antecedent", "mention": view.name_of(trace, arc.head), "score": arc.score}]
    if arc.runner_up >= 0:
        rows.append({"": "runner-up", "mention": view.name_of(trace, arc.runner_up), "score": arc.runner_up_score})
    if latent is not None and latent.head != arc.head:
        score = trace.latent_beside[arc.dependent - 1]
        rows.append({"": "latent tree", "mention": view.name_of(trace, latent.head), "score": score})
    for row in rows:
        row["mention"] = layout.visible(str(row["mention"]))
    st.dataframe(layout.in_three(rows, ("score",)), hide_index=True)
    sign = ("✓ right" if arc.right else "✗ wrong") if trace.has_gold else ""
    margin = layout.three(arc.margin) if abs(arc.margin) < 1e300 else "–"
    said = [f"margin {margin}", sign]
    if arc.margin < 0:
        said.append("a rival scores higher, but " + ("your pin decides" if pinned else "later mentions made up for it"))
    elif 0 < arc.margin < 1e300:
        said.append(f"flips if its score falls by {margin}")
    st.caption(" · ".join(filter(None, said)))


def _pin_buttons(trace: CoreferenceTrace, mention: int, head: int) -> None:
    if not head:
        return
    one, other = trace.mentions[mention - 1], trace.mentions[head - 1]
    spans = ((other.start, other.end), (one.start, one.end))
    places = st.columns(2)
    for place, label, holds in ((places[0], "They corefer", True), (places[1], "They do not", False)):
        place.button(
            label,
            key=f"coreference.pin.{holds}",
            on_click=pins.add,
            args=(ClusterPin(*spans, holds),),
            width="stretch",
            help=words.PIN_HELP,
        )


def _move(trace: CoreferenceTrace, frame: CoreferenceFrame, mention: int) -> None:
    predicted, _ = view.numbers(trace)
    own = predicted.get(trace.mentions[mention - 1].predicted)
    first: dict[int, str] = {}
    for one in trace.mentions:
        number = predicted.get(one.predicted)
        if number is not None:
            first.setdefault(number, one.text)
    options = ["stay", view.NEW, *(str(number) for number in sorted(first) if number != own)]

    def shown(option: str) -> str:
        if option == "stay":
            return "stays where it is"
        if option == view.NEW:
            return "an entity of its own"
        return f"{option}  {layout.visible(first[int(option)])[:40]}"

    target = st.selectbox("Move this mention to", options, key=f"coreference.move.{mention}", format_func=shown)
    after = None if target == "stay" else view.moved(trace, mention, target)
    _scores(trace, frame, after)


def _scores(trace: CoreferenceTrace, frame: CoreferenceFrame, moved: Clusters | None = None) -> None:
    """The document's scores, and those after a move."""
    before = document_scores(frame.document, predicted_clusters(trace))
    after = None if moved is None else document_scores(frame.document, moved)
    number = st.column_config.NumberColumn(format="%.1f")
    columns = {name: number for name in (*view.PARTS.values(), "F1 after")}
    st.dataframe(view.score_rows(before, after), hide_index=True, column_config=columns)
    st.caption(view.conll_line(before, after))


def _summary(trace: CoreferenceTrace, frame: CoreferenceFrame) -> None:
    linked = sum(1 for arc in trace.predicted if arc.head)
    entities = len({one.predicted for one in trace.mentions} - {-1})
    st.caption(
        f"{layout.counted(len(trace.mentions), 'mention')}, {layout.counted(entities, 'entity', 'entities')},"
        f" {layout.counted(linked, 'link')}. Click a mention or an arc to see why."
    )
    if trace.has_gold:
        _scores(trace, frame)
        if trace.search_error:
            st.caption(words.LOST_BY_BEAM)
    st.caption(words.DOUBTFUL)
    st.dataframe(
        layout.in_three(view.doubtful(trace), ("margin",)),
        hide_index=True,
        # Together as wide as the column beside the picture in a window of 1280 pixels.
        column_config={
            "": st.column_config.TextColumn(width=28),
            "link": st.column_config.TextColumn(width=130),
            "rather than": st.column_config.TextColumn(width=82),
            "margin": st.column_config.NumberColumn(width=52),
        },
    )


def show_grid(trace: CoreferenceTrace) -> None:
    sides = ("predicted", "gold") if trace.has_gold else ("predicted",)
    side = st.segmented_control("Entities", sides, default="predicted", key="coreference.grid") or "predicted"
    columns, table = view.grid(trace, gold=side == "gold")
    if not columns:
        st.caption(words.NO_GRID)
        return
    st.caption(words.GRID_HELP)
    st.dataframe([{layout.visible(name): cell for name, cell in row.items()} for row in table], hide_index=True)
