"""The text of a document with its spans: gold is outlined, predictions are filled, with one row of bars per overlap.

The drawing is prepared here as plain data, so that it can be tested without a browser.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from engine.data.document import NIL, Document, Layer
from ui.components import mount
from ui.tab import messages

Interval = tuple[float | None, float | None]


@dataclass(frozen=True)
class DrawnSpan:
    """One bar under the text. `on` lists the bias intervals [low, high) in which it is predicted (None = unbounded):
    with it the bar follows the knob without the server."""

    key: str
    start: int
    end: int
    label: str = ""
    gold: bool = False
    predicted: bool = False
    number: int | None = None
    colour: int = 0
    weight: float = 1.0
    on: tuple[Interval, ...] | None = None
    pinned: bool = False


def spans_of(
    gold: Layer | None, predicted: Layer | None, *, by: Literal["entity", "type", "cluster"]
) -> list[DrawnSpan]:
    """The bars of two layers; a mention with the same label in both is one bar with both signs."""
    colour_of: dict[str, int] = {}
    numbers = cluster_numbers(gold, predicted)
    drawn: dict[tuple[int, int, str], DrawnSpan] = {}
    for source, layer in (("gold", gold), ("predicted", predicted)):
        for position, mention in enumerate(layer.mentions if layer is not None else ()):
            number = numbers[source].get(position)
            label, name = _labels(mention.type, mention.entity, number, by)
            place = (mention.start, mention.end, name)
            known = drawn.get(place)
            if known is not None:
                drawn[place] = replace(known, predicted=known.predicted or source == "predicted")
                continue
            drawn[place] = DrawnSpan(
                key=f"{source}:{position}",
                start=mention.start,
                end=mention.end,
                label=label,
                gold=source == "gold",
                predicted=source == "predicted",
                number=number if by == "cluster" else None,
                colour=(number or 0) - 1 if by == "cluster" else colour_of.setdefault(name, len(colour_of)),
                weight=1.0 if mention.score is None or not 0 <= mention.score <= 1 else mention.score,
            )
    return sorted(drawn.values(), key=lambda span: (span.start, -span.end, span.key))


def cluster_numbers(gold: Layer | None, predicted: Layer | None) -> dict[str, dict[int, int]]:
    """A number per cluster, from 1. A predicted cluster gets the number of the gold cluster with which it shares most
    spans, assigned to the best pairs first; one that shares none gets a new number."""
    numbers: dict[str, dict[int, int]] = {"gold": {}, "predicted": {}}
    spans: list[set[tuple[int, int]]] = []
    for c, cluster in enumerate(gold.clusters if gold is not None else ()):
        spans.append({gold.mentions[i].span for i in cluster} if gold is not None else set())
        numbers["gold"].update(dict.fromkeys(cluster, c + 1))
    if predicted is None:
        return numbers
    theirs = [{predicted.mentions[i].span for i in cluster} for cluster in predicted.clusters]
    where: dict[tuple[int, int], list[int]] = {}
    for c, found in enumerate(spans):
        for span in found:
            where.setdefault(span, []).append(c)
    shared = Counter((p, c) for p, found in enumerate(theirs) for span in found for c in where.get(span, ()))
    given: dict[int, int] = {}
    for (p, c), _ in sorted(shared.items(), key=lambda item: (-item[1], item[0])):
        if p not in given and c not in given.values():
            given[p] = c
    fresh = len(spans)
    for p, cluster in enumerate(predicted.clusters):
        if p not in given:
            given[p], fresh = fresh, fresh + 1
        numbers["predicted"].update(dict.fromkeys(cluster, given[p] + 1))
    return numbers


def _labels(type: str | None, entity: str | None, cluster: int | None, by: str) -> tuple[str, str]:
    """The text of the chip, and the name that determines colour and agreement."""
    if by == "entity":
        shown = "NIL" if entity == NIL else (entity or type or "")
        return shown.replace("_", " "), shown
    if by == "type":
        return type or "", type or ""
    return "" if cluster is not None else (type or ""), str(cluster)


def paragraphs_of(document: Document) -> list[tuple[int, int]]:
    """Character ranges shown as one paragraph each: sentences if they are known, else lines."""
    if document.sentences and document.tokens:
        ranges = [document.char_range(a, b) for a, b in document.sentences if b > a]
        # Text between sentences is added to the previous one, so that every character is shown.
        starts = [0] + [start for start, _ in ranges[1:]]
        ends = [start for start, _ in ranges[1:]] + [len(document.text)]
        return [(a, _without_break(document.text, a, b)) for a, b in zip(starts, ends, strict=True)] if ranges else []
    found, at = [], 0
    for line in document.text.split("\n"):
        found.append((at, at + len(line)))
        at += len(line) + 1
    return found if document.text else []


def _without_break(text: str, start: int, end: int) -> int:
    return end - 1 if end > start and text[end - 1] == "\n" else end


def payload(
    document: Document,
    spans: Sequence[DrawnSpan],
    *,
    bias: float | None = None,
    judged: bool = True,
    selected: str | None = None,
    labels: Literal["all", "none"] = "all",
    height: int | None = None,
    run: str | None = None,
) -> dict[str, Any]:
    body = {
        "doc": document.id,
        "text": document.text,
        "paragraphs": paragraphs_of(document),
        "numbered": len(document.sentences) > 1,
        "spans": [_span_json(span) for span in spans],
        "judged": judged,
        "labels": labels,
        "height": height,
    }
    # The page rebuilds its nodes only when this changes.
    version = hashlib.blake2b(json.dumps(body, sort_keys=True).encode(), digest_size=12).hexdigest()
    return {**body, "version": version, "bias": bias, "selected": selected, "run": run}


def _span_json(span: DrawnSpan) -> Mapping[str, Any]:
    return {
        "key": span.key,
        "start": span.start,
        "end": span.end,
        "label": span.label,
        "gold": span.gold,
        "predicted": span.predicted,
        "number": span.number,
        "colour": span.colour,
        "weight": span.weight,
        "on": span.on,
        "pinned": span.pinned,
    }


def text(
    document: Document,
    spans: Sequence[DrawnSpan],
    *,
    key: str,
    on_select: messages.Selects = messages.nobody,
    **options: Any,
) -> None:
    """Draw the text; `on_select` receives the key of a span, None if nothing is selected any more."""
    mount("text", key=key, data=payload(document, spans, **options), hear=messages.selecting(on_select))
