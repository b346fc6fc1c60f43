"""Sums of regression trees: the result of boosting."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from engine.arrays import Array, Flags, Floats, Ints, ShortInts
from engine.kernels import inlined, kernel
from engine.learners.trees.bins import Bins
from engine.learners.trees.regression import FIELDS, Growth, Target, Tree, fit_tree, grow_tree

__all__ = ["Bins", "Forest", "Growth", "Target", "Tree", "fit_tree", "grow_tree"]

_EMPTY: Final[Mapping[str, Array]] = {
    "feature": np.zeros(0, np.int32),
    "threshold": np.zeros(0),
    "bin": np.zeros(0, np.uint8),
    "missing_left": np.zeros(0, np.bool_),
    "left": np.zeros(0, np.int32),
    "right": np.zeros(0, np.int32),
    "value": np.zeros(0),
    "n": np.zeros(0, np.int64),
}
_BLOCK: Final = 256
"""Number of rows that stay in cache while all trees process them."""


class Flat(NamedTuple):
    """Consecutive trees for raw rows; tree i has nodes offsets[i]:offsets[i + 1]."""

    feature: ShortInts
    threshold: Floats
    missing_left: Flags
    left: ShortInts
    right: ShortInts
    value: Floats
    offsets: Ints


@dataclass(frozen=True, eq=False)
class Forest:
    """A sum of trees and a constant. Its arrays are only built when they are needed."""

    trees: tuple[Tree, ...]
    start: float = 0.0

    def __len__(self) -> int:
        return len(self.trees)

    def with_trees(self, trees: tuple[Tree, ...]) -> Forest:
        """The same constant with other trees."""
        return Forest(trees, self.start)

    def scores(self, features: Array) -> Floats:
        """One score per row."""
        if features.ndim != 2:
            raise ValueError(f"features must be rows by columns, not of shape {features.shape}")
        flat = Flat(**{name: self._flat[name] for name in Flat._fields})
        result = np.full(len(features), self.start)
        highest = int(flat.feature.max(initial=-1))
        if highest >= features.shape[1]:
            raise ValueError(f"the trees use feature {highest}, the rows have {features.shape[1]}")
        _add_scores(np.ascontiguousarray(features), flat, result)
        return result

    @cached_property
    def _flat(self) -> dict[str, Array]:
        sizes = [len(tree.feature) for tree in self.trees]
        flat = {
            name: np.concatenate([empty, *(getattr(tree, name) for tree in self.trees)])
            for name, empty in _EMPTY.items()
        }
        flat["offsets"] = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
        return flat

    def to_parts(self) -> dict[str, Array]:
        """Arrays for a model file."""
        return {**self._flat, "start": np.array([self.start])}

    @staticmethod
    def from_parts(parts: Mapping[str, Array]) -> Forest:
        offsets = parts["offsets"]
        trees = tuple(
            Tree(**{name: parts[name][offsets[i] : offsets[i + 1]] for name in FIELDS}) for i in range(len(offsets) - 1)
        )
        return Forest(trees, float(parts["start"][0]))


@inlined
def _goes_left(value: float, threshold: float, missing_left: bool) -> bool:
    return value <= threshold or (missing_left and np.isnan(value))


@kernel
def _add_scores(features: Array, trees: Flat, result: Floats) -> None:
    feature, threshold, missing_left = trees.feature, trees.threshold, trees.missing_left
    left, right, value, offsets = trees.left, trees.right, trees.value, trees.offsets
    for begin in range(0, len(features), _BLOCK):
        end = min(begin + _BLOCK, len(features))
        for tree in range(len(offsets) - 1):
            root = offsets[tree]
            for i in range(begin, end):
                node = root
                while feature[node] >= 0:
                    if _goes_left(features[i, feature[node]], threshold[node], missing_left[node]):
                        node = root + left[node]
                    else:
                        node = root + right[node]
                result[i] += value[node]
