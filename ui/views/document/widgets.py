"""Layers of one document side by side: which there are, what differs, what is known and said of one span."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, Literal, TypeAlias

import pandas as pd
import streamlit as st

from engine.data.document import GOLD, NIL, Document, Layer
from engine.data.edits import label_target
from engine.store.workspace import CorpusInfo, RunInfo
from ui.components.text import DrawnSpan, spans_of
from ui.shell import cache, layout, pages, session
from ui.shell.palette import MISSED, RIGHT, WRONG
from ui.views.see import frame as see
from ui.views.see import verdicts

Way: TypeAlias = Literal["entity", "type", "cluster"]


NONE: Final = "none"
ORIGINAL: Final = "gold as imported"


def sources(
    document: Document, corpus: CorpusInfo, run: RunInfo | None, position: int | None
) -> dict[str, Callable[[], Layer]]:
    """Layers by name, made when they are looked at: those of the document, those added to the corpus, and what every
    run that fits predicts, the current one first."""
    found: dict[str, Callable[[], Layer]] = {name: partial(_itself, layer) for name, layer in document.layers.items()}
    if position is not None:
        original = cache.original_documents(corpus)[position].layers.get(GOLD)
        if original is not None and original != document.layers.get(GOLD):
            found[ORIGINAL] = partial(_itself, original)
    for name in cache.workspace().layer_names(corpus.id):
        layer = cache.extra_layers(corpus, name).get(document.id)
        if layer is not None:
            found[name] = partial(_itself, layer)
    if position is None:
        return found
    for name, one in runs_by_layer(corpus, run).items():
        bias = session.bias_of(one.id) if run is not None and one.id == run.id else None
        found[name] = partial(_predicted, one, corpus, bias, position)
    return found


def runs_by_layer(corpus: CorpusInfo, run: RunInfo | None) -> dict[str, RunInfo]:
    """The name of the layer of every run that fits the corpus; the current run first."""
    found = {} if run is None or cache.fits(corpus, run.task) == "no" else {f"run {run.learner}": run}
    for one in cache.runs(usable=True):
        if (run is None or one.id != run.id) and cache.fits(corpus, one.task) != "no":
            found[f"run {one.learner} · {one.id}"] = one
    return found


def _itself(layer: Layer) -> Layer:
    return layer


def _predicted(run: RunInfo, corpus: CorpusInfo, bias: float | None, position: int) -> Layer:
    return cache.predictions(run, corpus, bias)[position]


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


@dataclass(frozen=True)
class Chosen:
    """What is drawn: one layer as outline, one as fill, perhaps a second run beside it; compared by `by`."""

    outline: str
    fill: str
    second: str
    by: Way
    differences: bool
    layers: Mapping[str, Layer]

    def layer(self, name: str) -> Layer | None:
        return self.layers.get(name)


def choose_layers(found: Mapping[str, Callable[[], Layer]], current: str | None) -> Chosen:
    """Which layers are drawn, and by what they are compared. Kept in the address."""
    names = [NONE, *found]
    predicted = [name for name in found if name not in (GOLD, ORIGINAL)]
    start = current if current in found else predicted[-1] if predicted else NONE
    outline = _of(session.get("outline"), names, GOLD if GOLD in found else NONE)
    fill = _of(session.get("fill"), names, start)
    second = _of(session.get("second"), names, NONE)
    layers = {name: found[name]() for name in dict.fromkeys((outline, fill, second)) if name in found}
    # What all chosen layers have comes first.
    usual = sorted(ways(layers.values()), key=lambda way: -sum(way in ways([layer]) for layer in layers.values()))
    by: Way = _of(session.get("by"), usual, usual[0])
    selects: tuple[tuple[str, str, str, Sequence[str]], ...] = (
        ("Outline", "outline", outline, names),
        ("Fill", "fill", fill, names),
        ("Second run", "second", second, names),
        ("Compare by", "by", by, usual),
    )
    for column, (label, name, value, options) in zip(st.columns(4, gap="small"), selects, strict=True):
        key = f"document.{name}"
        session.sync(key, value)
        column.selectbox(label, options, key=key, on_change=session.writes(name, key), disabled=len(options) < 2)
    only = session.get("only") == "differences"
    session.sync("document.only", only)
    st.toggle(
        "Differences only",
        key="document.only",
        on_change=lambda: session.put("only", "differences" if session.value("document.only", False) else None),
        help="Hide what all chosen layers agree on.",
    )
    return Chosen(outline, fill, second, by, only, layers)


def drawn(chosen: Chosen, *, all_of_them: bool = False) -> list[DrawnSpan]:
    """The spans of the chosen layers, without those that agree where only differences are wanted.

    With a second run every label says who has it: A the fill, B the second.
    """
    first = spans_of(chosen.layer(chosen.outline), chosen.layer(chosen.fill), by=chosen.by)
    other, only = chosen.layer(chosen.second), chosen.differences and not all_of_them
    if other is None:
        return [span for span in first if not (only and span.gold and span.predicted)]
    theirs = {_named(span): span for span in spans_of(chosen.layer(chosen.outline), other, by=chosen.by)}
    judged = chosen.outline in chosen.layers
    found = []
    for span in first:
        twin = theirs.pop(_named(span), None)
        in_b = twin is not None and twin.predicted
        if not (only and span.predicted and in_b and (span.gold or not judged)):
            found.append(replace(span, label=_who(span.label, span.predicted, in_b)))
    for span in theirs.values():
        if span.predicted:
            found.append(replace(span, key=f"second:{span.key}", label=_who(span.label, False, True)))
    return sorted(found, key=lambda span: (span.start, -span.end, span.key))


def _named(span: DrawnSpan) -> tuple[int, int, str, int | None]:
    return span.start, span.end, span.label, span.number


def _who(label: str, a: bool, b: bool) -> str:
    return f"{label} · {'A' * a}{'B' * b}" if a or b else label


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


def show_links(span: DrawnSpan, chosen: Chosen, runs: Mapping[str, RunInfo]) -> None:
    """From the span to how each of the chosen runs decided there."""
    for name in dict.fromkeys((chosen.fill, chosen.second)):
        run = runs.get(name)
        if run is not None and pages.exists(run.task):
            layout.link_to(run.task, f"Why? How {name} decided here", run=run.id, sel=see.place(span.start, span.end))


def show_verdict(corpus: CorpusInfo, document: Document, span: DrawnSpan) -> None:
    """A note on the span, and whether gold is wrong there."""
    state = verdicts.state_of(corpus, document.id)
    if state is not None:
        target = verdicts.target_at(state, (span.start, span.end))
        verdicts.show(corpus, document.id, state, target, key="document")


def show_label_verdict(corpus: CorpusInfo, document: Document, layers: Mapping[str, Layer]) -> None:
    """The same for a label of the document as a whole."""
    labels = sorted({label for layer in layers.values() for label in layer.labels})
    state = verdicts.state_of(corpus, document.id) if labels else None
    if state is None:
        return
    label = st.selectbox("About the label", labels, key="document.label", format_func=layout.visible)
    verdicts.show(corpus, document.id, state, label_target(label), key="document")


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
