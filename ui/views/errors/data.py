"""What the Errors page shows of an error, as plain data: rows of the list, spans in the text, slices that are kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from engine.data.document import Document, Layer
from engine.metrics.errors import STAGES, Error, Filter, Span, Stage
from ui.components.stages import StageRow
from ui.components.text import DrawnSpan
from ui.shell import layout
from ui.shell.palette import MISSED, WRONG

TYPES: Final = 12
"""Columns of the table of stages: the most frequent types."""


def types_of(table: Mapping[Stage, Counter[str]]) -> list[str]:
    """The types of all errors, most frequent first, as many as the table has columns for."""
    return [name for name, _ in sum(table.values(), Counter()).most_common(TYPES)]


def stage_rows(
    table: Mapping[Stage, Counter[str]], stages: Sequence[Stage], now: float | None, fixed: Mapping[str, float | None]
) -> list[StageRow]:
    """Counts of every stage, all and by type; then the score if it made no errors, and what that would gain."""
    types = types_of(table)
    rows = []
    for stage in stages:
        after = fixed.get(stage, now)
        gain = None if after is None or now is None else 100 * (after - now)
        counts = (sum(table[stage].values()), *(table[stage].get(name, 0) for name in types))
        facts = (layout.percent(after), "–" if gain is None else layout.with_minus(f"{gain:+.1f}"))
        rows.append(StageRow(stage, counts, facts))
    return rows


def has_range(values: Sequence[Any]) -> bool:
    """Whether an attribute is filtered by a range: a number with many values."""
    return len(values) > 8 and all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)


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


def confusion_rows(counts: Counter[tuple[str, str]], most: int = 200) -> list[dict[str, Any]]:
    """What was taken for what, most frequent first."""
    return [
        {"gold": layout.visible(gold) or "nothing", "predicted": layout.visible(predicted) or "nothing", "times": n}
        for (gold, predicted), n in counts.most_common(most)
    ]


def document_rows(found: Sequence[Error]) -> list[dict[str, Any]]:
    """Documents by how much went wrong; the bars are the stages."""
    per: dict[str, Counter[str]] = {}
    for error in found:
        per.setdefault(error.document, Counter())[error.stage] += 1
    return [
        {
            "document": id,
            "errors": sum(stages.values()),
            "stages": [stages.get(stage, 0) for stage in STAGES],
            "worst stage": stages.most_common(1)[0][0],
        }
        for id, stages in sorted(per.items(), key=lambda item: (-sum(item[1].values()), item[0]))
    ]
