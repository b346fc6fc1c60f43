"""Exact Shapley values for sums of trees: how much each feature moved a score.

The game (Lundberg et al. 2020): v(S) is what the trees predict on average when only the features in S are known; at a
split on an unknown feature both sides are taken, in the share of training rows that went there. A tree is a sum over
leaves, and a leaf with features j on its path is a product game

    v(S) = value * prod_{j in S} o_j * prod_{j not in S} z_j

with o_j = 1 if the row follows all splits on j towards the leaf, and z_j the product of the training shares of these
splits. Hence phi_i = value * (o_i - z_i) * sum_k w_k e_k, where e_k is the coefficient of t^k in
prod_{j != i} (z_j + o_j t) and w_k = k! (d - k - 1)! / d!.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from engine.arrays import Array, Flags, Floats, Int, Ints, ShortInts, Words
from engine.kernels import inlined, kernel
from engine.learners.trees.forest import Forest

_DEEPEST: Final = 64
"""Trees are never deeper (see regression.py), and a pattern has one bit for each feature on the path to a leaf."""


class _Trees(NamedTuple):
    """Consecutive trees, as in `Forest.to_parts`; tree i has nodes offsets[i]:offsets[i + 1]."""

    feature: ShortInts
    threshold: Floats
    missing_left: Flags
    left: ShortInts
    right: ShortInts
    value: Floats
    n: Ints
    offsets: Ints


class _Tree(NamedTuple):
    """A tree that can be traversed from its leaves to its root."""

    feature: ShortInts
    threshold: Floats
    missing_left: Flags
    left: ShortInts
    parents: ShortInts
    value: Floats
    n: Ints


class _Way(NamedTuple):
    """The path to a leaf: its features, the share of training rows that each lets through, and for every row one bit
    for each feature at which it leaves the path."""

    players: Ints
    share: Floats
    patterns: Words


def shapley_values(forest: Forest, features: Array) -> Floats:
    """What each feature adds to each score, [rows, features + 1]; the last column is the average prediction.

    Rows sum to the scores.
    """
    features = np.ascontiguousarray(features)
    result = np.zeros((len(features), features.shape[1] + 1))
    result[:, -1] = forest.start
    parts = forest.to_parts()
    _add_forest(features, _Trees(**{name: parts[name] for name in _Trees._fields}), result)
    return result


@kernel
def _add_forest(features: Array, trees: _Trees, result: Floats) -> None:
    for i in range(len(trees.offsets) - 1):
        _add_tree(features, _upwards(trees, trees.offsets[i], trees.offsets[i + 1]), result)


@kernel
def _upwards(trees: _Trees, first: Int, last: Int) -> _Tree:
    """The tree of nodes [first, last), with the parent of every node."""
    feature, left, right = trees.feature[first:last], trees.left[first:last], trees.right[first:last]
    parents = np.full(last - first, -1, np.int32)
    for node in range(last - first):
        if feature[node] >= 0:
            parents[left[node]] = node
            parents[right[node]] = node
    threshold, missing_left = trees.threshold[first:last], trees.missing_left[first:last]
    return _Tree(feature, threshold, missing_left, left, parents, trees.value[first:last], trees.n[first:last])


@kernel
def _add_tree(features: Array, tree: _Tree, result: Floats) -> None:
    way = _Way(np.empty(_DEEPEST, np.int64), np.empty(_DEEPEST), np.empty(len(features), np.uint64))
    follows, coefficients = np.empty(_DEEPEST), np.empty(_DEEPEST)
    players, share, patterns = way.players, way.share, way.patterns
    feature, value = tree.feature, tree.value
    for leaf in range(len(feature)):
        if feature[leaf] >= 0:
            continue
        d, average = _climb(features, tree, leaf, way)
        for row in range(len(features)):
            result[row, -1] += average
        # Rows with the same pattern of features that lead to the leaf get the same shares of it.
        for row in range(len(features)):
            same = 0
            while patterns[same] != patterns[row]:
                same += 1
            if same < row:
                continue  # added with the first row of its pattern
            for k in range(d):
                follows[k] = 0.0 if (patterns[row] >> np.uint64(k)) & np.uint64(1) else 1.0
            for i in range(d):
                weighted = _weighted_sum(follows, share, d, i, coefficients)
                phi = value[leaf] * (follows[i] - share[i]) * weighted
                for other in range(row, len(features)):
                    if patterns[other] == patterns[row]:
                        result[other, players[i]] += phi


@inlined
def _climb(features: Array, tree: _Tree, leaf: Int, way: _Way) -> tuple[int, float]:
    """Fill in the path from a leaf to the root; returns its number of features, and what the leaf adds on average."""
    players, share, patterns = way.players, way.share, way.patterns
    parents, n = tree.parents, tree.n
    patterns[:] = np.uint64(0)
    average = tree.value[leaf]
    node, d = leaf, 0
    while parents[node] >= 0:
        parent = parents[node]
        j = tree.feature[parent]
        part = n[node] / n[parent]
        average *= part
        known = 0
        while known < d and players[known] != j:
            known += 1
        if known == d:
            players[d], share[d] = j, part
            d += 1
        else:
            share[known] *= part
        goes_on_left = tree.left[parent] == node
        _mark_leaving(features[:, j], tree.threshold[parent], tree.missing_left[parent], goes_on_left, known, patterns)
        node = parent
    return d, float(average)


@inlined
def _mark_leaving(
    column: Array, threshold: float, missing_left: bool, goes_on_left: bool, known: Int, patterns: Words
) -> None:
    """Mark the rows that take the other side at a split."""
    bit = np.uint64(1) << np.uint64(known)
    for row in range(len(column)):
        x = column[row]
        goes_left = x <= threshold or (missing_left and np.isnan(x))
        if goes_left != goes_on_left:
            patterns[row] |= bit


@kernel
def _weighted_sum(follows: Floats, share: Floats, d: Int, left_out: Int, coefficients: Floats) -> float:
    """sum_k w_k e_k over the players other than `left_out`; `coefficients` is working space."""
    coefficients[:d] = 0.0
    coefficients[0] = 1.0
    degree = 0
    for j in range(d):
        if j == left_out:
            continue
        for k in range(degree, -1, -1):
            coefficients[k + 1] += coefficients[k] * follows[j]
            coefficients[k] *= share[j]
        degree += 1
    # w_0 = 1 / d and w_{k+1} = w_k (k + 1) / (d - k - 1)
    weight = 1.0 / d
    total = 0.0
    for k in range(d):
        total += weight * coefficients[k]
        if k + 1 < d:
            weight *= (k + 1) / (d - k - 1)
    return total
