"""The numbers published in the papers (`published.toml`), for comparison with an experiment."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from statistics import mean

from engine.tasks.base import AnyTask
from engine.workbench.experiments.saved import Experiment
from engine.workbench.experiments.summary import main_of
from engine.workbench.reporting.tables import ReportTable

NAME = "published"


@dataclass(frozen=True)
class Column:
    """One column of a paper's table: a score of several learners on one corpus."""

    title: str
    values: Mapping[str, float]
    """Percentages, by the learner's name in this program."""


@dataclass(frozen=True)
class Paper:
    """The numbers that one paper published for a system."""

    source: str
    columns: tuple[Column, ...]
    differs: str
    """The reasons for differences from our numbers."""


@cache
def papers() -> Mapping[str, Paper]:
    """The paper of each system that has one."""
    raw = tomllib.loads(files(__package__).joinpath("published.toml").read_text(encoding="utf-8"))
    return {
        task: Paper(
            own["source"],
            tuple(Column(column["title"], dict(column["values"])) for column in own.get("column", ())),
            own["differs"],
        )
        for task, own in raw.items()
    }


def table(task: AnyTask, experiment: Experiment) -> ReportTable:
    """A row for every learner with published numbers: the paper's, then ours, means over runs."""
    paper = papers().get(task.name)
    ours = _ours(task, experiment)
    learners = list(dict.fromkeys(one.trial.learner for one in experiment.outcomes.values()))
    rows = []
    for learner in learners if paper else ():
        printed = {column.title: column.values.get(learner) for column in paper.columns} if paper else {}
        if any(value is not None for value in printed.values()):
            cells = {title: "" if value is None else f"{value:.1f}" for title, value in printed.items()}
            rows.append({"learner": learner, **cells, **{title: own.get(learner, "") for title, own in ours.items()}})
    return ReportTable.of(NAME, rows if ours else [])


def _ours(task: AnyTask, experiment: Experiment) -> dict[str, dict[str, str]]:
    """Corpus, preset and share -> learner -> the main score, for systems without changed settings."""
    found: dict[str, dict[str, list[float]]] = {}
    for one in experiment.outcomes.values():
        trial = one.trial
        if not trial.changes:
            for corpus, scores in one.scores.items():
                part = "" if trial.share == 1.0 else f", {100 * trial.share:g} % of train"
                own = found.setdefault(f"ours: {corpus}{part}, {trial.preset}", {})
                own.setdefault(trial.learner, []).append(scores[main_of(task, scores)])
    return {
        title: {learner: f"{100 * mean(values):.1f}" for learner, values in own.items()} for title, own in found.items()
    }
