"""Runs one trial of an experiment: chooses settings on dev if requested, trains, and scores every corpus."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from engine.data.document import Document
from engine.data.errors import InputError
from engine.metrics.numbers import Plain
from engine.metrics.significance import as_counts
from engine.settings import Settings
from engine.tasks.base import AnyModel, AnyTask, Resources
from engine.tasks.capabilities import ForcesDecisions
from engine.tuning.curve import Curve, thin
from engine.workbench.experiments.choosing import (
    Combination,
    Rounds,
    attempts,
    best_of,
    combinations,
    name_of,
    trained,
    unwatched,
)
from engine.workbench.experiments.plan import Corpora, Plan, Trial, told

POINTS: Final = 200
"""Maximum number of points of a curve that are kept for the figure."""


@dataclass(frozen=True)
class Outcome:
    """The result of one trial, as JSON values."""

    trial: Trial
    chosen: Combination
    """The choice of the grid search on dev; empty if nothing was chosen."""
    suited: str
    """The settings that cross-validation on the training documents chose for their number, in words; empty if none."""
    scores: Mapping[str, Mapping[str, float]]
    """By corpus, every score that the task can test."""
    counts: Mapping[str, list[dict[str, float]]]
    """By corpus and document, the counts behind the scores."""
    reports: Mapping[str, Mapping[str, float]]
    """By corpus, every share that `evaluate` reports, by its path: gold in the inventory, types, coherence."""
    curves: Mapping[str, Mapping[str, list[float]]]
    """By corpus, precision, recall, F1 and predictions per gold item (`made`) over the bias."""
    forced: Mapping[str, Mapping[str, Any]]
    """By corpus, the results of the forced-decision test."""
    rounds: tuple[Mapping[str, Any], ...]
    notes: tuple[str, ...]
    bias: float
    seconds: float
    """CPU time in this process."""


@dataclass(frozen=True, eq=False)
class Runner:
    """Everything that the trials of one experiment share."""

    task: AnyTask
    plan: Plan
    corpora: Corpora
    resources: Resources
    forced: str | None = None
    watch: Rounds = unwatched

    def run(self, trial: Trial) -> Outcome:
        started = time.process_time()
        data = self.corpora.of(trial, self.plan.folds)
        model, chosen, rounds = self._train(trial, data)
        judged = data.judged or {"dev": data.dev}
        scores, counts, reports, curves, forced = {}, {}, {}, {}, {}
        for name, documents in judged.items():
            scored = self.task.scored(documents, model)
            layers = self.task.decide(scored)
            counts[name] = self.task.counts(documents, layers)
            scores[name] = values(self.task, documents, counts[name])
            reports[name] = shares(self.task.evaluate(documents, layers, scored))
            curves[name] = points(self.task.curve(scored), model.bias)
            if self.forced is not None and isinstance(self.task, ForcesDecisions):
                forced[name] = self.task.forced_decisions(scored, self.forced)
        return Outcome(
            trial=trial,
            chosen=chosen,
            suited=model.chosen,
            scores=scores,
            counts=counts,
            reports=reports,
            curves=curves,
            forced=forced,
            rounds=rounds,
            notes=model.notes,
            bias=model.bias,
            seconds=time.process_time() - started,
        )

    def _train(self, trial: Trial, data: Corpora) -> tuple[AnyModel, Combination, tuple[Mapping[str, Any], ...]]:
        info = self.task.learner(trial.learner, trial.preset)
        texts = [*self.plan.settings, *trial.changes]
        settings = told(info.settings, texts, trial.seed)
        grid = info.grid if self.plan.tunes else {}
        # Settings that vary or are set by hand are not chosen by the grid search.
        fixed = frozenset(map(name_of, texts))
        tried = [
            (changes, told(settings, changes, trial.seed))
            for changes in combinations({name: tries for name, tries in grid.items() if name not in fixed})
        ]
        learn = (data.train, data.dev)
        if len(tried) == 1:
            chosen: Combination = ()
            if not self.plan.final:
                model, rounds = trained(self.task, learn, trial.learner, settings, self.resources, self.watch, fixed)
                return model, chosen, rounds
        else:
            if not data.dev:
                raise InputError("settings are chosen on dev: give documents for it")
            best = best_of(attempts(self.task, trial.learner, tried, learn, self.resources, self.watch, fixed))
            chosen, settings = best.changes, dict(tried)[best.changes]
            fixed |= frozenset(map(name_of, chosen))
            if not self.plan.final:
                return best.judged.model, chosen, best.judged.rounds
        model, rounds = final(self.task, learn, trial.learner, settings, self.resources, self.watch, fixed)
        return model, chosen, rounds


def final(
    task: AnyTask,
    data: tuple[Sequence[Document], Sequence[Document]],
    learner: str,
    settings: Settings,
    resources: Resources,
    watch: Rounds = unwatched,
    fixed: Collection[str] = (),
) -> tuple[AnyModel, tuple[Mapping[str, Any], ...]]:
    """Train the chosen settings on train and dev together. There is no dev left, so learners that stop on dev hold out
    a part of their documents, and the bias is chosen as the learner does without dev."""
    train, dev = data
    return trained(task, ([*train, *dev], ()), learner, settings, resources, watch, fixed)


def values(task: AnyTask, gold: Sequence[Document], counts: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Every score that the task can test on this gold, of all documents together."""
    return {
        name: float(statistic(as_counts(counts, columns).sum(axis=0)))
        for name, (columns, statistic) in task.judged(gold).items()
    }


def shares(report: Mapping[str, Any], before: str = "") -> dict[str, float]:
    """The shares of a report by their path; other numbers (beta, a largest gap) must not appear as percentages."""
    found: dict[str, float] = {}
    for name, value in report.items():
        if isinstance(value, Mapping):
            found.update(shares(value, f"{before}{name} "))
        elif isinstance(value, float) and not isinstance(value, Plain):
            found[f"{before}{name}"] = value
    return found


def points(curve: Curve, bias: float) -> dict[str, list[float]]:
    """A curve for the figure: at most POINTS points, including the best and the chosen one."""
    kept = thin(curve, [curve.best_index(), curve.index_at(bias)], POINTS)
    finite = curve.bias[np.isfinite(curve.bias)]
    low = float(finite[0]) - 1.0 if len(finite) else 0.0
    at = np.where(np.isfinite(curve.bias), curve.bias, low)[kept]
    columns = {
        "bias": at,
        "precision": curve.precision[kept],
        "recall": curve.recall[kept],
        "f1": curve.f()[kept],
        "made": curve.predicted[kept] / max(1, curve.gold),
    }
    return {name: [round(float(value), 6) for value in column] for name, column in columns.items()}
