"""Sums of regression trees: the result of boosting."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Array, Flags, Floats
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
_BLOCK: Final = 64
"""Number of rows that stay in cache while all trees process them."""


class Flat(NamedTuple):
    """The trees as they are walked down: all their nodes in a row, the root of tree i at roots[i]. Places are unsigned,
    because compiled code would ask of each signed one whether it counts from the end."""

    feature: NDArray[np.uint32]
    """0 at a leaf, where it tells nothing."""
    threshold: Floats
    missing_left: Flags
    child: NDArray[np.uint32]
    """Where a row goes from node i: to child[2 * i], or to the next if it is beyond the threshold. A leaf leads to
    itself."""
    is_leaf: Flags
    value: Floats
    roots: NDArray[np.uint32]


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
        result = np.full(len(features), self.start)
        highest = int(self._flat["feature"].max(initial=-1))
        if highest >= features.shape[1]:
            raise ValueError(f"the trees use feature {highest}, the rows have {features.shape[1]}")
        _add_scores(np.ascontiguousarray(features), self._walked, result)
        return result

    @cached_property
    def _walked(self) -> Flat:
        flat = self._flat
        roots, feature = flat["offsets"][:-1], flat["feature"]
        child = np.stack([flat["left"], flat["right"]], axis=1) + np.repeat(roots, np.diff(flat["offsets"]))[:, None]
        leaves = np.flatnonzero(feature < 0)
        child[leaves] = leaves[:, None]
        return Flat(
            feature=np.maximum(feature, 0).astype(np.uint32),
            threshold=flat["threshold"],
            missing_left=flat["missing_left"],
            child=child.astype(np.uint32).ravel(),
            is_leaf=feature < 0,
            value=flat["value"],
            roots=roots.astype(np.uint32),
        )

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
def _next(node: np.uint32, value: float, threshold: float, missing_left: bool) -> np.uint32:
    """Where to look up the child to which a row goes. A number, since the processor would foretell a branch wrongly
    every other time."""
    beyond = not ((value <= threshold) | ((value != value) & missing_left))
    return np.uint32(2) * node + np.uint32(beyond)


@kernel
def _add_scores(features: Array, trees: Flat, result: Floats) -> None:
    """Adds the trees to the results. Eight rows walk down side by side, since each step waits for the one before it."""
    feature, threshold, missing_left = trees.feature, trees.threshold, trees.missing_left
    child, is_leaf, value, roots = trees.child, trees.is_leaf, trees.value, trees.roots
    for begin in range(0, len(features), _BLOCK):
        end = min(begin + _BLOCK, len(features))
        last = end - (end - begin) % 8
        for root in roots:
            for i in range(begin, last, 8):
                a = b = c = d = e = f = g = h = root
                # A row that has come to a leaf stays there.
                while not (
                    is_leaf[a]
                    & is_leaf[b]
                    & is_leaf[c]
                    & is_leaf[d]
                    & is_leaf[e]
                    & is_leaf[f]
                    & is_leaf[g]
                    & is_leaf[h]
                ):
                    a = child[_next(a, features[i, feature[a]], threshold[a], missing_left[a])]
                    b = child[_next(b, features[i + 1, feature[b]], threshold[b], missing_left[b])]
                    c = child[_next(c, features[i + 2, feature[c]], threshold[c], missing_left[c])]
                    d = child[_next(d, features[i + 3, feature[d]], threshold[d], missing_left[d])]
                    e = child[_next(e, features[i + 4, feature[e]], threshold[e], missing_left[e])]
                    f = child[_next(f, features[i + 5, feature[f]], threshold[f], missing_left[f])]
                    g = child[_next(g, features[i + 6, feature[g]], threshold[g], missing_left[g])]
                    h = child[_next(h, features[i + 7, feature[h]], threshold[h], missing_left[h])]
                result[i] += value[a]
                result[i + 1] += value[b]
                result[i + 2] += value[c]
                result[i + 3] += value[d]
                result[i + 4] += value[e]
                result[i + 5] += value[f]
                result[i + 6] += value[g]
                result[i + 7] += value[h]
            for i in range(last, end):
                a = root
                while not is_leaf[a]:
                    a = child[_next(a, features[i, feature[a]], threshold[a], missing_left[a])]
                result[i] += value[a]
