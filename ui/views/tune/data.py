"""The data of the Tune page, without drawing: scores, decisions that flip, points of the curve."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from engine.store.runs import Look
from engine.tuning.curve import Curve
from engine.workbench.answers import Flip, Reliability
from engine.workbench.verdicts import Standing
from ui.shell import layout
from ui.tab.palette import RIGHT, WRONG
from ui.tab.scores import score_name
from ui.views.see.frame import place
from ui.views.tune import words


def score_rows(report: Mapping[str, Any], path: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """One row per number of a report; fractions as percentages, counts as they are."""
    rows: list[dict[str, Any]] = []
    for name, value in report.items():
        where = (*path, str(name))
        if isinstance(value, Mapping):
            rows += score_rows(value, where)
        elif isinstance(value, float):
            rows.append({"score": score_name(where, " · "), "percent": 100 * value, "count": None})
        elif isinstance(value, int) and not isinstance(value, bool):
            rows.append({"score": score_name(where, " · "), "percent": None, "count": value})
    return rows


def flip_rows(found: Iterable[Flip]) -> list[dict[str, Any]]:
    """One row per decision that is made at one bias but not at the other."""
    return [_flip_row(one) for one in found]


def _flip_row(one: Flip) -> dict[str, Any]:
    decision = one.decision
    return {
        "right": f"{RIGHT} right" if one.right else f"{WRONG} wrong",
        "document": one.document,
        "text": layout.visible(one.text),
        "kind": decision.kind,
        "decision": layout.visible(decision.value) or layout.visible(one.other),
        "change": "appears" if one.appears else "disappears",
        "at": place(decision.start, decision.end) if decision.end > decision.start else None,
    }


def flips_in_words(numbers: Mapping[tuple[bool, bool], int]) -> str:
    """How many right and wrong answers appear and disappear, in words; `numbers` by whether they appear and are
    right."""

    def told(appears: bool) -> str:
        return f"{numbers.get((appears, True), 0)} right and {numbers.get((appears, False), 0)} wrong"

    return words.FLIPS_TOLD.format(come=told(True), go=told(False))


def standing(curve: Curve, bias: float) -> Standing:
    """The run's counts at a bias."""
    i = curve.index_at(bias)
    return Standing(int(curve.predicted[i]), int(curve.correct[i]), int(curve.found[i]), int(curve.gold))


def bin_rows(found: Reliability) -> list[dict[str, str]]:
    """The bins as a table."""
    return [
        {
            "probability": f"{100 * one.low:.0f}–{100 * one.high:.0f} %",
            "answers": layout.count(one.n),
            "said, %": layout.percent(one.said),
            "right, %": layout.percent(one.right),
        }
        for one in found.bins
    ]


def look_rows(looks: Sequence[Look], score: str, path: tuple[str, ...]) -> list[dict[str, Any]]:
    """Every look at test data, with the score that was seen; a look without scores was a page view."""
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
