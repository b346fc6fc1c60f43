"""The widgets of the Distant page: the bag with its relations, one sentence with why and pins, and the tabs."""

from __future__ import annotations

import streamlit as st

from engine.data.document import NIL
from engine.data.pins import LabelPin, Pin, RelationPin
from engine.tasks.distant.trace import DistantTrace, Why, why
from ui.components.bars import bars
from ui.components.text import text
from ui.shell import layout
from ui.tab import session
from ui.views.distant import corpus, data, live_beta, words
from ui.views.distant.live_beta import DistantFrame
from ui.views.see import pins
from ui.views.see.why import made_of


def draw(frame: DistantFrame, trace: DistantTrace, chosen: int) -> None:
    """The sentences of the bag, and which relations hold for the pair."""
    if trace.conflict:
        st.error(words.CLASH)
        st.dataframe([{"clash": name} for name in trace.conflict], hide_index=True, key="distant.clash")
    st.text(layout.visible(f"{trace.first or 'first entity'}  →  {trace.second or 'second entity'}"))
    if frame.document.text:
        text(
            frame.document,
            data.spans(frame.document, trace),
            key="distant.text",
            on_select=session.select,
            selected=f"m{chosen}b",
            bias=frame.bias,
            run=frame.run.id,
            judged=frame.is_judged,
            height=260,
        )
    else:
        st.caption(words.NO_TEXT)
    st.dataframe(
        layout.in_three(data.label_rows(trace, judged=frame.is_judged), ("pair adds",)),
        hide_index=True,
        key="distant.labels",
    )
    method = "branching and matching" if trace.method == "matching" else trace.method
    signs = words.SIGNS if frame.is_judged else words.NO_SIGNS
    st.caption(f"{signs} {words.LABELS.format(method=method)}")


def show_sentence(frame: DistantFrame, trace: DistantTrace, chosen: int) -> None:
    """The relation of one sentence and the reasons, and buttons that pin it or a relation of the pair."""
    pins.bar(frame.document.text)
    decision = _decision(frame, trace, chosen) if trace.members else None
    says = trace.members[chosen].label if trace.members else None
    relation = st.selectbox(
        "Relation",
        [*trace.relations, NIL],
        index=trace.relations.index(says) if says else 0,
        key="distant.relation",
        format_func=lambda name: "nil: says nothing" if name == NIL else layout.visible(name),
    )
    if decision is not None and relation != NIL:
        told = frame.task.explain(frame.scored, frame.model, frame.scored.saying(chosen, relation))
        made_of(
            frame.model,
            data.shares(told),
            key="distant.features",
            total=told.score,
            total_name="over nil",
            caption=f"What each feature of this sentence adds to {layout.visible(relation)}."
            f" {data.flip_line(decision, relation)}",
        )
    places = data.names_of(frame.document, chosen)
    if places is not None:
        _buttons(
            "distant.member",
            ("Sentence says it", RelationPin(*places, relation, True)),
            ("It does not", RelationPin(*places, relation, False)),
        )
    if relation != NIL:
        _buttons(
            "distant.pair",
            ("Holds for the pair", LabelPin(relation, True)),
            ("Does not hold", LabelPin(relation, False)),
        )


def _decision(frame: DistantFrame, trace: DistantTrace, chosen: int) -> Why:
    """The selected sentence, the score of every relation, and the runner-up."""
    members = len(trace.members)
    st.markdown(f"**Sentence {chosen + 1} of {members}**")
    session.sync("distant.member", chosen)
    st.selectbox(
        "Sentence",
        range(members),
        key="distant.member",
        format_func=lambda i: f"{i + 1}: {layout.visible(trace.members[i].label or 'nil')}",
        on_change=lambda: session.select(f"m{session.value('distant.member', 0)}b"),
    )
    bars(
        data.contributions(trace, chosen),
        key="distant.why",
        caption=words.OVER_NIL,
        heads=("relation", "", "over nil"),
    )
    found = why(frame.scored, chosen, () if trace.conflict else frame.pins)
    st.text(layout.visible(data.runner_up(found)))
    return found


def _buttons(key: str, *fixing: tuple[str, Pin]) -> None:
    """One button per pin, side by side."""
    for place, (label, pin) in zip(st.columns(len(fixing)), fixing, strict=True):
        place.button(label, key=f"{key}.{pin.holds}", on_click=pins.add, args=(pin,), width="stretch")


def show_tabs(frame: DistantFrame, trace: DistantTrace) -> None:
    """The tabs: the sentences as a table, training with another beta, and views on whole corpora. Only the open one is
    computed: the others train, rank all pairs, or search the training bags."""
    names = [words.SENTENCES, words.LIVE_BETA, words.RANKING, words.GRID, words.AGREEMENT, words.OBJECTIVE]
    asked = session.get("tab")
    session.sync("distant.tabs", asked if asked in names else names[0])
    drawn = st.tabs(names, key="distant.tabs", on_change=session.writes("tab", "distant.tabs"))
    shown = {
        words.SENTENCES: lambda: _show_sentences(frame, trace),
        words.LIVE_BETA: lambda: live_beta.show(frame),
        words.RANKING: lambda: corpus.show_ranking(frame),
        words.GRID: lambda: corpus.show_grid(frame),
        words.AGREEMENT: lambda: corpus.show_agreement(frame),
        words.OBJECTIVE: lambda: corpus.show_rounds(frame),
    }
    for name, tab in zip(names, drawn, strict=True):
        if tab.open:
            with tab:
                shown[name]()


def _show_sentences(frame: DistantFrame, trace: DistantTrace) -> None:
    rows = layout.in_three(data.member_rows(frame.document, trace), ("over nil", "over the runner-up"))
    st.dataframe(rows, hide_index=True, key="distant.members")
