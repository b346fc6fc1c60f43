"""Two layers of one document side by side: which there are, what differs, what is known of one span."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import pandas as pd
import streamlit as st

from engine.data.document import GOLD, NIL, Document, Layer
from engine.store.workspace import CorpusInfo, RunInfo
from ui import data, layout, session
from ui.components.text import DrawnSpan
from ui.palette import MISSED, RIGHT, WRONG

Way: TypeAlias = Literal["entity", "type", "cluster"]


def layers_of(document: Document, corpus: CorpusInfo, run: RunInfo | None, position: int | None) -> dict[str, Layer]:
    """Layers by name: those of the document, those added to the corpus, and the current run's prediction."""
    found = dict(document.layers)
    for name in data.workspace().layer_names(corpus.id):
        layer = data.extra_layers(corpus, name).get(document.id)
        if layer is not None:
            found[name] = layer
    if run is not None and position is not None and data.fits(corpus, run.task) != "no":
        found[f"run {run.learner}"] = data.predictions(run, corpus, session.bias_of(run.id))[position]
    return found


def ways(layers: Iterable[Layer]) -> list[Way]:
    """By what the mentions of these layers can be compared, best first."""
    known = list(layers)
    found: list[Way] = []
    if any(layer.clusters for layer in known):
        found.append("cluster")
    if any(mention.entity is not None for layer in known for mention in layer.mentions):
        found.append("entity")
    if any(mention.type is not None for layer in known for mention in layer.mentions) or not found:
        found.append("type")
    return found


def choose_layers(layers: Mapping[str, Layer]) -> tuple[str, str, Way]:
    """Which layer is drawn as outline, which as fill, and by what they are compared. Kept in the address."""
    names = ["none", *layers]
    predicted = [name for name in layers if name != GOLD]
    outline = _of(session.get("outline"), names, GOLD if GOLD in layers else "none")
    fill = _of(session.get("fill"), names, predicted[-1] if predicted else "none")
    # What both chosen layers have comes first.
    both = [layer for name, layer in layers.items() if name in (outline, fill)]
    found = sorted(ways(layers.values()), key=lambda way: -sum(way in ways([layer]) for layer in both))
    by: Way = _of(session.get("by"), found, found[0])
    chosen: tuple[tuple[str, str, str, Sequence[str]], ...] = (
        ("Outline", "outline", outline, names),
        ("Fill", "fill", fill, names),
        ("Compare by", "by", by, found),
    )
    for column, (label, name, value, options) in zip(st.columns(3, gap="small"), chosen, strict=True):
        key = f"document.{name}"
        session.sync(key, value)
        column.selectbox(label, options, key=key, on_change=session.writes(name, key), disabled=len(options) < 2)
    return outline, fill, by


def _of(value: Any, options: Sequence[Any], default: Any) -> Any:
    return value if value in options else default


def differences(spans: Iterable[DrawnSpan]) -> Counter[str]:
    """How many spans both layers have, only the first (missed), only the second (wrong)."""
    signs = {(True, True): RIGHT, (True, False): MISSED, (False, True): WRONG}
    return Counter(signs[span.gold, span.predicted] for span in spans)


def show_summary(
    document: Document, spans: list[DrawnSpan], first: str, second: str, layers: Mapping[str, Layer]
) -> None:
    """Nothing is selected: what the document holds and what differs between the two layers."""
    facts = {
        "characters": len(document.text),
        "tokens": len(document.tokens),
        "sentences": len(document.sentences),
        **{f"mentions, {name}": len(layer.mentions) for name, layer in layers.items()},
        **{f"clusters, {name}": len(layer.clusters) for name, layer in layers.items() if layer.clusters},
        **{f"relations, {name}": len(layer.relations) for name, layer in layers.items() if layer.relations},
    }
    facts = {name: n for name, n in facts.items() if n or name not in ("tokens", "sentences")}
    st.subheader("This document", anchor=False)
    st.dataframe(
        pd.DataFrame({"": list(facts), "n": list(facts.values())}),
        hide_index=True,
        height="content",
        key="document.facts",
        row_height=30,
    )
    if first in layers and second in layers and spans:
        signs = differences(spans)
        st.subheader("Gold against predicted" if first == GOLD else "The two layers", anchor=False)
        columns = st.columns(3)
        for column, sign, words in zip(columns, (RIGHT, WRONG, MISSED), ("both", "filled", "outlined"), strict=True):
            column.metric(f"{sign} {words}", layout.count(signs[sign]))
        _table_of(document, [span for span in spans if not (span.gold and span.predicted)])
    elif not spans:
        st.caption("No span is drawn: these layers mark none in this document.")
    _all_relations(document, layers, first, second)
    _labels(layers)


