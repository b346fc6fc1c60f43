"""Shapley values of trees against the definition: all orders in which features may become known."""

from itertools import combinations
from math import factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.learners.trees.forest import Bins, Forest, fit_tree
from engine.learners.trees.shapley import shapley_values


def expectation(tree, row, known, node=0):
    """Average prediction when only `known` features may be looked at."""
    j = tree.feature[node]
    if j < 0:
        return tree.value[node]
    left, right = tree.left[node], tree.right[node]
    if j in known:
        goes_left = row[j] <= tree.threshold[node] or (tree.missing_left[node] and np.isnan(row[j]))
        return expectation(tree, row, known, left if goes_left else right)
    share = tree.n[left] / tree.n[node]
    return share * expectation(tree, row, known, left) + (1 - share) * expectation(tree, row, known, right)


def by_definition(tree, row):
    n = len(row)
    values = np.zeros(n)
    for i in range(n):
        others = [j for j in range(n) if j != i]
        for size in range(n):
            weight = factorial(size) * factorial(n - size - 1) / factorial(n)
            for known in combinations(others, size):
                values[i] += weight * (expectation(tree, row, {*known, i}) - expectation(tree, row, set(known)))
    return values


def random_forest(seed, n_trees, depth, n_features=4):
    rng = np.random.default_rng(seed)
    features = rng.integers(0, 4, size=(60, n_features)).astype(np.float32)
    features[rng.random(features.shape) < 0.1] = np.nan
    bins = Bins.fit(features)
    binned = bins.transform(features)
    trees = tuple(fit_tree(binned, rng.normal(size=60), bins=bins, max_depth=depth) for _ in range(n_trees))
    return Forest(trees, start=0.5), features


@settings(max_examples=20)
@given(st.integers(0, 10**6), st.integers(1, 4))
def test_values_equal_the_definition(seed, depth):
    forest, features = random_forest(seed, 1, depth)
    values = shapley_values(forest, features[:5])
    for row in range(5):
        assert values[row, :-1] == pytest.approx(by_definition(forest.trees[0], features[row]), abs=1e-9)


def test_values_and_the_average_sum_to_the_score():
    forest, features = random_forest(7, 5, 6)
    values = shapley_values(forest, features)
    assert values.sum(axis=1) == pytest.approx(forest.scores(features), abs=1e-9)
    assert np.ptp(values[:, -1]) < 1e-12  # the average does not depend on the row


def test_a_feature_that_no_tree_asks_gets_nothing():
    forest, features = random_forest(3, 3, 2)
    wider = np.hstack([features, np.ones((len(features), 1), np.float32)])
    assert np.all(shapley_values(forest, wider)[:, 4] == 0)
