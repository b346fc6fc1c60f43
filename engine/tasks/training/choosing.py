"""Chooses settings that suit the amount of data, by cross-validation on the training documents, before training.

A learner names the settings that depend on the amount of data, and the values worth trying (`LearnerInfo.choices`).
Callers run `choose` before training; the model records the result. With fewer than LEAST documents the folds would show
only noise, and with more than MOST the defaults apply, which were found on corpora of that size.
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
"""Called with what is being chosen, the number of trainings done, and their total."""


def _unwatched(what: str, done: int, total: int) -> None:
    return None


@dataclass(frozen=True)
class Choice:
    """What cross-validation chose: the values by name, and the mean scores of all values tried, best last."""

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
    """The settings to train with, and how they were chosen; the given settings and None if there is nothing to choose.

    Settings that are `fixed`, or that differ from the learner's default, were set on purpose and are kept.
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
    # Among equals, the first: the default.
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
    """The main score of a model trained on some documents and evaluated on others."""
    (last,) = deque(task.rounds(inside, [], learner, settings, resources), maxlen=1)
    scored = task.score(outside, last.model)
    return task.main_number(task.evaluate(outside, task.decide(scored), scored))


def _words(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in values.items())