def _all_relations(document: Document, layers: Mapping[str, Layer], first: str, second: str) -> None:
    """The relations of the two layers as one table, with the sign of each."""
    found: dict[tuple[str, str, str, int, int], set[str]] = {}
    for name in (first, second):
        layer = layers.get(name, Layer())
        for relation in layer.relations:
            head, tail = layer.mentions[relation.head], layer.mentions[relation.tail]
            words = (document.surface(head), relation.type, document.surface(tail), head.start, tail.start)
            found.setdefault(words, set()).add(name)
    if not found:
        return
    both = first in layers and second in layers
    rows = [
        {
            "": (RIGHT if len(where) == 2 else MISSED if first in where else WRONG) if both else "",
            "head": layout.visible(head[:60]),
            "relation": kind,
            "tail": layout.visible(tail[:60]),
        }
        for (head, kind, tail, _, _), where in sorted(found.items(), key=lambda item: item[0][3:])
    ]
    st.subheader("Relations", anchor=False)
    st.dataframe(pd.DataFrame(rows), hide_index=True, key="document.all-relations")


def _table_of(document: Document, spans: list[DrawnSpan]) -> None:
    """The differences as a table; choosing a row selects the span."""
    if not spans:
        st.caption("The two layers agree on every span.")
        return
    frame = pd.DataFrame(
        {
            "": [MISSED if span.gold else WRONG for span in spans],
            "span": [layout.visible(document.text[span.start : span.end][:80]) for span in spans],
            "label": [span.label or (f"cluster {span.number}" if span.number else "") for span in spans],
        }
    )

    def chosen() -> None:
        rows = session.value("document.differences").selection.rows
        if rows:
            session.select(spans[rows[0]].key)

    st.dataframe(
        frame,
        hide_index=True,
        key="document.differences",
        on_select=chosen,
        selection_mode="single-row",
        height=min(420, 38 + 35 * len(spans)),
    )


def _labels(layers: Mapping[str, Layer]) -> None:
    """Labels of the document as a whole, by layer."""
    rows = sorted({label for layer in layers.values() for label in layer.labels})
    if rows:
        st.subheader("Labels of the whole document", anchor=False)
        st.dataframe(
            pd.DataFrame(
                {
                    "label": rows,
                    **{n: [RIGHT if r in layer.labels else "" for r in rows] for n, layer in layers.items()},
                }
            ),
            hide_index=True,
            key="document.labels",
        )


def show_span(document: Document, span: DrawnSpan, layers: Mapping[str, Layer]) -> None:
    """All that the layers say of the selected span and of those it overlaps."""
    st.subheader("Selected span", anchor=False)
    st.text("“" + layout.visible(document.text[span.start : span.end][:300]) + "”")
    rows: list[dict[str, Any]] = []
    for name, layer in layers.items():
        clusters = layer.cluster_of()
        for position, mention in enumerate(layer.mentions):
            if mention.start < span.end and span.start < mention.end:
                rows.append(
                    {
                        "layer": name,
                        "text": layout.visible(document.surface(mention)[:60]),
                        "type": mention.type,
                        "entity": "NIL" if mention.entity == NIL else mention.entity,
                        "cluster": None if position not in clusters else clusters[position] + 1,
                        "score": mention.score,
                        "from": mention.start,
                        "to": mention.end,
                    }
                )
    frame = pd.DataFrame(rows).dropna(axis="columns", how="all")
    st.dataframe(frame, hide_index=True, key="document.span")
    _relations(document, span, layers)
    st.button("Clear the selection", key="document.clear", on_click=session.select, args=(None,))


def _relations(document: Document, span: DrawnSpan, layers: Mapping[str, Layer]) -> None:
    rows = [
        {
            "layer": name,
            "head": layout.visible(document.surface(layer.mentions[relation.head])[:60]),
            "relation": relation.type,
            "tail": layout.visible(document.surface(layer.mentions[relation.tail])[:60]),
        }
        for name, layer in layers.items()
        for relation in layer.relations
        if any(layer.mentions[side].span == (span.start, span.end) for side in (relation.head, relation.tail))
    ]
    if rows:
        st.dataframe(pd.DataFrame(rows), hide_index=True, key="document.relations")
