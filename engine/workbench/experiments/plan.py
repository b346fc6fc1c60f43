"""The plan of an experiment: its trainings, and the documents on which each is trained and evaluated."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engine.data.document import Document
from engine.data.errors import InputError
from engine.settings import Settings, with_values
from engine.tasks.base import AnyTask, LearnerInfo
from engine.tasks.presets import changes

HELD_OUT = "held out"
"""The name of the held-out documents of a fold."""


@dataclass(frozen=True)
class Trial:
    """One training: the learner under a preset, changed settings, the seed, and the part of the documents."""

    learner: str
    preset: str
    changes: tuple[str, ...]
    """`key=value`, as `--set` takes it: what distinguishes it from other trials of the learner."""
    seed: int
    share: float = 1.0
    fold: int | None = None

    @property
    def system(self) -> str:
        """Its name in tables: the same for all seeds, shares and folds."""
        preset = "" if self.preset == "default" else f" ({self.preset})"
        return " ".join([self.learner + preset, *self.changes])

    @property
    def key(self) -> str:
        """The name of its file."""
        words = [self.learner, self.preset, *self.changes, f"seed={self.seed}", f"share={self.share:g}"]
        return " ".join([*words, *([] if self.fold is None else [f"fold={self.fold}"])])


@dataclass(frozen=True)
class Plan:
    """What is compared. Settings and varied values apply to every learner that has them."""

    task: str
    learners: tuple[str, ...]
    presets: tuple[str, ...] = ("default",)
    settings: tuple[str, ...] = ()
    """`key=value` for all trials."""
    varied: tuple[tuple[str, ...], ...] = ()
    """Axes of `key=value`: every combination is a system of its own."""
    seeds: tuple[int, ...] = (0,)
    shares: tuple[float, ...] = (1.0,)
    folds: int = 0
    """Number of folds for cross-validation; 0: evaluation on the given corpora."""
    tunes: bool = False
    """Whether settings are chosen on dev over the paper's grids, per learner, preset and seed."""
    final: bool = False
    """Whether the chosen settings are trained again on train and dev together, as the papers do."""
    deviations: bool = False
    """Whether each setting in which `paper` differs is also tried alone, with all others as in `default`."""

    def trials(self, task: AnyTask) -> list[Trial]:
        """All trials, with seeds innermost, so that each system is completed early."""
        made = [
            Trial(learner, preset, changes, seed, share, fold)
            for preset in self.presets
            for learner in self.learners
            for changes in [*self._changes(task.learner(learner)), *self._deviations(task.learner(learner), preset)]
            for share in self.shares
            for fold in (range(self.folds) if self.folds else (None,))
            for seed in self.seeds
        ]
        return list(dict.fromkeys(made))

    def _changes(self, info: LearnerInfo[Any]) -> list[tuple[str, ...]]:
        """The combinations of varied values that apply to this learner."""
        own = [[text for text in axis if has(info.settings, text)] for axis in self.varied]
        return [tuple(chosen) for chosen in itertools.product(*(axis for axis in own if axis))]

    def _deviations(self, info: LearnerInfo[Any], preset: str) -> list[tuple[str, ...]]:
        """Each setting in turn as in the paper, with the rest as by default."""
        if not self.deviations or preset != "default":
            return []
        return deviations(info)


@dataclass(frozen=True, eq=False)
class Corpora:
    """Documents for training, for choosing settings, and for evaluation by name."""

    train: Sequence[Document]
    dev: Sequence[Document] = ()
    judged: Mapping[str, Sequence[Document]] = field(default_factory=dict)

    def of(self, trial: Trial, folds: int) -> Corpora:
        """The documents on which this trial is trained and evaluated. Shares and folds are the same for all
        learners."""
        if trial.fold is not None:
            fold = folds_of(self.train, folds)
            inside = [document for document, own in zip(self.train, fold, strict=True) if own == trial.fold]
            outside = [document for document, own in zip(self.train, fold, strict=True) if own != trial.fold]
            return Corpora(outside, (), {HELD_OUT: inside})
        if trial.share == 1.0:
            return self
        rng = np.random.default_rng([trial.seed, round(1e6 * trial.share)])
        n = max(1, round(trial.share * len(self.train)))
        picked = sorted(rng.choice(len(self.train), n, replace=False).tolist())
        return Corpora([self.train[i] for i in picked], self.dev, self.judged)


def folds_of(documents: Sequence[Document], n: int, seed: int = 0) -> list[int]:
    """A fold for every document. Equal texts share a fold; otherwise a copy of a test document would be in training."""
    texts: dict[str, int] = {}
    group = [texts.setdefault(document.text or document.id, len(texts)) for document in documents]
    if n > len(texts):
        raise InputError(f"there are {len(texts)} different documents, which make no {n} folds")
    dealt = np.random.default_rng(seed).permutation(len(texts)) % n
    return [int(dealt[own]) for own in group]


def deviations(info: LearnerInfo[Any]) -> list[tuple[str, ...]]:
    """Each setting in which the paper differs from the default; if a learner refuses it alone, together with as few
    other settings of the paper as it needs."""
    texts = [f"{one.name}={one.value}" for one in changes(info.settings, info.preset("paper"))]
    found = []
    for text in texts:
        others = [other for other in texts if other != text]
        needed = (more for n in range(len(texts)) for more in itertools.combinations(others, n))
        found.append(next((*more, text) for more in needed if _is_taken(info.settings, (*more, text))))
    return found


def _is_taken(settings: Settings, texts: Sequence[str]) -> bool:
    try:
        told(settings, texts, 0)
    except InputError:
        return False
    return True


def has(settings: Settings, text: str) -> bool:
    """Whether a learner has the setting that a `key=value` names."""
    return hasattr(settings, text.partition("=")[0].strip())


def told(settings: Settings, texts: Sequence[str], seed: int) -> Settings:
    """The settings with the seed and those `key=value` texts that the learner has."""
    values: dict[str, str] = {"seed": str(seed)}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise InputError(f"a setting is given as KEY=VALUE, not as {text!r}")
        if has(settings, text):
            values[name.strip()] = value.strip()
    try:
        return with_values(settings, values)
    except ValueError as error:
        raise InputError(str(error)) from error
