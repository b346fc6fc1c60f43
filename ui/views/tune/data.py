"""What the Tune page shows of a run at a bias, as plain data: scores, decisions that flip, points of the curve."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from engine.data.document import Document, Layer
from engine.metrics.differences import DecisionKind, Difference, differences
from engine.store.runs import Look
from engine.tuning.curve import Curve
from ui.shell import layout
from ui.views.see.frame import place


def score_rows(report: Mapping[str, Any], path: str = "") -> list[dict[str, Any]]:
    """One row per number of a report; fractions as percentages, counts as they are."""
    rows: list[dict[str, Any]] = []
    for name, value in report.items():
        where = f"{path} · {name}" if path else str(name)
        if isinstance(value, Mapping):
            rows += score_rows(value, where)
        elif isinstance(value, float):
            rows.append({"score": layout.visible(where.replace("_", " ")), "percent": 100 * value, "count": None})
        elif isinstance(value, int) and not isinstance(value, bool):
            rows.append({"score": layout.visible(where.replace("_", " ")), "percent": None, "count": value})
    return rows


def flip_rows(
    documents: Sequence[Document],
    before: Sequence[Layer],
    after: Sequence[Layer],
    kinds: Collection[DecisionKind],
) -> list[dict[str, Any]]:
    """One row per decision that is made at one bias and not at the other."""
    return [
        _flip_row(document, one)
        for document, first, second in zip(documents, before, after, strict=True)
        for one in differences(first, second, kinds)
    ]


def _flip_row(document: Document, one: Difference) -> dict[str, Any]:
    decision = one.decision
    return {
        "document": document.id,
        "text": layout.visible(document.text[decision.start : decision.end]),
        "kind": decision.kind,
        "decision": layout.visible(decision.value)
        or layout.visible(document.text[decision.other[0] : decision.other[1]]),
        "change": "appears" if one.side == "second" else "disappears",
        "at": place(decision.start, decision.end) if decision.end > decision.start else None,
    }


def look_rows(looks: Sequence[Look], score: str, path: tuple[str, ...]) -> list[dict[str, Any]]:
    """Every look at test data, with the score that was seen; a look without scores was one at a page."""
    return [
        {
            "test": look.corpus,
            "when": layout.moment(look.time),
            "bias": look.bias,
            score: layout.percent_at(look.scores, path),
        }
        for look in looks
    ]


def curve_rows(curve: Curve) -> list[dict[str, float]]:
    """Every operating point, for a table or a file."""
    precision, recall, f = curve.precision, curve.recall, curve.f()
    return [
        {"bias": float(b), "precision": float(p), "recall": float(r), "f1": float(x), "predicted": int(n)}
        for b, p, r, x, n in zip(curve.bias, precision, recall, f, curve.predicted, strict=True)
    ]


def csv(rows: Sequence[Mapping[str, Any]]) -> str:
    lines = [",".join(rows[0])] if rows else []
    return "\n".join(lines + [",".join(str(value) for value in row.values()) for row in rows]) + "\n"
