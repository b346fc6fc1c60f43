"""The widgets of the Joint page: the graph with its downloads, the constraints as switches, the tabs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from engine.tasks.joint.constraints.language import to_toml
from engine.tasks.joint.state import keep_constraints
from engine.tasks.joint.what_if.ledger import Totals
from ui.components.graph import Arrow, graph
from ui.components.switches import Wanted, switches
from ui.shell import cache, layout
from ui.tab import download, session
from ui.views.joint import address, corpus, data, decision, export, words
from ui.views.joint import graph as drawn
from ui.views.joint.screen import Screen
from ui.views.see import pins


def show_sentence(screen: Screen, arrows: Sequence[Arrow], selected: str | None) -> None:
    """The text, conflicts, and the graph of the independent and the joint decisions."""
    frame, trace = screen.frame, screen.trace
    st.text(layout.visible(frame.document.text))
    if trace.conflict:
        st.error(words.CLASH)
        st.dataframe([{"clash": name} for name in trace.conflict], hide_index=True)
    nodes, alone = drawn.nodes(trace, frame.pins), drawn.before(trace)
    graph(
        nodes,
        alone,
        arrows,
        key="joint.graph",
        on_select=session.select,
        selected=selected,
        ends=data.ends(trace, selected),
        bias=frame.bias,
        run=frame.run.id,
    )
    st.caption(data.verdict(trace))
    st.caption(words.LEGEND)
    with st.container(horizontal=True):
        stem = download.stem(frame.document.id)
        st.download_button(
            "Drawing for papers (SVG)",
            # Made in advance, which is quick, because a file made on click is lost if the page is redrawn just then.
            export.drawing(nodes, alone, arrows, frame.bias),
            f"{stem}.svg",
            "image/svg+xml",
            key="joint.svg",
            type="tertiary",
            help=words.SVG_HELP,
        )
        st.download_button(
            "Numbers (JSON)",
            export.numbers(trace, frame.document.text),
            f"{stem}.json",
            "application/json",
            key="joint.json",
            type="tertiary",
            help=words.JSON_HELP,
        )


def show_constraints(screen: Screen) -> None:
    """The constraints as switches, and the actions on their current state."""
    run, constraints = screen.frame.run, screen.constraints

    def wanted(rows: Wanted) -> None:
        """Write the new switches and weights to the address."""
        asked_for = [
            replace(one, enabled=on, weight=weight) for one, (on, weight) in zip(screen.own, rows, strict=True)
        ]
        off, weights = address.written(screen.own, asked_for)
        session.put("off", off)
        session.put("weights", weights)

    def keep() -> None:
        """Make the current constraints the run's own, so that they are no longer needed in the address."""
        keep_constraints(cache.workspace().model_path(run.id), constraints)
        session.put("off", None)
        session.put("weights", None)

    switches(data.switch_rows(screen.trace, constraints), key="joint.constraints", on_change=wanted)
    with st.container(horizontal=True):
        st.button(
            "Keep in this run",
            key="joint.keep",
            on_click=keep,
            disabled=constraints == screen.own or run.status == "running",
            help=words.KEEP_HELP + (words.KEEP_DECIDES if screen.by_itself.deciding else words.KEEP_COUNTS),
        )
        st.download_button(
            "Download TOML",
            to_toml(constraints),
            f"{download.stem(run.id)}-constraints.toml",
            "application/toml",
            key="joint.toml",
            help=words.TOML_HELP,
        )


def show_tabs(screen: Screen, found: Totals | None) -> None:
    """Decisions, violations and the ledger as tables."""
    decisions, violations, ledger = st.tabs([words.DECISIONS, words.VIOLATIONS, words.LEDGER])
    number = st.column_config.NumberColumn(format="%.3f")
    decisions.dataframe(
        data.decision_rows(screen.trace),
        hide_index=True,
        column_config={
            "what": st.column_config.TextColumn(width=150),
            "cost alone": number,
            "cost together": number,
        },
    )
    rows = data.violation_rows(screen.trace)
    if rows:
        violations.dataframe(rows, hide_index=True)
    else:
        violations.caption(words.NOTHING_BROKEN)
    with ledger:
        corpus.show_ledger(screen, found)


def show_choice(screen: Screen, found: Totals | None, selected: str | None) -> None:
    """The right column: scores of the corpus, the requested relation, pins, and the selected decision."""
    corpus.show_totals(screen, found)
    session.sync("joint.force", screen.forced or "")
    st.selectbox(
        "Say that this sentence holds",
        ["", *screen.corpus.space.relations],
        key="joint.force",
        format_func=lambda name: layout.visible(name) or "nothing in particular",
        on_change=session.writes("force", "joint.force"),
        help=words.FORCE_HELP,
    )
    pins.bar(screen.frame.document.text)
    if selected is not None:
        decision.show(screen, selected)
