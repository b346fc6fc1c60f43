"""The data of the Train page, without drawing: the rounds of one run, and the table of all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.store.runs import RoundInfo, RunInfo
from engine.workbench.honesty import ids
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
