"""The data of the Train page, without drawing: the rounds of one run, and the table of all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.store.runs import RoundInfo, RunInfo
from engine.workbench.honesty import ids
from engine.workbench.verdicts import SAME, percent
from ui.shell import layout, naming
from ui.tab.scores import score_name


def round_rows(rounds: Sequence[RoundInfo]) -> list[dict[str, Any]]:
    """Every round: what training minimised, and the scores on dev in percent."""
    return [
        {
            "round": one.index,
            "objective": one.objective,
            **{f"{score_name((name,))}, %": 100 * score for name, score in one.scores.items() if score is not None},
        }
        for one in rounds
    ]


def how_far(done: int, total: int, left: float | None) -> str:
    """The current round out of all, and the remaining time at the pace so far."""
    if not total:
        return "starting …"
    rest = "" if left is None else f" · about {span(left)} left"
    return f"round {done} of {total}{rest}"


def span(seconds: float) -> str:
    """A duration in words."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def best_beside(run: RunInfo, others: Sequence[RunInfo], path: tuple[str, ...]) -> tuple[RunInfo, float] | None:
    """Among other finished runs that start from the same mentions and were scored on the same corpora, the one with the
    highest main score, and the difference to it; None if there is none."""
    own = layout.score_at(run.scores, path)
    if own is None or not run.dev:
        return None
    alike = [
        (score, other)
        for other in others
        if other.id != run.id and other.status == "done" and (other.task, other.dev) == (run.task, run.dev)
        if other.settings.get("mentions") == run.settings.get("mentions")
        if (score := layout.score_at(other.scores, path)) is not None
    ]
    if not alike:
        return None
    best, other = max(alike, key=lambda one: one[0])
    return other, own - best


def beside_best(other: RunInfo, difference: float) -> str:
    """How a run stands beside the best of the others, in words."""
    label = naming.run_label(other, with_task=False)
    if abs(difference) < SAME:
        return f"That is as much as the best of the other runs on the same corpus, {label}."
    way = "more" if difference > 0 else "less"
    return (
        f"That is {percent(abs(difference))} points {way} than the best of the other runs on the same corpus, {label}."
    )


def found_runs(runs: Sequence[RunInfo], search: str, corpora: Mapping[str, str]) -> list[RunInfo]:
    """The runs that have every word of the search in their name, note, system, learner, status or corpora."""
    wanted = search.casefold().split()

    def suits(run: RunInfo) -> bool:
        learnt = [corpora.get(id, "") for id in (*ids(run.train), *ids(run.dev))]
        text = " ".join([run.name, run.note, run.task, run.learner, run.status, run.id, *learnt]).casefold()
        return all(word in text for word in wanted)

    return [run for run in runs if suits(run)]


def run_rows(
    runs: Sequence[RunInfo], main_scores: Mapping[str, tuple[str, ...]], corpora: Mapping[str, str]
) -> list[dict[str, Any]]:
    """One row per run; `main_scores` gives the path of each system's main score in its report, `corpora` the labels of
    corpora by id."""
    return [
        {
            "run": naming.run_label(run),
            "status": run.status,
            "main score, %": layout.percent_at(run.scores, main_scores[run.task]) if run.task in main_scores else None,
            "trained on": _labels(run.train, corpora),
            "chosen on": _labels(run.dev, corpora),
            "note": layout.visible(run.note),
            "seed": run.seed,
        }
        for run in runs
    ]


def _labels(listed: str, corpora: Mapping[str, str]) -> str:
    return ", ".join(layout.visible(corpora.get(id, "(removed)")) for id in ids(listed))
