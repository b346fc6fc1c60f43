"""One step of boosting, shared by all boosters: fit a tree to the negative gradient, shrink it, add it (Friedman 2001).

The thing being boosted (scores of parts, yes-or-no answers, or the factors that a search visits) is an `Additive`: it
provides the negative gradient, and adds the new tree to its sum.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from engine.arrays import ShortInts
from engine.learners.trees.bins import Bins
from engine.learners.trees.regression import Growth, Target, Tree, grow_tree


class Additive(Protocol):
    """A sum of trees being built."""

    def target(self) -> Target:
        """The negative gradient at the current sum, and the rows and columns that the next tree may use."""
        ...

    def add(self, tree: Tree, leaf: ShortInts) -> None:
        """Add a tree; `leaf` is the leaf of each row of the target."""
        ...


Grower: TypeAlias = Callable[[Target, Bins, Growth], tuple[Tree, ShortInts]]


@dataclass(frozen=True)
class Shrinkage:
    """How much of each tree is added, and the longest step of a leaf before that."""

    rate: float
    longest: float = math.inf


def boost_once(
    sum_of_trees: Additive, bins: Bins, growth: Growth, shrinkage: Shrinkage, grow: Grower = grow_tree
) -> None:
    """Fit and add one tree."""
    tree, leaf = grow(sum_of_trees.target(), bins, growth)
    sum_of_trees.add(tree.scaled(shrinkage.rate, shrinkage.longest), leaf)
