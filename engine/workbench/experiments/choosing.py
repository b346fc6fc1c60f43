"""Chooses settings on dev: trains every combination of a grid and keeps the best by the main score."""

from __future__ import annotations

import dataclasses
import itertools
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from engine.data.document import Document
from engine.data.errors import InputError
from engine.settings import Settings
from engine.tasks.base import AnyModel, AnyTask, Report, Resources
from engine.tasks.training.choosing import choose

Rounds: TypeAlias = Callable[[Iterable[Any]], Iterable[Any]]
"""Wraps the rounds of a training, to show progress."""

Combination: TypeAlias = tuple[str, ...]
"""`key=value` for every setting of a grid."""


@dataclass(frozen=True, eq=False)
class Judged:
    """A trained model and its report on the evaluation documents."""

    model: AnyModel
    report: Report
    rounds: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, eq=False)
class Tried:
    """A combination, its score on dev, and its model with its report."""

    changes: Combination
    score: float
    judged: Judged


def combinations(grid: Mapping[str, Sequence[str]]) -> list[Combination]:
    """Every choice of one value per setting; one empty choice if there is no grid."""
    axes = [[f"{name}={value}" for value in values] for name, values in grid.items()]
    return list(itertools.product(*axes))


def name_of(text: str) -> str:
    """The name of the setting in a `key=value` text."""
    return text.partition("=")[0].strip()


def unwatched(rounds: Iterable[Any]) -> Iterable[Any]:
    return rounds


def trained(
    task: AnyTask,
    data: tuple[Sequence[Document], Sequence[Document]],
    learner: str,
    settings: Settings,
    resources: Resources,
    watch: Rounds = unwatched,
    fixed: Collection[str] = (),
) -> tuple[AnyModel, tuple[Mapping[str, Any], ...]]:
    """The model of the last round on (train, dev), and the scores of every round. Settings that depend on the amount of
    data are chosen on train first, as in `train`, except `fixed` ones."""
    train, dev = data
    settings, choice = choose(task, train, learner, settings, resources, fixed=fixed)
    scores: list[Mapping[str, Any]] = []

    def noted(rounds: Iterable[Any]) -> Iterator[Any]:
        for one in rounds:
            scores.append({"round": one.index, "objective": one.objective, **one.scores})
            yield one

    last = deque(noted(watch(task.rounds(train, dev, learner, settings, resources))), maxlen=1)
    if not last:
        raise InputError("training made no round")
    model: AnyModel = last[0].model
    return (model if choice is None else dataclasses.replace(model, chosen=choice.sentence)), tuple(scores)


def judge(task: AnyTask, model: AnyModel, documents: Sequence[Document]) -> Report:
    """The scores of a model on documents with gold."""
    scored = task.scored(documents, model)
    return task.evaluate(documents, task.decide(scored), scored)


def attempts(
    task: AnyTask,
    learner: str,
    tried: Sequence[tuple[Combination, Settings]],
    data: tuple[Sequence[Document], Sequence[Document]],
    resources: Resources,
    watch: Rounds = unwatched,
    fixed: Collection[str] = (),
) -> Iterator[Tried]:
    """Every combination in turn, trained on train and evaluated on dev."""
    for changes, settings in tried:
        set_here = {*fixed, *map(name_of, changes)}
        model, rounds = trained(task, data, learner, settings, resources, watch, set_here)
        report = judge(task, model, data[1])
        yield Tried(changes, task.main_number(report), Judged(model, report, rounds))


def best_of(tried: Iterable[Tried]) -> Tried:
    """The one with the best score; among equals, the first."""
    found: Tried | None = None
    for one in tried:
        if found is None or one.score > found.score:
            found = one
    if found is None:
        raise InputError("there is no combination of settings to try")
    return found
