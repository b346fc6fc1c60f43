"""The widgets of the Document page: the choice of layers, the differences, and details of one span."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from engine.data.document import GOLD, Document, Layer
from engine.data.edits import label_target
from engine.store.workspace import CorpusInfo, RunInfo
from ui.components.text import DrawnSpan
from ui.shell import layout
from ui.tab import pages, session
from ui.tab.hidden import literal
from ui.tab.palette import MISSED, RIGHT, WRONG
from ui.views.document import data, words
from ui.views.document.data import NONE, Chosen, Way
from ui.views.document.layers import ORIGINAL, Sources, title
from ui.views.see import frame as see
from ui.views.see import verdicts


def choose_layers(found: Sources, current: str | None) -> Chosen:
    """Choose the layers and how they are compared; kept in the address."""
    names = [NONE, *found]
    predicted = [name for name in found if name not in (GOLD, ORIGINAL)]
    start = current if current in found else predicted[-1] if predicted else NONE
    outline = _of(session.get("outline"), names, GOLD if GOLD in found else NONE)
    fill = _of(session.get("fill"), names, start)
    second = _of(session.get("second"), names, NONE)
    layers = {name: found[name]() for name in dict.fromkeys((outline, fill, second)) if name in found}
    usual = data.usual_ways(layers.values())
    by: Way = _of(session.get("by"), usual, usual[0])
    selects: tuple[tuple[str, str, str, Sequence[str]], ...] = (
        ("Outline", "outline", outline, names),
        ("Fill", "fill", fill, names),
        ("Second run", "second", second, names),
        ("Compare by", "by", by, usual),
    )
    for column, (label, name, value, options) in zip(st.columns([2, 3, 3, 2], gap="small"), selects, strict=True):
        key = f"document.{name}"
        session.sync(key, value)
        column.selectbox(
            label,
            options,
            key=key,
            format_func=title,
            on_change=session.writes(name, key),
            disabled=len(options) < 2,
        )
    only = session.get("only") == "differences"
    session.sync("document.only", only)
    st.toggle(
        "Differences only",
        key="document.only",
        on_change=lambda: session.put("only", "differences" if session.value("document.only", False) else None),
        help=words.DIFFERENCES_HELP,
    )
    return Chosen(outline, fill, second, by, only, layers)


def _of(value: Any, options: Sequence[Any], default: Any) -> Any:
    return value if value in options else default


def show_summary(document: Document, chosen: Chosen) -> None:
    """Without a selection: the contents of the document and the differences between the two layers."""
    spans = data.drawn(chosen, all_of_them=True)
    st.subheader(words.SUMMARY, anchor=False)
    st.dataframe(
        data.fact_rows(document, _titled(chosen)),
        hide_index=True,
        height="content",
        key="document.facts",
        row_height=30,
    )
    if chosen.is_judged and spans:
        signs = data.differences(spans)
        st.subheader(words.JUDGED if chosen.outline == GOLD else words.TWO_LAYERS, anchor=False)
        columns = st.columns(3)
        for column, sign, who in zip(columns, (RIGHT, WRONG, MISSED), words.WHO, strict=True):
            column.metric(f"{sign} {who}", layout.count(signs[sign]))
        _show_differences(document, [span for span in spans if not (span.gold and span.predicted)])
    elif not spans:
        st.caption(words.NO_SPANS)
    relations = data.relation_rows(document, chosen)
    if relations:
        st.subheader(words.RELATIONS, anchor=False)
        st.dataframe(relations, hide_index=True, key="document.all-relations")
    labels = data.label_rows(_titled(chosen))
    if labels:
        st.subheader(words.LABELS, anchor=False)
        st.dataframe(labels, hide_index=True, key="document.labels")


def _titled(chosen: Chosen) -> dict[str, Layer]:
    """The chosen layers by the names they have on screen."""
    return {title(name): layer for name, layer in chosen.layers.items()}


def _show_differences(document: Document, spans: Sequence[DrawnSpan]) -> None:
    """The differences as a table; selecting a row selects the span."""
    if not spans:
        st.caption(words.ALL_AGREE)
        return

    def choose() -> None:
        rows = session.value("document.differences").selection.rows
        if rows:
            session.select(spans[rows[0]].key)

    st.dataframe(
        data.difference_rows(document, spans),
        hide_index=True,
        key="document.differences",
        on_select=choose,
        selection_mode="single-row",
        height=min(420, 38 + 35 * len(spans)),
    )


def show_span(document: Document, span: DrawnSpan, chosen: Chosen) -> None:
    """Everything in the layers about the selected span and those it overlaps."""
    st.subheader(words.SELECTED, anchor=False)
    st.text("“" + layout.visible(document.text[span.start : span.end][:300]) + "”")
    rows = pd.DataFrame(data.span_rows(document, span, _titled(chosen))).dropna(axis="columns", how="all")
    st.dataframe(rows, hide_index=True, key="document.span")
    relations = data.span_relation_rows(document, span, chosen.layers)
    if relations:
        st.dataframe(relations, hide_index=True, key="document.relations")
    st.button("Clear the selection", key="document.clear", on_click=session.select, args=(None,))


def show_links(span: DrawnSpan, chosen: Chosen, runs: Mapping[str, RunInfo]) -> None:
    """Links from the span to the views of the chosen runs' decisions there."""
    for name in dict.fromkeys((chosen.fill, chosen.second)):
        run = runs.get(name)
        if run is not None and pages.exists(run.task):
            layout.link_to(
                run.task,
                f"Why? How {literal(name)} decided here",
                run=run.id,
                sel=see.place(span.start, span.end),
            )


def show_verdict(corpus: CorpusInfo, document: Document, span: DrawnSpan) -> None:
    """A note on the span, and whether gold is wrong there."""
    state = verdicts.state_of(corpus, document.id)
    if state is not None:
        target = verdicts.target_at(state, (span.start, span.end))
        verdicts.show(corpus, document.id, state, target, key="document")


def show_label_verdict(corpus: CorpusInfo, document: Document, chosen: Chosen) -> None:
    """The same for a label of the document as a whole."""
    labels = data.labels_of(chosen.layers)
    state = verdicts.state_of(corpus, document.id) if labels else None
    if state is None:
        return
    label = st.selectbox("About the label", labels, key="document.label", format_func=layout.visible)
    verdicts.show(corpus, document.id, state, label_target(label), key="document")
