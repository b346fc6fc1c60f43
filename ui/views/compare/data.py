"""The data of the Compare page, without drawing: rows of tables, what both systems found, their settings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from engine.data.document import Document
from engine.metrics.differences import Decision
from engine.store.large.shown import key_of
from engine.store.runs import RoundInfo
from engine.store.workspace import RunInfo
from engine.tasks.registry import get
from engine.workbench.comparison import Comparison, Ranked
from engine.workbench.honesty import ids
from engine.workbench.verdicts import odds, p_in_words, points
from ui.components.text import DrawnSpan
from ui.shell import layout
from ui.tab.palette import RIGHT
from ui.tab.scores import score_name

REMOVED: Final = "a corpus that was removed"


def score_rows(result: Comparison) -> list[dict[str, Any]]:
    """The scores that were tested, with the interval of each difference."""
    return [
        {
            "score": score_name((one.name,)),
            "A, %": 100 * one.first,
            "B, %": 100 * one.second,
            "B − A": points(one.difference.value),
            "95 % interval": f"{points(one.difference.low)} … {points(one.difference.high)}",
            "by chance": odds(one.p_permutation),
            "p (permutation)": p_in_words(one.p_permutation),
            "p (Holm)": p_in_words(one.p_corrected),
        }
        for one in result.scores
    ]


def all_score_rows(result: Comparison) -> list[dict[str, Any]]:
    return [
        {"score": score_name(name.split(" ")), "A, %": 100 * a, "B, %": 100 * b, "B − A": points(b - a)}
        for name, (a, b) in result.all_scores.items()
    ]


def rank_rows(ranked: Iterable[Ranked], labels: Mapping[str, str]) -> list[dict[str, Any]]:
    return [
        {
            "system": labels[one.name],
            "score, %": 100 * one.score.value,
            "95 % interval": f"{100 * one.score.low:.1f} … {100 * one.score.high:.1f}",
            "letters": one.letters,
        }
        for one in ranked
    ]


def table_rows(
    scores: Mapping[tuple[str, str], float | None], systems: Mapping[str, str], corpora: Mapping[str, str]
) -> list[dict[str, Any]]:
    """One row per system, one column per corpus; `scores` by the ids of both, the rest are their labels."""
    return [
        {
            "system": label,
            **{name: None if (found := scores[system, id]) is None else 100 * found for id, name in corpora.items()},
        }
        for system, label in systems.items()
    ]


def setting_rows(first: RunInfo, second: RunInfo, corpora: Mapping[str, str]) -> list[dict[str, str]]:
    """Settings and data that differ, in words; `corpora` are the labels of corpora by id."""
    a, b = _settings(first, corpora), _settings(second, corpora)
    return [
        {"setting": name.replace("_", " "), "A": a.get(name, "–"), "B": b.get(name, "–")}
        for name in dict.fromkeys([*a, *b])
        if a.get(name) != b.get(name)
    ]


def _settings(run: RunInfo, corpora: Mapping[str, str]) -> dict[str, str]:
    train, dev = (", ".join(corpora.get(id, REMOVED) for id in ids(of)) for of in (run.train, run.dev))
    own = {name: in_words(value) for name, value in run.settings.items()}
    return {
        "learner": run.learner,
        "trained on": train,
        "chosen on": dev,
        "bias": layout.bias_name(get(run.task), run.bias),
        **own,
    }


def in_words(value: Any) -> str:
    """The value of a setting as one reads it."""
    if isinstance(value, float):
        return layout.three(value)
    if isinstance(value, list | tuple):
        return ", ".join(map(in_words, value)) or "none"
    return "none" if value in (None, "") else layout.plain(value)


def learning_series(
    rounds: Mapping[str, Sequence[RoundInfo]], score: str
) -> tuple[str, dict[str, list[tuple[int, float]]]]:
    """The score of each system after every round, or the objective if no round was scored; and its unit."""
    if not any(score in one.scores for found in rounds.values() for one in found):
        return "objective", {name: [(one.index, one.objective) for one in found] for name, found in rounds.items()}
    return f"{score_name((score,))} on dev, percent", {
        name: [(one.index, 100 * one.scores[score]) for one in found if score in one.scores]
        for name, found in rounds.items()
    }


def found_row(document: Document, one: Decision) -> dict[str, str]:
    """A line for an item that both found."""
    spans = [span for span in ((one.start, one.end), one.other) if span[1] > span[0] >= 0]
    surface = " → ".join(" ".join(document.text[slice(*span)].split())[:40] for span in spans)
    return {
        "key": key_of(document.id, one),
        "sign": RIGHT,
        "title": f"{surface}: {one.value}".removeprefix(": ").removesuffix(": "),
        "note": "",
    }


def found_spans(one: Decision) -> list[DrawnSpan]:
    """The span of the item in the text, and that of the other mention it refers to."""
    return [
        DrawnSpan(key, *span, label=one.value if key == "item" else "", gold=True, predicted=True)
        for key, span in (("item", (one.start, one.end)), ("other", one.other))
        if span[1] > span[0] >= 0
    ]
