"""Boosting of yes-or-no questions: trees whose sum is the log-odds of yes (Friedman 2001, section 4.5)."""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.arrays import Bytes, Flags, ShortInts
from engine.learners.trees.additive import Shrinkage, boost_once
from engine.learners.trees.bins import Bins
from engine.learners.trees.forest import Forest
from engine.learners.trees.regression import Growth, Target, Tree

_TREES: Final = 80
_COLUMNS: Final = 0.3
"""Share of the columns that each tree may look at."""
_GROWTH: Final = Growth(max_depth=3, min_leaf=10, l2=1.0)
_SHRINKAGE: Final = Shrinkage(0.15)


class _Answers:
    """Log-odds of yes so far, one per row."""

    def __init__(self, codes: Bytes, labels: Flags, start: float, seed: int) -> None:
        self._codes, self._labels = codes, labels
        self._rng = np.random.default_rng(seed)
        self._scores = np.full(len(labels), start)
        self._n_drawn = max(1, round(_COLUMNS * codes.shape[1]))
        self.trees: list[Tree] = []

    def target(self) -> Target:
        p = 1.0 / (1.0 + np.exp(-self._scores))
        columns = self._rng.choice(self._codes.shape[1], self._n_drawn, replace=False)
        return Target(self._codes, self._labels - p, hessians=p * (1 - p), columns=columns)

    def add(self, tree: Tree, leaf: ShortInts) -> None:
        self._scores += tree.value[leaf]
        self.trees.append(tree)


def boost_binary(codes: Bytes, labels: Flags, bins: Bins, *, seed: int = 0) -> Forest:
    """Log-odds of yes; with one answer only, a constant that leans to it as far as the number of rows allows."""
    yes = float(labels.sum()) + 0.5
    start = float(np.log(yes / (len(labels) - labels.sum() + 0.5)))
    answers = _Answers(codes, labels, start, seed)
    if labels.any() and not labels.all():
        for _ in range(_TREES):
            boost_once(answers, bins, _GROWTH, _SHRINKAGE)
    return Forest(tuple(answers.trees), start)
