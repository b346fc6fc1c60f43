"""Settings that suit the amount of data: chosen by cross-validation on the training documents, before training.

A learner names the settings that depend on how much there is to learn from, and the values worth trying
(`LearnerInfo.choices`). Whoever trains asks `choose` first; the answer is part of the model, so that it can be seen.
Below LEAST documents the folds would tell nothing but noise, and above MOST the defaults hold, which were found there.
"""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Final, TypeVar

import numpy as np

from engine.data.document import Document
from engine.settings import ChoosingSettings, Settings
from engine.tasks.base import Resources, Task
from engine.tasks.scored import Scored

S = TypeVar("S", bound=Settings)
K = TypeVar("K")
D = TypeVar("D", bound=Scored)
T = TypeVar("T")

LEAST: Final = 200
MOST: Final = 1000
FOLDS: Final = 3

Watch = Callable[[str, int, int], None]
"""Told what is being chosen, and how many of how many trainings are done."""


def _unwatched(what: str, done: int, total: int) -> None:
    return None


@dataclass(frozen=True)
class Choice:
    """What cross-validation chose: values by name, and the mean score of all that were tried, best last."""

    values: Mapping[str, Any]
    tried: tuple[tuple[str, float], ...]
    documents: int

    @property
    def sentence(self) -> str:
        scores = ", ".join(f"{100 * score:.1f} with {words}" for words, score in self.tried)
        return (
            f"{_words(self.values)}, chosen by cross-validation on {self.documents} training documents"
            f" ({FOLDS} folds: {scores})"
        )


def choose(
    task: Task[S, K, D, T],
    train: Sequence[Document],
    learner: str,
    settings: S,
    resources: Resources,
    *,
    fixed: Collection[str] = (),
    watch: Watch = _unwatched,
) -> tuple[S, Choice | None]:
    """The settings to train with, and how they were chosen; the given ones and None where there is nothing to choose.

    Settings that are `fixed`, or differ from the learner's default, were chosen by whoever set them.
    """
    info = task.learner(learner)
    free = {
        name: values
        for name, values in info.choices.items()
        if name not in fixed and getattr(settings, name) == getattr(info.settings, name)
    }
    asked = isinstance(settings, ChoosingSettings) and settings.choose
    documents = task.learns_from(train, settings) if asked and free else []
    if not LEAST <= len(documents) <= MOST:
        return settings, None
    fold = np.random.default_rng(settings.seed).permutation(len(documents)) % FOLDS
    combinations = [dict(zip(free, values, strict=True)) for values in product(*free.values())]
    tried: list[tuple[dict[str, Any], float]] = []
    for values in combinations:
        scores = []
        for held in range(FOLDS):
            watch(_words(values), len(tried) * FOLDS + held, len(combinations) * FOLDS)
            inside = [document for document, at in zip(documents, fold, strict=True) if at != held]
            outside = [document for document, at in zip(documents, fold, strict=True) if at == held]
            scores.append(_judged(task, inside, outside, learner, dataclasses.replace(settings, **values), resources))
        tried.append((values, float(np.mean(scores))))
    # Of equal ones the first, which is the default.
    best, _ = max(tried, key=lambda one: one[1])
    ranked = sorted(((_words(values), score) for values, score in tried), key=lambda one: one[1])
    return dataclasses.replace(settings, **best), Choice(best, tuple(ranked), len(documents))


def _judged(
    task: Task[S, K, D, T],
    inside: Sequence[Document],
    outside: Sequence[Document],
    learner: str,
    settings: S,
    resources: Resources,
) -> float:
    """The main number of a model that was trained on some documents and judged on others."""
    (last,) = deque(task.rounds(inside, [], learner, settings, resources), maxlen=1)
    scored = task.score(outside, last.model)
    return task.main_number(task.evaluate(outside, task.decide(scored), scored))


def _words(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in values.items())
