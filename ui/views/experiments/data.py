"""The data of the Experiments page, without drawing: the list of experiments, their tables, points of the figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

from engine.tasks.base import AnyTask
from engine.workbench.experiments import published
from engine.workbench.experiments.saved import Experiment, experiments_in
from engine.workbench.experiments.summary import Line, grouped, main_of
from engine.workbench.reporting.tables import ReportTable
from ui.views.experiments import words

FOLDER = "experiments"
"""The folder of experiments in the workspace."""

FEWEST_ROUNDS = 3
"""Evaluated rounds that make a learning curve."""


class Curve(NamedTuple):
    """A system along its bias: predictions per 100 gold items, and F1 in percent."""

    made: list[float]
    f1: list[float]
    bias: list[float]


def folders(workspace: Path) -> dict[str, Path]:
    """The experiments of a workspace by name, the newest first."""
    return {path.name: path for path in experiments_in(workspace / FOLDER)}


def corpora(experiment: Experiment) -> list[str]:
    """The corpora on which trials were evaluated."""
    return list(dict.fromkeys(corpus for _, _, corpus in grouped(experiment)))


def rows(table: ReportTable) -> list[dict[str, Any]]:
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


def caption(task: AnyTask, table: ReportTable) -> str:
    """The sentence above a table, with the source of published numbers."""
    paper = published.papers().get(task.name)
    source, differs = ("", "") if paper is None else (paper.source, paper.differs)
    return words.CAPTIONS[table.name].format(source=source, differs=differs)


def curves(experiment: Experiment, corpus: str) -> dict[str, Curve]:
    """The first run of every system trained on all documents."""
    found: dict[str, Curve] = {}
    for (system, share, judged), outcomes in grouped(experiment).items():
        if judged == corpus and share == _whole(experiment) and outcomes[0].curves.get(corpus):
            own = outcomes[0].curves[corpus]
            made, f1 = ([100 * value for value in own[name]] for name in ("made", "f1"))
            found.setdefault(system, Curve(made, f1, own["bias"]))
    return found


def sides(lines: Sequence[Line], corpus: str) -> dict[str, tuple[float, float]]:
    """Recall and precision of every system in percent, if its score is based on them."""
    whole = max((line.share for line in lines), default=1.0)
    return {
        line.system: (100 * line.scores["recall"][0], 100 * line.scores["precision"][0])
        for line in lines
        if line.corpus == corpus and line.share == whole and {"precision", "recall"} <= set(line.scores)
    }


def learning(experiment: Experiment, task: AnyTask) -> dict[str, list[tuple[int, float]]]:
    """For each system, the main score on dev after every round that evaluated it anew, in percent, for its first seed
    on all documents. Before and after make no curve (joint: with and without the bias): fewer rounds than three are
    left out."""
    found: dict[str, list[tuple[int, float]]] = {}
    for outcome in experiment.outcomes.values():
        scored: list[Mapping[str, Any]] = []
        for one in outcome.rounds:
            # Rounds without an evaluation repeat the last scores.
            if _scores(one) and not (scored and _scores(one) == _scores(scored[-1])):
                scored.append(one)
        if len(scored) < FEWEST_ROUNDS or outcome.trial.share != _whole(experiment):
            continue
        name = _round_score(task, scored[-1])
        points = [(int(one["round"]), 100 * float(one[name])) for one in scored if name in one]
        found.setdefault(outcome.trial.system, points)
    return found


def _scores(one: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in one.items() if name not in ("round", "objective")}


def shares(task: AnyTask, lines: Sequence[Line], corpus: str) -> dict[str, list[tuple[float, float]]]:
    """For each system, the main score by the share of documents, both in percent; empty if there is only one share."""
    found: dict[str, list[tuple[float, float]]] = {}
    for line in lines:
        if line.corpus == corpus:
            score = 100 * line.scores[main_of(task, line.scores)][0]
            found.setdefault(line.system, []).append((100 * line.share, score))
    return found if any(len(points) > 1 for points in found.values()) else {}


def varied(experiment: Experiment, task: AnyTask, corpus: str) -> dict[str, dict[str, list[tuple[float, float]]]]:
    """For every setting with several numeric values, the main score of each system by the value, in percent."""
    found: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for (_, share, judged), outcomes in grouped(experiment).items():
        trial = outcomes[0].trial
        if judged != corpus or share != _whole(experiment):
            continue
        scores = [one.scores[corpus] for one in outcomes]
        score = 100 * mean(own[main_of(task, own)] for own in scores)
        for text in trial.changes:
            name, _, value = text.partition("=")
            others = [change for change in trial.changes if change != text]
            preset = "" if trial.preset == "default" else f" ({trial.preset})"
            system = " ".join([trial.learner + preset, *others])
            if _is_number(value):
                found.setdefault(name, {}).setdefault(system, []).append((float(value), score))
    return {
        name: {system: sorted(points) for system, points in own.items()}
        for name, own in found.items()
        if any(len(points) > 1 for points in own.values())
    }


def _is_number(text: str) -> bool:
    try:
        return isfinite(float(text))
    except ValueError:
        return False


def _whole(experiment: Experiment) -> float:
    return max(one.trial.share for one in experiment.outcomes.values())


def _round_score(task: AnyTask, one: Mapping[str, Any]) -> str:
    """The name of the main score in rounds: its own name, else their first score."""
    told = [name for name in one if name not in ("round", "objective")]
    return task.main_score[-1] if task.main_score[-1] in told else told[0]
