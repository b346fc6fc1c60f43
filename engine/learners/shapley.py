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

from engine.learners.trees import Forest, Tree

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
    for leaf in range(len(feature)):
        if feature[leaf] >= 0:
            continue
        for row in range(len(features)):
            d = 0
            node = leaf
            while parents[node] >= 0:
                parent = parents[node]
                j = feature[parent]
                x = features[row, j]
                goes_left = x <= threshold[parent] or (missing_left[parent] and np.isnan(x))
                here = 1.0 if goes_left == (left[parent] == node) else 0.0
                part = n[node] / n[parent]
                known = 0
                while known < d and players[known] != j:
                    known += 1
                if known == d:
                    players[d], follows[d], share[d] = j, here, part
                    d += 1
                else:
                    follows[known] *= here
                    share[known] *= part
                node = parent
            average = value[leaf]
            for k in range(d):
                average *= share[k]
            result[row, -1] += average
            for i in range(d):
                result[row, players[i]] += value[leaf] * (follows[i] - share[i]) * _weighted_sum(follows, share, d, i)


@njit(cache=True, nogil=True)
def _weighted_sum(follows, share, d, left_out):  # type: ignore[no-untyped-def]
    """sum_k w_k e_k over the players other than `left_out`."""
    coefficients = np.zeros(d)
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
