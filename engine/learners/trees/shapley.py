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

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from engine.learners.trees.forest import Forest, Tree

Floats = NDArray[np.float64]


def shapley_values(forest: Forest, features: NDArray[Any]) -> Floats:
    """What each feature adds to each score, [rows, features + 1]; the last column is the average prediction.

    Rows sum to the scores.
    """
    features = np.ascontiguousarray(features)
    result = np.zeros((len(features), features.shape[1] + 1))
    result[:, -1] = forest.start
    for tree in forest.trees:
        _add_tree(
            features,
            tree.feature,
            tree.threshold,
            tree.missing_left,
            tree.left,
            _parents(tree),
            tree.value,
            tree.n,
            result,
        )
    return result


def _parents(tree: Tree) -> NDArray[np.int32]:
    parents = np.full(len(tree.feature), -1, dtype=np.int32)
    inner = np.flatnonzero(tree.feature >= 0)
    parents[tree.left[inner]] = inner
    parents[tree.right[inner]] = inner
    return parents


@njit(cache=True, nogil=True)
def _add_tree(  # type: ignore[no-untyped-def]
    features, feature, threshold, missing_left, left, parents, value, n, result
):
    depth = 64  # grow_tree makes none deeper
    players = np.empty(depth, np.int64)
    follows = np.empty(depth)
    share = np.empty(depth)
    coefficients = np.empty(depth)
    # Rows that agree on which features point to the leaf get the same shares of it.
    patterns = np.empty(len(features), np.uint64)
    for leaf in range(len(feature)):
        if feature[leaf] >= 0:
            continue
        d = 0
        node = leaf
        patterns[:] = np.uint64(0)  # bit k: the row leaves the way to the leaf at feature players[k]
        average = value[leaf]
        while parents[node] >= 0:
            parent = parents[node]
            j = feature[parent]
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
            bit = np.uint64(1) << np.uint64(known)
            goes_on_left = left[parent] == node
            for row in range(len(features)):
                x = features[row, j]
                goes_left = x <= threshold[parent] or (missing_left[parent] and np.isnan(x))
                if goes_left != goes_on_left:
                    patterns[row] |= bit
            node = parent
        for row in range(len(features)):
            result[row, -1] += average
        for row in range(len(features)):
            same = 0
            while patterns[same] != patterns[row]:
                same += 1
            if same < row:
                continue  # added with the first row of its pattern
            for k in range(d):
                follows[k] = 0.0 if (patterns[row] >> np.uint64(k)) & np.uint64(1) else 1.0
            for i in range(d):
                phi = value[leaf] * (follows[i] - share[i]) * _weighted_sum(follows, share, d, i, coefficients)
                for other in range(row, len(features)):
                    if patterns[other] == patterns[row]:
                        result[other, players[i]] += phi


@njit(cache=True, nogil=True)
def _weighted_sum(follows, share, d, left_out, coefficients):  # type: ignore[no-untyped-def]
    """sum_k w_k e_k over the players other than `left_out`; `coefficients` is room to work in."""
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
