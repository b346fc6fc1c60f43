"""Boosting of binary decisions: trees whose sum is the log-odds of yes (Friedman 2001, section 4.5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from engine.arrays import Bytes, Flags, Floats, ShortInts
from engine.learners.base import FeatureMatrix, Round, Saved
from engine.learners.training import Training, prefixed, rng_from, rng_parts, under
from engine.learners.trees.additive import Shrinkage, boost_once
from engine.learners.trees.bins import Bins
from engine.learners.trees.forest import Forest
from engine.learners.trees.regression import Growth, Target, Tree
from engine.settings import Settings, setting

_MAX_BINS: Final = 254
"""Maximum number of bins of every feature."""


@dataclass(frozen=True, eq=False)
class Answered:
    """Rows of features, and flags of those whose answer is yes."""

    features: FeatureMatrix
    yes: Flags


@dataclass(frozen=True, kw_only=True)
class BinaryBoosting(Settings):
    """Trees for the log-odds of yes."""

    trees: int = setting(80, "Trees to grow.", low=1)
    depth: int = setting(3, "Questions from the root to a leaf at most.", low=1)
    rate: float = setting(0.15, "How much of each tree is added.", low=1e-4, high=1.0)
    min_leaf: int = setting(10, "The smallest number of training rows in a leaf.", low=1)
    l2: float = setting(1.0, "Added to the curvature of a leaf; pulls the values of small leaves towards 0.", low=0.0)
    column_share: float = setting(0.3, "Share of the features that each tree may use.", low=0.01, high=1.0)

    def rounds(self, instances: Sequence[Answered], *, resume: Saved | None = None) -> Iterator[Round[Forest]]:
        """One round per tree; its objective is the mean log loss of its scorer.

        If all answers are the same, there is one round without a tree: a constant that favours this answer as far as
        the number of rows warrants.
        """
        features = np.concatenate([instance.features for instance in instances])
        yes = np.concatenate([instance.yes for instance in instances])
        yield from _Boost(self, features, yes).rounds(self.trees, resume)


class _Boost(Training[Round[Forest]]):
    kind: ClassVar[str] = "binary boosting"

    def __init__(self, settings: BinaryBoosting, features: FeatureMatrix, yes: Flags) -> None:
        super().__init__()
        self._bins = Bins.fit(features, _MAX_BINS)
        self._growth = Growth(max_depth=settings.depth, min_leaf=settings.min_leaf, l2=settings.l2)
        self._shrinkage = Shrinkage(settings.rate)
        n_yes = int(yes.sum())
        self._start = float(np.log((n_yes + 0.5) / (len(yes) - n_yes + 0.5)))
        self._differ = 0 < n_yes < len(yes)
        self._odds = _LogOdds(self._bins.transform(features), yes, self._start, settings)

    @property
    def size(self) -> tuple[int, ...]:
        return self._odds.codes.shape

    def step(self) -> Round[Forest]:
        if self._differ:
            boost_once(self._odds, self._bins, self._growth, self._shrinkage)
        self.finished = not self._differ
        return Round(self.done, self._odds.loss, Forest(tuple(self._odds.trees), self._start))

    def save(self) -> Saved:
        return {
            "rng": rng_parts(self._odds.rng),
            "scores": self._odds.scores.copy(),
            **prefixed("forest_", Forest(tuple(self._odds.trees), self._start).to_parts()),
        }

    def restore(self, saved: Saved) -> None:
        self._odds.rng = rng_from(saved["rng"])
        self._odds.scores = saved["scores"].copy()
        self._odds.trees = list(Forest.from_parts(under("forest_", saved)).trees)


class _LogOdds:
    """The log-odds of yes so far, one per row, and the trees of which they are the sum."""

    def __init__(self, codes: Bytes, yes: Flags, start: float, settings: BinaryBoosting) -> None:
        self.codes, self._yes = codes, yes
        self.rng = np.random.default_rng(settings.seed)
        self.scores: Floats = np.full(len(yes), start)
        self._n_drawn = max(1, round(settings.column_share * codes.shape[1]))
        self.trees: list[Tree] = []

    @property
    def loss(self) -> float:
        towards_yes = np.where(self._yes, self.scores, -self.scores)
        return float(np.logaddexp(0.0, -towards_yes).mean()) if len(towards_yes) else 0.0

    def target(self) -> Target:
        p = 1.0 / (1.0 + np.exp(-self.scores))
        columns = self.rng.choice(self.codes.shape[1], self._n_drawn, replace=False)
        return Target(self.codes, self._yes - p, hessians=p * (1 - p), columns=columns)

    def add(self, tree: Tree, leaf: ShortInts) -> None:
        self.scores += tree.value[leaf]
        self.trees.append(tree)
