"""What a learner is given, and what it gives back.

A learner is a frozen dataclass of settings. `rounds` yields one `Round` after another, each with a scorer that
could be used as it is: the caller draws them, stops by leaving the loop, and keeps the last.
Learning knows no documents: only structures, rows of features, and flags.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.structures.base import Declining, Mask, Parts, Scores, Structure, restrict

FeatureMatrix: TypeAlias = NDArray[np.float32]
"""One row of named features per part."""

S = TypeVar("S", bound=Structure)


@dataclass(frozen=True, eq=False)
class Instance(Generic[S]):
    """One document to learn from.

    `consistent` marks the parts that the annotation allows; where several outputs are consistent the right one
    is latent. `cost` is the price of switching a part on, so that loss = constant + cost of the parts that are on.
    """

    structure: S
    features: FeatureMatrix
    consistent: Mask
    cost: Scores


class Scorer(Protocol):
    """Features in, one score per row out."""

    def scores(self, features: FeatureMatrix) -> Scores: ...


@dataclass(frozen=True, eq=False)
class Round:
    """The state of training after one pass: what it cost, how it does on dev, and the scorer it has."""

    index: int
    objective: float
    scorer: Any
    scores: Mapping[str, float] = field(default_factory=dict)


class Learner(Protocol[S]):
    def rounds(self, instances: Sequence[Instance[S]]) -> Iterator[Round]: ...


def fit(learner: Learner[S], instances: Sequence[Instance[S]]) -> Any:
    """The last round's scorer."""
    last = deque(learner.rounds(instances), maxlen=1)
    if not last:
        raise ValueError("the learner made no round")
    return last[0].scorer


def complete(instance: Instance[S], scores: Scores) -> Parts:
    """Best output that agrees with the annotation."""
    if isinstance(instance.structure, Declining):
        return instance.structure.completion(scores, instance.consistent)
    return instance.structure.argmax(restrict(scores, instance.consistent))


def worst(instance: Instance[S], scores: Scores) -> Parts:
    """Best output when every part is raised by its cost: the one that violates the margin most."""
    return instance.structure.argmax(scores + instance.cost)


def contrast(instance: Instance[S], good: Parts, bad: Parts) -> NDArray[np.float64]:
    """Features of the good output minus features of the bad one."""
    rows = instance.features
    return rows[good].sum(axis=0, dtype=np.float64) - rows[bad].sum(axis=0, dtype=np.float64)
