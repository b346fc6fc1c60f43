"""Histogram regression trees, which all boosters here use.

A tree splits where the squared error falls most and predicts the mean of its targets, or, given second derivatives,
takes one Newton step per leaf (sum of residuals over sum of second derivatives; Friedman 2001, section 4.5).
Growing works on bins (see bins.py); the tree itself holds raw thresholds.
Sums in histograms are whole numbers (see histograms.py), so the order of summation cannot change a split.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from engine.arrays import Array, Bytes, Flags, Floats, Ints, ShortInts
from engine.kernels import kernel
from engine.learners.trees.bins import Bins
from engine.learners.trees.growing import Branches, Limits, grow, walk
from engine.learners.trees.histograms import Table

DEEPEST: Final = 62
"""Maximum number of splits from the root to a leaf, whatever the settings."""
FIELDS: Final = ("feature", "threshold", "bin", "missing_left", "left", "right", "value", "n")


@dataclass(frozen=True, eq=False)
class Tree:
    """Nodes in flat arrays; node 0 is the root, feature -1 marks a leaf, children follow their parents.

    A row goes left where its value is at most the threshold; a missing value where `missing_left` says.
    Inner nodes have values too: what they would predict if they were leaves.
    """

    feature: ShortInts
    threshold: Floats
    bin: Bytes
    missing_left: Flags
    left: ShortInts
    right: ShortInts
    value: Floats
    n: Ints

    @property
    def n_leaves(self) -> int:
        return int((self.feature < 0).sum())

    @property
    def branches(self) -> Branches:
        return Branches(self.feature, self.bin, self.missing_left, self.left, self.right)

    def leaves_binned(self, binned: Bytes) -> ShortInts:
        """The leaf that each row ends in."""
        return walk(binned, self.branches)

    def predict_binned(self, binned: Bytes) -> Floats:
        return self.value[self.leaves_binned(binned)]

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

    def scaled(self, factor: float, longest: float = math.inf) -> Tree:
        """The same splits with every value clipped to +-`longest` and multiplied by the factor."""
        return replace(self, value=factor * np.clip(self.value, -longest, longest))


@dataclass(frozen=True, eq=False)
class Target:
    """The input of growing one tree: codes of rows, and the value to fit for each.

    With second derivatives (`hessians`) leaves take Newton steps. `rows` and `columns` restrict what the tree is grown
    on. `by_column` is a transposed copy of the codes, worth making if many trees are grown on the same rows.
    """

    codes: Bytes
    values: Floats
    hessians: Floats | None = None
    rows: Array | None = None
    columns: Array | None = None
    by_column: Bytes | None = None


@dataclass(frozen=True)
class Growth:
    """How a tree grows: to a depth, a number of leaves (best first), or both. `l2` is added to every leaf's
    denominator."""

    max_depth: int | None = None
    max_leaves: int | None = None
    min_leaf: int = 1
    l2: float = 0.0

    def limits(self, n_rows: int) -> Limits:
        if self.max_depth is None and self.max_leaves is None:
            raise ValueError("a tree needs a largest depth or a largest number of leaves")
        depth = DEEPEST if self.max_depth is None else min(self.max_depth, DEEPEST)
        leaves = 2**depth if self.max_leaves is None else min(self.max_leaves, 2**depth)
        return Limits(max(min(n_rows, leaves), 1), depth, max(self.min_leaf, 1))


def fit_tree(
    binned: Bytes,
    targets: Floats,
    *,
    bins: Bins,
    max_depth: int | None = None,
    max_leaves: int | None = None,
    min_leaf: int = 1,
    columns: Sequence[int] | Array | None = None,
    rows: Array | None = None,
) -> Tree:
    """A tree for these targets. Give a depth, a number of leaves (grown best first), or both."""
    target = Target(binned, targets, rows=rows, columns=None if columns is None else np.asarray(columns))
    return grow_tree(target, bins, Growth(max_depth, max_leaves, min_leaf))[0]


def grow_tree(target: Target, bins: Bins, growth: Growth) -> tuple[Tree, ShortInts]:
    """The tree and the leaf of every row, including those that were not sampled."""
    codes = target.codes
    if codes.dtype != np.uint8 or codes.ndim != 2 or not codes.flags.c_contiguous:
        raise ValueError("binned features must be row-major bytes")
    n, n_features = codes.shape
    if len(target.values) != n:
        raise ValueError(f"{len(target.values)} targets for {n} rows")
    values = np.ascontiguousarray(target.values, dtype=np.float64)
    if n and not np.isfinite(values).all():
        raise ValueError("a target is infinite or not a number")
    limits = growth.limits(n)
    columns, rows = target.columns, target.rows
    used = np.arange(n_features) if columns is None else np.unique(np.asarray(columns, dtype=np.int64))
    sampled = np.arange(n, dtype=np.int32) if rows is None else np.sort(np.asarray(rows)).astype(np.int32)
    by_column = np.zeros((0, 0), np.uint8) if target.by_column is None else target.by_column
    branches, leaf = grow(Table(codes, by_column, used.astype(np.int32), bins.sizes), values, sampled, limits)
    if rows is not None:
        leaf = walk(codes, branches)
    hessians = np.zeros(0) if target.hessians is None else np.asarray(target.hessians, dtype=np.float64)
    top, bottom, count = _node_sums(leaf, sampled, values, hessians, branches.left, branches.right)
    bottom = bottom + growth.l2
    value = np.divide(top, bottom, out=np.zeros_like(top), where=bottom > 1e-12)
    inner = branches.feature >= 0
    threshold = np.zeros(len(branches.feature))
    threshold[inner] = bins.edges[bins.offsets[branches.feature[inner]] + branches.split[inner]]
    feature, split, missing_left, left, right = branches
    return Tree(feature, threshold, split, missing_left, left, right, value, count), leaf


@kernel
def _node_sums(
    leaf: ShortInts, rows: ShortInts, targets: Floats, hessians: Floats, left: ShortInts, right: ShortInts
) -> tuple[Floats, Floats, Ints]:
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
