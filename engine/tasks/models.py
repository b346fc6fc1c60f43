"""What a training is given and what it makes: resources, learners, models and rounds. All systems share these types."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar

from engine.learners.base import Saved
from engine.settings import Settings
from engine.tasks.outside.brought import OutsideState
from engine.tasks.presets import preset_of

S = TypeVar("S", bound=Settings)
K = TypeVar("K")
"""What a trained model of the system has learnt."""


@dataclass(frozen=True)
class Resources:
    """Files and machinery that a task may use besides the corpus."""

    lexicon: tuple[Path, ...] = ()
    vectors: tuple[Path, ...] = ()
    gazetteers: tuple[Path, ...] = ()
    constraints: Path | None = None
    jobs: int = 1
    cluster: str | None = None


@dataclass(frozen=True)
class LearnerInfo(Generic[S]):
    """One way to train a system: its name, a sentence for the user, its settings with their defaults."""

    name: str
    title: str
    sentence: str
    settings: S
    grid: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Settings that the paper chooses on dev, with the values it tries; empty if it names none."""
    paper: Mapping[str, Any] = field(default_factory=dict)
    """Settings changed by the preset `paper`: the learner exactly as its paper describes it."""
    quick: Mapping[str, Any] = field(default_factory=dict)
    """Settings changed by the preset `quick`, for a first look."""
    choices: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """Settings that depend on the amount of data, and the values that cross-validation tries, the default first."""

    def preset(self, name: str) -> S:
        """The settings under a preset; InputError if there is no preset of this name."""
        preset = preset_of(name)
        changed = {"default": {}, "paper": self.paper, "quick": self.quick}[preset]
        return dataclasses.replace(self.settings, **changed)


@dataclass(frozen=True, eq=False)
class Model(Generic[S, K]):
    """A trained system, ready to score. `state` is what it has learnt; `bias` is the chosen operating point.

    A run of another program takes the place of a model: its state is then an `OutsideState` (`outside`)."""

    task: str
    learner: str
    settings: S
    state: K
    bias: float = 0.0
    scores: Mapping[str, Any] = field(default_factory=dict)
    data_hash: str = ""
    chosen: str = ""
    """Which settings cross-validation on the training documents chose, in words; empty if it chose none."""
    notes: tuple[str, ...] = ()
    """Warnings about its training for whoever uses it, such as that the optimisation stopped before it converged."""

    @property
    def outside(self) -> OutsideState | None:
        """What another program gave, in a run that was not trained here; None for a trained model."""
        return self.state if isinstance(self.state, OutsideState) else None

    def with_bias(self, bias: float) -> Model[S, K]:
        return dataclasses.replace(self, bias=bias)


@dataclass(frozen=True)
class TrainingRound(Generic[S, K]):
    """One round as the user sees it. `build` makes the model of this round, and only when it is asked for."""

    index: int
    total: int
    objective: float
    scores: Mapping[str, float]
    build: Callable[[], Model[S, K]]
    details: Mapping[str, Any] = field(default_factory=dict)
    to_parts: Callable[[], Saved] | None = None
    """Returns the state that `rounds(..., resume=...)` continues from; must be called before the next round is made.
    None if a stopped training cannot be resumed and starts again."""
    notes: tuple[str, ...] = ()
    """The `notes` of this round's model."""

    @cached_property
    def model(self) -> Model[S, K]:
        return dataclasses.replace(self.build(), notes=self.notes)
