"""The summary of an experiment: means over seeds with intervals, and paired differences from the first system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any

import numpy as np

from engine.arrays import Floats
from engine.metrics.significance import ScoreDifference, as_counts, paired_bootstrap, t_interval
from engine.tasks.base import AnyTask
from engine.workbench.experiments.running import Outcome
from engine.workbench.experiments.saved import Experiment


@dataclass(frozen=True)
class Line:
    """One system on one corpus, trained on one share of the documents; scores are fractions."""

    system: str
    corpus: str
    share: float
    runs: int
    """Number of seeds or folds."""
    scores: Mapping[str, tuple[float, float | None]]
    """Mean, and half the 95 % interval of Student's t over the runs (None for a single run)."""
    difference: ScoreDifference | None
    """The difference of the main score from the first system of the corpus, paired over documents; None for the
    first."""
    seconds: float


def main_of(task: AnyTask, scores: Mapping[str, Any]) -> str:
    """The score by which systems are compared: the task's main one if it can be computed, else the last."""
    main = task.main_score[-1]
    return main if main in scores else list(scores)[-1]


def grouped(experiment: Experiment) -> dict[tuple[str, float, str], list[Outcome]]:
    """The outcomes of each system, share and corpus, in the order of the first."""
    groups: dict[tuple[str, float, str], list[Outcome]] = {}
    for outcome in experiment.outcomes.values():
        for corpus in outcome.scores:
            groups.setdefault((outcome.trial.system, outcome.trial.share, corpus), []).append(outcome)
    return groups


def lines(task: AnyTask, experiment: Experiment, *, samples: int = 2000) -> list[Line]:
    """Every system on every corpus, first by corpus and share, in the order of the plan."""
    groups = grouped(experiment)
    first: dict[tuple[float, str], tuple[str, float, str]] = {}
    made = []
    for key, outcomes in groups.items():
        system, share, corpus = key
        begins = first.setdefault((share, corpus), key)
        names = list(outcomes[0].scores[corpus])
        scores = {name: interval([one.scores[corpus][name] for one in outcomes]) for name in names}
        found = None
        if begins != key:
            found = difference(task, groups[begins], outcomes, corpus, samples)
        seconds = mean(one.seconds for one in outcomes)
        made.append(Line(system, corpus, share, len(outcomes), scores, found, seconds))
    corpora = list(dict.fromkeys(line.corpus for line in made))
    return sorted(made, key=lambda line: (corpora.index(line.corpus), line.share))


def interval(values: Sequence[float]) -> tuple[float, float | None]:
    """Mean, and half the 95 % interval of Student's t; None for a single value."""
    found = t_interval(values)
    return found.value, None if len(values) < 2 else found.high - found.value


def difference(
    task: AnyTask, first: Sequence[Outcome], second: Sequence[Outcome], corpus: str, samples: int = 2000
) -> ScoreDifference | None:
    """Second minus first, over the runs that both have: the same seeds, or the same folds."""
    runs = [{(one.trial.seed, one.trial.fold): one for one in outcomes} for outcomes in (first, second)]
    common = [run for run in runs[0] if run in runs[1]]
    if not common:
        return None
    columns, statistic = task.statistics()[main_of(task, first[0].scores[corpus])]
    a, b = (_pooled([own[run] for run in common], corpus, columns) for own in runs)
    if a.shape != b.shape or not len(a):
        return None
    return paired_bootstrap(a, b, statistic, samples=samples)


def _pooled(outcomes: Sequence[Outcome], corpus: str, columns: Sequence[str]) -> Floats:
    """Counts of all documents: summed over seeds, one fold after another."""
    by_fold: dict[int, list[Floats]] = {}
    for one in outcomes:
        by_fold.setdefault(one.trial.fold or 0, []).append(as_counts(one.counts[corpus], columns))
    return np.concatenate([np.sum(by_fold[fold], axis=0) for fold in sorted(by_fold)])


def percent(value: float, half: float | None) -> str:
    return f"{100 * value:.1f}" if half is None else f"{100 * value:.1f} ± {100 * half:.1f}"


def signed_cells(title: str, difference: ScoreDifference | None) -> dict[str, str]:
    """A difference and its interval as two cells; empty ones if there is nothing to compare with."""
    if difference is None:
        return {title: "", "95 % interval": ""}
    low, high = _signed(difference.low), _signed(difference.high)
    return {title: _signed(difference.value), "95 % interval": f"{low} … {high}"}


def _signed(value: float) -> str:
    text = f"{100 * value:+.1f}"
    return text.replace("-", "−")
