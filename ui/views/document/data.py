"""The data of the Document page for the chosen layers, without drawing: spans, differences, rows of tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias

from engine.data.document import NIL, Document, Layer
from ui.components.text import DrawnSpan, spans_of
from ui.shell import layout
from ui.tab.palette import MISSED, RIGHT, WRONG

Way: TypeAlias = Literal["entity", "type", "cluster"]
"""The attribute by which two mentions are compared."""

NONE: Final = "none"
"""The choice of no layer."""


def ways(layers: Iterable[Layer]) -> list[Way]:
    """The attributes by which the mentions of these layers can be compared, best first."""
    known = list(layers)
    found: list[Way] = []
    if any(layer.clusters for layer in known):
        found.append("cluster")
    if any(mention.entity is not None for layer in known for mention in layer.mentions):
        found.append("entity")
    if any(mention.type is not None for layer in known for mention in layer.mentions) or not found:
        found.append("type")
    return found


def usual_ways(layers: Iterable[Layer]) -> list[Way]:
    """The same, with attributes that all layers have first."""
    known = list(layers)
    return sorted(ways(known), key=lambda way: -sum(way in ways([layer]) for layer in known))


@dataclass(frozen=True)
class Chosen:
    """What is drawn: one layer outlined, one filled, and optionally a second run; compared by `by`."""

    outline: str
    fill: str
    second: str
    by: Way
    differences: bool
    layers: Mapping[str, Layer]

    def layer(self, name: str) -> Layer | None:
        return self.layers.get(name)

    @property
    def is_judged(self) -> bool:
        """Whether there are two layers to compare."""
        return self.outline in self.layers and self.fill in self.layers


def drawn(chosen: Chosen, *, all_of_them: bool = False) -> list[DrawnSpan]:
    """The spans of the chosen layers; unless `all_of_them`, only those that differ.

    With a second run, every label names its run: A the filled one, B the second.
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


def differences(spans: Iterable[DrawnSpan]) -> Counter[str]:
    """The numbers of spans in both layers, in the first only (missed), in the second only (wrong)."""
    signs = {(True, True): RIGHT, (True, False): MISSED, (False, True): WRONG}
    return Counter(signs[span.gold, span.predicted] for span in spans)


def fact_rows(document: Document, layers: Mapping[str, Layer]) -> list[dict[str, Any]]:
    """Counts of the document and its layers."""
    facts = {
        "characters": len(document.text),
        "tokens": len(document.tokens),
        "sentences": len(document.sentences),
        **{f"mentions, {name}": len(layer.mentions) for name, layer in layers.items()},
        **{f"clusters, {name}": len(layer.clusters) for name, layer in layers.items() if layer.clusters},
        **{f"relations, {name}": len(layer.relations) for name, layer in layers.items() if layer.relations},
    }
    return [{"": name, "n": n} for name, n in facts.items() if n or name not in ("tokens", "sentences")]


def difference_rows(document: Document, spans: Sequence[DrawnSpan]) -> list[dict[str, str]]:
    """The spans that only one of the two layers has."""
    return [
        {
            "": MISSED if span.gold else WRONG,
            "span": layout.visible(document.text[span.start : span.end][:80]),
            "label": span.label or (f"cluster {span.number}" if span.number else ""),
        }
        for span in spans
    ]


def relation_rows(document: Document, chosen: Chosen) -> list[dict[str, str]]:
    """The relations of the two layers, with the sign of each."""
    found: dict[tuple[str, str, str, int, int], set[str]] = {}
    for name in (chosen.outline, chosen.fill):
        layer = chosen.layers.get(name, Layer())
        for relation in layer.relations:
            head, tail = layer.mentions[relation.head], layer.mentions[relation.tail]
            words = (document.surface(head), relation.type, document.surface(tail), head.start, tail.start)
            found.setdefault(words, set()).add(name)

    def sign(where: set[str]) -> str:
        if not chosen.is_judged:
            return ""
        return RIGHT if len(where) == 2 else MISSED if chosen.outline in where else WRONG

    return [
        {"": sign(where), "head": layout.visible(head[:60]), "relation": kind, "tail": layout.visible(tail[:60])}
        for (head, kind, tail, _, _), where in sorted(found.items(), key=lambda item: item[0][3:])
    ]


def labels_of(layers: Mapping[str, Layer]) -> list[str]:
    """Labels of the document as a whole, of any layer."""
    return sorted({label for layer in layers.values() for label in layer.labels})


def label_rows(layers: Mapping[str, Layer]) -> list[dict[str, str]]:
    """Labels of the document as a whole, and which layers have them."""
    return [
        {"label": label, **{name: RIGHT if label in layer.labels else "" for name, layer in layers.items()}}
        for label in labels_of(layers)
    ]


def span_rows(document: Document, span: DrawnSpan, layers: Mapping[str, Layer]) -> list[dict[str, Any]]:
    """Everything in the layers about a span and those it overlaps."""
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
    return rows


def span_relation_rows(document: Document, span: DrawnSpan, layers: Mapping[str, Layer]) -> list[dict[str, Any]]:
    """Relations with the span as an argument."""
    return [
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
