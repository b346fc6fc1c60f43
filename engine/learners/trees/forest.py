"""Histogram regression trees: the one tree that all boosting here uses, and sums of many.

A tree splits where the squared error falls most and predicts the mean of its targets, or, given second derivatives,
takes one Newton step per leaf (sum of residuals over sum of second derivatives; Friedman 2001, section 4.5).
Growing works on bins (see bins.py); the tree itself holds raw thresholds.
Sums in histograms are whole numbers (see growing.py), so the order of summation cannot change a split.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from engine.learners.trees.bins import Bins, Codes
from engine.learners.trees.growing import grow, walk

__all__ = ["Bins", "Forest", "Tree", "fit_tree", "grow_tree"]

Floats = NDArray[np.float64]
Ids = NDArray[np.int32]

_FIELDS = ("feature", "threshold", "bin", "missing_left", "left", "right", "value", "n")


@dataclass(frozen=True, eq=False)
class Tree:
    """Nodes in flat arrays; node 0 is the root, feature -1 marks a leaf, children follow their parents.

    A row goes left where its value is at most the threshold; a missing value where `missing_left` says.
    Inner nodes have values too: what they would predict if they were leaves.
    """

    feature: Ids
    threshold: Floats
    bin: Codes
    missing_left: NDArray[np.bool_]
    left: Ids
    right: Ids
    value: Floats
    n: NDArray[np.int64]

    @property
    def n_leaves(self) -> int:
        return int((self.feature < 0).sum())

    def leaves_binned(self, binned: Codes) -> Ids:
        """The leaf that each row ends in."""
        return walk(binned, self.feature, self.bin, self.missing_left, self.left, self.right)

    def predict_binned(self, binned: Codes) -> Floats:
        return self.value[self.leaves_binned(binned)]

    def predict(self, features: NDArray[Any]) -> Floats:
        return Forest((self,)).scores(features)

    @staticmethod
    def asking(column: int, bins: Bins, bin: int, left: Tree, right: Tree) -> Tree:
        """A tree whose first split is given: rows with codes up to `bin` in the column go left, others right."""
        n = int(left.n[0] + right.n[0])
        mean = (left.value[0] * left.n[0] + right.value[0] * right.n[0]) / max(1, n)
        first = {
            "feature": column,
            "threshold": bins.edges[bins.offsets[column] + bin],
            "bin": bin,
            "missing_left": False,
            "left": 1,
            "right": 1 + len(left.feature),
            "value": mean,
            "n": n,
        }
        parts = {}
        for name, value in first.items():
            below = [getattr(tree, name) for tree in (left, right)]
            if name in ("left", "right"):
                # Children keep their distance; leaves have none.
                below = [np.where(ids < 0, ids, ids + by) for ids, by in zip(below, (1, first["right"]), strict=True)]
            parts[name] = np.concatenate([[value], *below]).astype(getattr(left, name).dtype)
        return Tree(**parts)

    def scaled(self, factor: float) -> Tree:
        """The same splits with every value multiplied."""
        kept = {name: getattr(self, name) for name in _FIELDS}
        return Tree(**{**kept, "value": self.value * factor})


def fit_tree(
    binned: Codes,
    targets: Floats,
    *,
    bins: Bins,
    max_depth: int | None = None,
    max_leaves: int | None = None,
    min_leaf: int = 1,
    columns: Sequence[int] | NDArray[Any] | None = None,
    rows: NDArray[Any] | None = None,
    hessians: Floats | None = None,
    l2: float = 0.0,
) -> Tree:
    """A tree for these targets. Give a depth, a number of leaves (grown best first), or both."""
    return grow_tree(
        binned,
        targets,
        bins=bins,
        max_depth=max_depth,
        max_leaves=max_leaves,
        min_leaf=min_leaf,
        columns=columns,
        rows=rows,
        hessians=hessians,
        l2=l2,
    )[0]


def grow_tree(
    binned: Codes,
    targets: Floats,
    *,
    bins: Bins,
    max_depth: int | None = None,
    max_leaves: int | None = None,
    min_leaf: int = 1,
    columns: Sequence[int] | NDArray[Any] | None = None,
    rows: NDArray[Any] | None = None,
    hessians: Floats | None = None,
    l2: float = 0.0,
    by_column: Codes | None = None,
) -> tuple[Tree, Ids]:
    """The tree and the leaf of every row, those that were not sampled included.

    `rows` and `columns` restrict what the tree is grown on; `l2` is added to every leaf's denominator.
    `by_column` is a transposed copy of `binned`: worth making once where many trees are grown on the same rows.
    """
    if max_depth is None and max_leaves is None:
        raise ValueError("a tree needs a largest depth or a largest number of leaves")
    if binned.dtype != np.uint8 or binned.ndim != 2 or not binned.flags.c_contiguous:
        raise ValueError("binned features must be row-major bytes")
    if len(targets) != len(binned):
        raise ValueError(f"{len(targets)} targets for {len(binned)} rows")
    n, n_features = binned.shape
    targets = np.ascontiguousarray(targets, dtype=np.float64)
    if n and not np.isfinite(targets).all():
        raise ValueError("a target is infinite or not a number")
    used = np.arange(n_features) if columns is None else np.unique(np.asarray(columns, dtype=np.int64))
    depth = 62 if max_depth is None else min(max_depth, 62)
    most = max(min(n, 2**depth if max_leaves is None else min(max_leaves, 2**depth)), 1)
    sampled = np.arange(n, dtype=np.int32) if rows is None else np.sort(np.asarray(rows)).astype(np.int32)
    feature, split_bin, missing_left, left, right, leaf = grow(
        binned,
        np.zeros((0, 0), np.uint8) if by_column is None else by_column,
        targets,
        sampled,
        used.astype(np.int32),
        bins.sizes,
        most,
        depth,
        max(min_leaf, 1),
    )
    if rows is not None:
        leaf = walk(binned, feature, split_bin, missing_left, left, right)
    value, count = _node_values(leaf, sampled, targets, hessians, left, right, l2)
    inner = feature >= 0
    threshold = np.zeros(len(feature))
    threshold[inner] = bins.edges[bins.offsets[feature[inner]] + split_bin[inner]]
    return Tree(feature, threshold, split_bin, missing_left, left, right, value, count), leaf


def _node_values(
    leaf: Ids, rows: Ids, targets: Floats, hessians: Floats | None, left: Ids, right: Ids, l2: float
) -> tuple[Floats, NDArray[np.int64]]:
    if hessians is None:
        hessians = np.zeros(0)
    top, bottom, count = _node_sums(leaf, rows, targets, np.asarray(hessians, dtype=np.float64), left, right)
    bottom = bottom + l2
    return np.divide(top, bottom, out=np.zeros_like(top), where=bottom > 1e-12), count


@njit(cache=True, nogil=True)
def _node_sums(leaf, rows, targets, hessians, left, right):  # type: ignore[no-untyped-def]
    """Per node: sum of targets, sum of second derivatives (or rows), number of rows."""
    n_nodes = len(left)
    top, bottom, count = np.zeros(n_nodes), np.zeros(n_nodes), np.zeros(n_nodes, np.int64)
    for row in rows:
        node = leaf[row]
        top[node] += targets[row]
        count[node] += 1
        if len(hessians):
            bottom[node] += hessians[row]
    for node in range(n_nodes - 1, -1, -1):
        if left[node] >= 0:
            top[node] = top[left[node]] + top[right[node]]
            bottom[node] = bottom[left[node]] + bottom[right[node]]
            count[node] = count[left[node]] + count[right[node]]
    if len(hessians):
        return top, bottom, count
    return top, count.astype(np.float64), count


@dataclass(frozen=True, eq=False)
class Forest:
    """A sum of trees and a constant: what boosting gives back. Building one is free; arrays are made when used."""

    trees: tuple[Tree, ...]
    start: float = 0.0

    def __len__(self) -> int:
        return len(self.trees)

    def scores(self, features: NDArray[Any]) -> Floats:
        """One score per row."""
        if features.ndim != 2:
            raise ValueError(f"features must be rows by columns, not of shape {features.shape}")
        flat = self._flat
        result = np.full(len(features), self.start)
        highest = int(flat["feature"].max(initial=-1))
        if highest >= features.shape[1]:
            raise ValueError(f"the trees use feature {highest}, the rows have {features.shape[1]}")
        _add_scores(
            np.ascontiguousarray(features),
            flat["feature"],
            flat["threshold"],
            flat["missing_left"],
            flat["left"],
            flat["right"],
            flat["value"],
            flat["offsets"],
            result,
        )
        return result

    @cached_property
    def _flat(self) -> dict[str, NDArray[Any]]:
        sizes = [len(tree.feature) for tree in self.trees]
        flat = {
            name: np.concatenate([empty, *(getattr(tree, name) for tree in self.trees)])
            for name, empty in _EMPTY.items()
        }
        flat["offsets"] = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
        return flat

    def to_parts(self) -> dict[str, NDArray[Any]]:
        """Arrays for a model file."""
        return {**self._flat, "start": np.array([self.start])}

    @staticmethod
    def from_parts(parts: Mapping[str, NDArray[Any]]) -> Forest:
        offsets = parts["offsets"]
        trees = tuple(
            Tree(**{name: parts[name][offsets[i] : offsets[i + 1]] for name in _FIELDS})
            for i in range(len(offsets) - 1)
        )
        return Forest(trees, float(parts["start"][0]))


_EMPTY = {
    "feature": np.zeros(0, np.int32),
    "threshold": np.zeros(0),
    "bin": np.zeros(0, np.uint8),
    "missing_left": np.zeros(0, np.bool_),
    "left": np.zeros(0, np.int32),
    "right": np.zeros(0, np.int32),
    "value": np.zeros(0),
    "n": np.zeros(0, np.int64),
}


@njit(cache=True, nogil=True)
def _goes_left(value, threshold, missing_left):  # type: ignore[no-untyped-def]
    return value <= threshold or (missing_left and np.isnan(value))


@njit(cache=True, nogil=True)
def _add_scores(  # type: ignore[no-untyped-def]
    features, feature, threshold, missing_left, left, right, value, offsets, result
):
    # Blocks of rows, so that they stay in cache while all trees pass over them.
    block = 256
    for begin in range(0, len(features), block):
        end = min(begin + block, len(features))
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
