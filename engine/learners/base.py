"""The interface of learners: what they are trained on, and what they return.

A learner is a frozen dataclass: its settings, or its settings together with other inputs (a policy, templates).
`rounds` yields one `Round` after another, each with a usable scorer: the caller iterates, stops by leaving the loop,
and keeps the last one. A round can be saved, and training resumed from it later. Learners know nothing about documents.

There are two families. Learners on structures see parts with features, and flags of the parts that the annotation
allows: instances of a structure (perceptron, margins, boosting, ranking), bags (CCCP, MultiR), or rows with one class
each (Winnow, logistic regression). Learners that search see choices that depend on earlier ones (SGTB), or mentions
that join clusters (LaSO); the items they score are created during the search.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeAlias, TypeVar

import numpy as np

from engine.arrays import Array, Flags, Floats, Singles
from engine.structures.base import Declining, Mask, Parts, Scores, Structure, restrict
from engine.workers.crews import ALONE, Crew

FeatureMatrix: TypeAlias = Singles
"""One row of named features per part."""
Saved: TypeAlias = Mapping[str, Array]
"""The state of a training after a round, as arrays."""

S_co = TypeVar("S_co", bound=Structure, covariant=True)
D = TypeVar("D")
D_contra = TypeVar("D_contra", contravariant=True)
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)


@dataclass(frozen=True, eq=False)
class Instance(Generic[S_co]):
    """One document to learn from.

    `consistent` marks the parts that the annotation allows; where several outputs are consistent the right one
    is latent. `cost` is the price of switching a part on, so that loss = constant + cost of the parts that are on.
    """

    structure: S_co
    features: FeatureMatrix
    consistent: Mask
    cost: Scores
    shared: Flags | None = None
    """The columns that have the same value for all alternatives of a mention, and so for declining it; None if
    unknown."""


class Scorer(Protocol):
    """Features in, one score per row out."""

    def scores(self, features: FeatureMatrix) -> Scores: ...


def _not_saved() -> Saved:
    raise ValueError("this round was not made by a training that can be resumed")


@dataclass(frozen=True, eq=False)
class Round(Generic[R_co]):
    """The state of training after one pass: the objective, scores on dev, and the scorer."""

    index: int
    objective: float
    scorer: R_co
    scores: Mapping[str, float] = field(default_factory=dict)
    is_last: bool = False
    """Whether training ends with this round."""
    unsolved: str = ""
    """If training ends before it has solved its problem: a sentence on what is missing and which setting helps."""
    to_parts: Callable[[], Saved] = field(default=_not_saved, repr=False)
    """Returns the state from which `rounds(instances, resume=...)` continues; must be called before the next round."""


class Learner(Protocol[D_contra, R_co]):
    """Settings that can be trained with."""

    def rounds(self, instances: Sequence[D_contra], *, resume: Saved | None = None) -> Iterator[Round[R_co]]:
        """Train from the beginning or from a saved round. Resuming gives the same result to the last bit."""
        ...


class SharedLearner(Learner[D_contra, R_co], Protocol[D_contra, R_co]):
    """A learner each of whose rounds is a sum over documents: blocks of these may be kept by others."""

    def rounds(
        self, instances: Sequence[D_contra], *, resume: Saved | None = None, crew: Crew = ALONE
    ) -> Iterator[Round[R_co]]:
        """Train with this crew; the result is the same to the last bit for any crew."""
        ...


def fit(learner: Learner[D, R], instances: Sequence[D]) -> R:
    """The last round's scorer."""
    last = deque(learner.rounds(instances), maxlen=1)
    if not last:
        raise ValueError("the learner made no round")
    return last[0].scorer


def complete(instance: Instance[Structure], scores: Scores) -> Parts:
    """The best output that agrees with the annotation."""
    if isinstance(instance.structure, Declining):
        return instance.structure.completion(scores, instance.consistent)
    return instance.structure.argmax(restrict(scores, instance.consistent))


def worst(instance: Instance[Structure], scores: Scores) -> Parts:
    """The best output after raising the score of every part by its cost: the one that violates the margin most."""
    return instance.structure.argmax(scores + instance.cost)


def contrast(instance: Instance[Structure], good: Parts, bad: Parts) -> Floats:
    """Features of the good output minus features of the bad one."""
    rows = instance.features
    difference: Floats = rows[good].sum(axis=0, dtype=np.float64) - rows[bad].sum(axis=0, dtype=np.float64)
    return difference
