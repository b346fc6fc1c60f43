"""What the Errors page shows of an error, as plain data: rows of the list, spans in the text, slices that are kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from engine.data.document import Document, Layer
from engine.metrics.errors import Error, Filter, Span
from ui.components.text import DrawnSpan
from ui.shell.palette import MISSED, WRONG


def slice_json(chosen: Sequence[Filter]) -> dict[str, Any]:
    return {"filters": [asdict(one) for one in chosen]}


def saved_filters(record: Mapping[str, Any]) -> list[Filter]:
    """The conditions of a saved slice; those of older workspaces have one, without a list around it."""
    return [
        Filter(one["attribute"], None if one["values"] is None else tuple(one["values"]), one["low"], one["high"])
        for one in record.get("filters", [record])
    ]


def case_row(error: Error, document: Document, *, blamed: bool = True) -> dict[str, str]:
    surface = " ".join(document.text[error.start : error.end].split())
    surface = surface if len(surface) <= 40 else surface[:25] + " … " + surface[-12:]
    answer = f"{surface}: {error.gold or 'nothing'} → {error.predicted or 'nothing'}".removeprefix(": ")
    return {
        "key": f"{error.document}|{error.kind}|{error.start}|{error.end}|{error.gold}|{error.predicted}|{error.type}",
        "sign": MISSED if error.kind == "miss" else WRONG,
        "title": answer,
        "note": error.stage if blamed else "",
    }


def case_span(error: Error) -> DrawnSpan:
    label = error.gold if error.kind == "miss" else error.predicted
    return DrawnSpan(
        "case", error.start, error.end, label=label, gold=error.kind == "miss", predicted=error.kind != "miss"
    )


def antecedents(error: Error, gold: Layer, predicted: Layer | None) -> list[DrawnSpan]:
    """The mention that gold links this one to, and the one that the prediction does: the nearest before it in its
    cluster."""
    found = []
    for name, layer in (("gold", gold), ("predicted", predicted or Layer())):
        cluster = next((spans for spans in _clusters(layer) if (error.start, error.end) in spans), [])
        before = [span for span in cluster if span < (error.start, error.end)]
        if before:
            start, end = max(before)
            is_gold = name == "gold"
            label = f"{name} antecedent"
            found.append(DrawnSpan(name, start, end, label=label, gold=is_gold, predicted=not is_gold))
    return found


def _clusters(layer: Layer) -> list[list[Span]]:
    return [[layer.mentions[i].span for i in cluster] for cluster in layer.clusters]
