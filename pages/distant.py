"""Distant relations: one pair of entities, the sentences that mention both, and what training for a beta does."""

from ui.shell import navigation

navigation.guard()

import streamlit as st

from engine.data.document import NIL
from engine.data.pins import LabelPin, RelationPin
from engine.tasks.distant import explain
from engine.tasks.distant.pinning import bag_pins
from ui.components.bars import bars
from ui.components.text import text
from ui.shell import layout, session
from ui.views.distant import corpus as distant_corpus
from ui.views.distant import data as view
from ui.views.see import frame as see
from ui.views.see import pins

frame = see.frame(
    "distant",
    "One pair of names, every sentence that mentions both, and which relations hold. Click a name to see why.",
)
with pins.removable(frame.document.text):
    trace = frame.task.trace(frame.document, frame.model, bias=frame.bias, pins=frame.pins)
holding = () if trace.conflict else frame.pins
frame.draw_knob(decisions=view.decisions(trace))
members = len(trace.members)
see.land(view.places(frame.document))
chosen = view.member_of(session.selected(), members)

with frame.left:
    if trace.conflict:
        st.error("These pins cannot hold together; the page decides without any pin until one of them is taken out.")
        st.dataframe([{"clash": name} for name in trace.conflict], hide_index=True, key="distant.clash")
    st.text(layout.visible(f"{trace.first or 'first entity'}  →  {trace.second or 'second entity'}"))
    if frame.document.text:
        text(
            frame.document,
            view.spans(frame.document, trace),
            key="distant.text",
            on_select=session.select,
            selected=f"m{chosen}b",
            bias=frame.bias,
            run=frame.run.id,
            height=260,
        )
    else:
        st.caption("This corpus brings features instead of text.")
    st.dataframe(view.label_rows(trace), hide_index=True, key="distant.labels")
    st.caption(
        "✓ right, ✗ wrong, ∅ missed. A relation holds as soon as one sentence says it; the whole bag was decided"
        f" exactly ({'branching and matching' if trace.method == 'matching' else trace.method})."
    )

with frame.right:
    pins.bar(frame.document.text)
    if members:
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
            view.contributions(trace, chosen),
            key="distant.why",
            caption="Score of each relation over nil",
            heads=("relation", "", "over nil"),
        )
        why = explain.why(
            frame.document,
            frame.model,
            chosen,
            frame.bias,
            bag_pins(frame.document, holding, frame.model.state.relations),
        )
        st.text(layout.visible(view.runner_up(why)))
    says = trace.members[chosen].label if members else None
    relation = st.selectbox(
        "Relation",
        [*trace.relations, NIL],
        index=trace.relations.index(says) if says else 0,
        key="distant.relation",
        format_func=lambda name: "nil: says nothing" if name == NIL else layout.visible(name),
    )
    if members and relation != NIL:
        parts = explain.shares(frame.document, frame.model, chosen, relation, frame.bias)
        bars(
            view.shares(parts),
            key="distant.features",
            total=sum(part.adds for part in parts),
            total_name="over nil",
            caption=f"What each feature of this sentence adds to {layout.visible(relation)}."
            f" {view.flip_line(why, relation)}",
        )
    here = frame.document.bag.members[chosen] if members and frame.document.bag else None
    if here is not None and here.head is not None and here.tail is not None:
        mentions = frame.document.gold.mentions
        places = mentions[here.head].span, mentions[here.tail].span
        buttons = st.columns(2)
        for place, label, holds in ((buttons[0], "Sentence says it", True), (buttons[1], "It does not", False)):
            place.button(
                label,
                key=f"distant.member.{holds}",
                on_click=pins.add,
                args=(RelationPin(*places, relation, holds),),
                width="stretch",
            )
    if relation != NIL:
        buttons = st.columns(2)
        for place, label, holds in ((buttons[0], "Holds for the pair", True), (buttons[1], "Does not hold", False)):
            place.button(
                label,
                key=f"distant.pair.{holds}",
                on_click=pins.add,
                args=(LabelPin(relation, holds),),
                width="stretch",
            )

with frame.left:
    beta, ranked, grid, agreement, rounds, table = st.tabs(
        ["Live beta", "Ranking", "(FP, FN) grid", "Agreement", "Objective", "All sentences"], key="distant.tabs"
    )
    with beta:
        distant_corpus.show_live_beta(frame)
    with ranked:
        distant_corpus.show_ranking(frame)
    with grid:
        distant_corpus.show_grid(frame)
    with agreement:
        distant_corpus.show_agreement(frame)
    with rounds:
        distant_corpus.show_rounds(frame)
    with table:
        st.dataframe(view.member_rows(frame.document, trace), hide_index=True, key="distant.members")
