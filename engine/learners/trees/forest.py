"""Sums of regression trees: the result of boosting."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from engine.arrays import Array, Flags, Floats, ShortInts
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
    """The trees as they are walked down: all their nodes in a row, the root of tree i at roots[i]."""

    feature: ShortInts
    """-1 at a leaf."""
    threshold: Floats
    missing_left: Flags
    child: ShortInts
    """[nodes, 2]: where a row goes that is not, or is, beyond the threshold. A leaf leads to itself."""
    value: Floats
    roots: ShortInts


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
        highest = int(self._walked.feature.max(initial=-1))
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
            feature=feature,
            threshold=flat["threshold"],
            missing_left=flat["missing_left"],
            child=child.astype(np.int32),
            value=flat["value"],
            roots=roots.astype(np.int32),
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
def _beyond(value: float, threshold: float, missing_left: bool) -> int:
    """0 or 1: which of a node's two children a row goes to. A number to look the child up with, since the processor
    would foretell a branch wrongly every other time."""
    return int(not ((value <= threshold) | ((value != value) & missing_left)))


@kernel
def _add_scores(features: Array, trees: Flat, result: Floats) -> None:
    """Adds the trees to the results. Four rows walk down side by side, since each step waits for the one before it."""
    feature, threshold, missing_left = trees.feature, trees.threshold, trees.missing_left
    child, value, roots = trees.child, trees.value, trees.roots
    for begin in range(0, len(features), _BLOCK):
        end = min(begin + _BLOCK, len(features))
        last = end - (end - begin) % 4
        for root in roots:
            for i in range(begin, last, 4):
                a = b = c = d = root
                of_a = of_b = of_c = of_d = feature[root]
                # Negative only where all four have come to a leaf; until then a leaf leads to itself.
                while of_a & of_b & of_c & of_d >= 0:
                    a = child[a, _beyond(features[i, max(of_a, 0)], threshold[a], missing_left[a])]
                    b = child[b, _beyond(features[i + 1, max(of_b, 0)], threshold[b], missing_left[b])]
                    c = child[c, _beyond(features[i + 2, max(of_c, 0)], threshold[c], missing_left[c])]
                    d = child[d, _beyond(features[i + 3, max(of_d, 0)], threshold[d], missing_left[d])]
                    of_a, of_b, of_c, of_d = feature[a], feature[b], feature[c], feature[d]
                result[i] += value[a]
                result[i + 1] += value[b]
                result[i + 2] += value[c]
                result[i + 3] += value[d]
            for i in range(last, end):
                a = root
                while feature[a] >= 0:
                    a = child[a, _beyond(features[i, feature[a]], threshold[a], missing_left[a])]
                result[i] += value[a]
