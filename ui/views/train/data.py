"""The data of the Train page, without drawing: the rounds of one run, and the table of all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.store.runs import RoundInfo, RunInfo
from ui.shell import layout


def round_rows(rounds: Sequence[RoundInfo]) -> list[dict[str, Any]]:
    return [{"round": one.index, "objective": one.objective, **one.scores} for one in rounds]


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


def run_rows(runs: Sequence[RunInfo], main_scores: Mapping[str, tuple[str, ...]]) -> list[dict[str, Any]]:
    """One row per run; `main_scores` gives the path of each system's main score in its report."""
    return [
        {
            "★": "★" if run.starred else "",
            "run": layout.visible(run.name) or run.id,
            "learner": run.learner,
            "status": run.status,
            "main score, %": layout.percent_at(run.scores, main_scores[run.task]) if run.task in main_scores else None,
            "started": run.created[:16].replace("T", " "),
            "seed": run.seed,
        }
        for run in runs
    ]
