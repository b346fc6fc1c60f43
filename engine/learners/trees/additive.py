"""The step of all boosting here: a tree for the negative gradient of a loss, shrunk, and added (Friedman 2001).

What is boosted, scores of parts, yes-or-no answers, or the factors that a search visits, is an `Additive`: it says
where the loss falls, and takes a tree on top of what it has.
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
    """A sum of trees under way."""

    def target(self) -> Target:
        """The negative gradient at the present sum, and what the next tree may look at."""
        ...

    def add(self, tree: Tree, leaf: ShortInts) -> None:
        """Put a tree on top; `leaf` is where each row of the target ended."""
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
    """One tree more."""
    tree, leaf = grow(sum_of_trees.target(), bins, growth)
    sum_of_trees.add(tree.scaled(shrinkage.rate, shrinkage.longest), leaf)
