"""Disambiguation: the beam, decision by decision, and why each entity was taken."""

from ui.shell import navigation

navigation.guard()

import streamlit as st

from engine.data.pins import LinkPin
from engine.tasks.disambiguation.explanation import explain
from engine.tasks.disambiguation.trace import trace_document
from ui.components.bars import bars
from ui.components.beam import beam
from ui.components.text import text
from ui.shell import layout, session
from ui.views.disambiguation import data as view
from ui.views.see import frame as see
from ui.views.see import pins

WIDTHS = (1, 2, 3, 4, 5, 6, 8, 12, 16, 32, 64)

frame = see.frame(
    "disambiguation",
    "Every column decides one mention; each cell is a sequence that the search kept or pruned. Click one to see why.",
)
frame.draw_knob()

own = frame.model.settings.beam  # type: ignore[attr-defined]
asked = session.get_float("width")
width = int(asked) if asked in WIDTHS else own
with pins.removable(frame.document.text):
    trace = trace_document(frame.document, frame.model, frame.bias, frame.pins, width=width)
if not trace.decisions:
    layout.empty("This document has no mentions.")
    st.stop()
see.land((one.start, one.end, f"m{i}") for i, one in enumerate(trace.decisions))
m, option = view.chosen_mention(trace, session.selected())
decision = trace.decisions[m]
shown = "backward" if session.get("way", trace.chosen) == "backward" and len(trace.passes) > 1 else "forward"

with frame.left:
    st.markdown(view.verdict(trace))
    text(
        frame.document,
        view.spans(trace, frame.pins),
        key="disambiguation.text",
        on_select=session.select,
        selected=f"m{m}",
        bias=frame.bias,
        run=frame.run.id,
        height=220,
    )
    controls = st.columns([3, 2], vertical_alignment="bottom")
    if len(trace.passes) > 1:
        session.sync("disambiguation.way", shown)
        controls[0].segmented_control(
            "Direction",
            ["forward", "backward"],
            key="disambiguation.way",
            format_func=lambda way: f"{way} (chosen)" if way == trace.chosen else way,
            on_change=session.writes("way", "disambiguation.way"),
        )
    session.sync("disambiguation.width", width)
    controls[1].selectbox(
        "Beam width",
        WIDTHS if own in WIDTHS else sorted({*WIDTHS, own}),
        key="disambiguation.width",
        format_func=lambda n: f"{n} (as trained)" if n == own else str(n),
        on_change=session.writes("width", "disambiguation.width"),
        help="How many sequences the search keeps here. The model stays as it is.",
    )
    one = trace.passes[1 if shown == "backward" else 0]
    beam(
        view.columns(trace, one),
        key="disambiguation.beam",
        on_select=session.select,
        selected=f"m{m}" if option is None else f"m{m}.{option}",
        caption=view.CAPTION,
    )
    tables = st.tabs(["Mentions", "Best sequences"])
    share = st.column_config.ProgressColumn(format=layout.PERCENT, min_value=0.0, max_value=100.0)
    tables[0].dataframe(
        layout.in_percent(view.decision_rows(trace), ("confidence",)),
        hide_index=True,
        column_config={"confidence": share},
    )
    tables[1].dataframe(
        layout.in_percent(view.sequence_rows(trace), ("probability",)),
        hide_index=True,
        column_config={"probability": share, "score": st.column_config.NumberColumn(format="%.3g")},
    )

with frame.right:
    pins.bar(frame.document.text)
    st.text(layout.visible(decision.surface))
    st.dataframe(
        layout.in_percent(view.option_rows(decision), ("probability",)),
        hide_index=True,
        column_config={
            "": st.column_config.TextColumn(width=40, help="✓ right, ● chosen, ⊘ forbidden by your pin"),
            "candidate": st.column_config.TextColumn(width=140),
            "probability": st.column_config.ProgressColumn(
                format=layout.PERCENT, min_value=0.0, max_value=100.0, width=105
            ),
            "score": st.column_config.NumberColumn(format="%.2f", width=55),
        },
        height="content" if len(decision.options) < 5 else 180,
    )
    st.text(view.runner_up(decision, frame.bias))
    names = [o.entity for o in decision.options]
    if names:
        at = option if option is not None else next((i for i, o in enumerate(decision.options) if o.chosen), 0)
        session.sync("disambiguation.candidate", at)
        st.selectbox(
            "Candidate",
            range(len(names)),
            key="disambiguation.candidate",
            format_func=lambda i: layout.visible(names[i]),
            on_change=lambda: session.select(f"m{m}.{session.value('disambiguation.candidate', 0)}"),
        )
        span = (decision.start, decision.end)
        buttons = st.columns(2)
        for place, label, holds in ((buttons[0], "It is this one", True), (buttons[1], "It is not", False)):
            place.button(
                label,
                key=f"disambiguation.pin.{holds}",
                on_click=pins.add,
                args=(LinkPin(span, names[at], holds),),
                width="stretch",
            )
        why = explain(frame.document, frame.model, m, names[at], frame.bias, frame.pins, width=width)
        bars(view.contributions(why), key="disambiguation.why", total=why.score, caption="What each feature adds")
        rows = view.support_rows(why)
        if rows:
            st.caption("Earlier decisions that tie in with it")
            st.dataframe(rows, hide_index=True, column_config={"decided before": st.column_config.Column(width=150)})
