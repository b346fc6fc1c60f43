"""The histogram tree against scikit-learn's, and the promises of bins and forests."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.tree import DecisionTreeRegressor

from engine.learners.trees.forest import Bins, Forest, Growth, Target, Tree, fit_tree, grow_tree
from engine.learners.trees.reading import column_tree


def few_valued(seed: int, n: int = 400, n_features: int = 6, levels: int = 40):
    """Features with few distinct values, so that bins lose nothing, and targets without ties."""
    rng = np.random.default_rng(seed)
    features = rng.integers(0, levels, (n, n_features)).astype(np.float32) / 3
    targets = np.sin(features[:, 0]) + features[:, 1] * (features[:, 2] > 6) + rng.normal(0, 0.3, n)
    return features, targets


def predicted(tree: Tree, features: np.ndarray) -> np.ndarray:
    return Forest((tree,)).scores(features)


def same_splits(tree, peer, features) -> bool:
    """Whether both trees send the rows the same way at every node, with equal values."""
    pairs = [(0, 0, np.ones(len(features), bool))]
    while pairs:
        own, other, rows = pairs.pop()
        if tree.n[own] != rows.sum() or not np.isclose(tree.value[own], peer.value[other, 0, 0], atol=1e-9):
            return False
        if (tree.feature[own] < 0) != (peer.children_left[other] < 0):
            return False
        if tree.feature[own] >= 0:
            left = rows & (features[:, tree.feature[own]] <= tree.threshold[own])
            peer_left = rows & (features[:, peer.feature[other]] <= peer.threshold[other])
            if (left != peer_left).any():
                return False
            pairs.append((tree.left[own], peer.children_left[other], left))
            pairs.append((tree.right[own], peer.children_right[other], rows & ~left))
    return True


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("limits", [{"max_depth": 4}, {"max_leaves": 9}, {"max_depth": 5, "max_leaves": 12}])
def test_splits_and_values_are_those_of_scikit_learn_where_bins_are_exact(seed, limits):
    features, targets = few_valued(seed)
    bins = Bins.fit(features)
    tree = fit_tree(bins.transform(features), targets, bins=bins, min_leaf=7, **limits)
    peer = DecisionTreeRegressor(
        max_depth=limits.get("max_depth"), max_leaf_nodes=limits.get("max_leaves"), min_samples_leaf=7, random_state=0
    ).fit(features, targets)
    assert same_splits(tree, peer.tree_, features)
    np.testing.assert_allclose(predicted(tree, features), peer.predict(features), atol=1e-9)


def test_a_tree_without_limits_on_leaves_learns_every_distinct_row():
    features, targets = few_valued(1, n=200)
    bins = Bins.fit(features)
    tree = fit_tree(bins.transform(features), targets, bins=bins, max_depth=60)
    np.testing.assert_allclose(predicted(tree, features), targets, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_raw_values_and_bins_end_in_the_same_leaf_whatever_the_values(dtype):
    rng = np.random.default_rng(2)
    features = rng.normal(size=(3000, 5)).astype(dtype)
    features[rng.random(features.shape) < 0.1] = np.nan
    features[rng.random(features.shape) < 0.02] = np.inf
    features[rng.random(features.shape) < 0.02] = -np.inf
    features[:, 4] = np.round(features[:, 4])
    targets = np.where(np.isnan(features[:, 0]), 2.0, 0.0) + (features[:, 1] > 0.3) + rng.normal(0, 0.1, 3000)
    bins = Bins.fit(features, 64)
    binned = bins.transform(features)
    transposed = np.ascontiguousarray(binned.T)
    tree, leaf = grow_tree(Target(binned, targets, by_column=transposed), bins, Growth(max_leaves=31, min_leaf=5))
    same = fit_tree(binned, targets, bins=bins, max_leaves=31, min_leaf=5)
    assert (tree.feature == same.feature).all() and (tree.value == same.value).all()
    assert tree.n_leaves == 31
    assert (tree.value[leaf] == tree.predict_binned(binned)).all()
    assert (tree.value[leaf] == predicted(tree, features)).all()


def test_missing_values_take_the_side_that_explains_the_targets():
    features = np.array([[np.nan], [np.nan], [1.0], [2.0], [3.0], [4.0]])
    bins = Bins.fit(features)
    for targets, missing_goes_left in (([0, 0, 0, 0, 9, 9], True), ([9, 9, 0, 0, 9, 9], False)):
        tree = fit_tree(bins.transform(features), np.array(targets, float), bins=bins, max_depth=1)
        assert bool(tree.missing_left[0]) is missing_goes_left
        np.testing.assert_array_equal(predicted(tree, features), targets)
    only = fit_tree(bins.transform(features), np.array([5.0, 5, 1, 1, 1, 1]), bins=bins, max_depth=1)
    np.testing.assert_array_equal(predicted(only, features), [5, 5, 1, 1, 1, 1])


def test_no_leaf_is_smaller_than_allowed_and_no_node_deeper():
    features, targets = few_valued(3)
    bins = Bins.fit(features)
    tree = fit_tree(bins.transform(features), targets, bins=bins, max_depth=5, min_leaf=20)
    assert tree.n[tree.feature < 0].min() >= 20
    depth = np.zeros(len(tree.feature), int)
    for node in np.flatnonzero(tree.feature >= 0):
        depth[[tree.left[node], tree.right[node]]] = depth[node] + 1
    assert depth.max() <= 5


def test_sampled_columns_and_rows_are_all_the_tree_sees():
    features, targets = few_valued(4)
    bins = Bins.fit(features)
    binned = bins.transform(features)
    rows = np.random.default_rng(0).choice(len(features), 150, replace=False)
    tree, leaf = grow_tree(Target(binned, targets, rows=rows, columns=np.array([1, 3, 4])), bins, Growth(max_depth=4))
    assert set(tree.feature[tree.feature >= 0]) <= {1, 3, 4}
    own = Bins.fit(features)
    alone = fit_tree(binned[np.sort(rows)], targets[np.sort(rows)], bins=own, max_depth=4, columns=[1, 3, 4])
    np.testing.assert_array_equal(tree.feature, alone.feature)
    np.testing.assert_allclose(tree.value, alone.value)
    assert (tree.value[leaf] == predicted(tree, features)).all()


def test_second_derivatives_make_each_leaf_a_newton_step():
    features, targets = few_valued(5)
    hessians = np.random.default_rng(5).random(len(targets)) + 0.1
    bins = Bins.fit(features)
    binned = bins.transform(features)
    tree, leaf = grow_tree(Target(binned, targets, hessians=hessians), bins, Growth(max_leaves=8, l2=0.5))
    for node in np.flatnonzero(tree.feature < 0):
        rows = leaf == node
        assert tree.value[node] == pytest.approx(targets[rows].sum() / (hessians[rows].sum() + 0.5))


def test_order_of_rows_changes_no_split():
    features, targets = few_valued(6, n=1000)
    targets = np.round(targets * 2) / 2
    order = np.random.default_rng(0).permutation(len(targets))
    bins = Bins.fit(features)
    one = fit_tree(bins.transform(features), targets, bins=bins, max_leaves=20)
    two = fit_tree(bins.transform(features[order]), targets[order], bins=bins, max_leaves=20)
    np.testing.assert_array_equal(one.feature, two.feature)
    np.testing.assert_array_equal(one.bin, two.bin)


def test_a_value_on_an_edge_belongs_to_the_bin_below_as_it_does_in_a_split():
    values = np.array([[-np.inf], [0.0], [np.nextafter(0.0, 1.0)], [3.0], [np.inf]])
    bins = Bins.fit(values)
    np.testing.assert_array_equal(bins.transform(values)[:, 0], np.arange(5))
    np.testing.assert_array_equal(bins.transform(bins.edges[:, None])[:, 0], np.arange(5))


def test_bins_of_many_values_hold_about_equal_counts():
    values = np.random.default_rng(0).exponential(size=(20000, 1))
    counts = np.bincount(Bins.fit(values, 50).transform(values)[:, 0])
    assert len(counts) == 50
    assert counts.max() < 1.2 * 20000 / 50


def test_forests_sum_their_trees_and_survive_being_taken_apart():
    features, targets = few_valued(7)
    bins = Bins.fit(features)
    binned = bins.transform(features)
    trees, rest = [], targets.copy()
    for _ in range(5):
        trees.append(fit_tree(binned, rest, bins=bins, max_leaves=6).scaled(0.5))
        rest = rest - trees[-1].predict_binned(binned)
    forest = Forest(tuple(trees), start=0.25)
    scores = forest.scores(features)
    np.testing.assert_allclose(scores, 0.25 + targets - rest)
    np.testing.assert_array_equal(Forest.from_parts(forest.to_parts()).scores(features), scores)
    np.testing.assert_array_equal(Forest((), start=1.0).scores(features), np.ones(len(features)))


def test_a_constant_target_grows_no_split():
    features, _ = few_valued(8)
    bins = Bins.fit(features)
    tree = fit_tree(bins.transform(features), np.full(len(features), 0.3), bins=bins, max_leaves=8)
    assert tree.n_leaves == 1
    assert tree.value[0] == pytest.approx(0.3)


def test_a_tree_with_a_given_first_question_answers_as_the_two_below_it():
    rng = np.random.default_rng(4)
    features = np.column_stack([rng.normal(size=(400, 3)), rng.integers(0, 2, 400)])
    bins = Bins.fit(features)
    binned = bins.transform(features)
    targets = rng.normal(size=400)
    sides = [np.flatnonzero(features[:, 3] == side) for side in (0, 1)]
    left, right = (fit_tree(binned, targets, bins=bins, max_depth=3, rows=rows) for rows in sides)
    tree = Tree.asking(3, bins, 0, left, right)
    for rows, below in zip(sides, (left, right), strict=True):
        np.testing.assert_array_equal(tree.predict_binned(binned[rows]), below.predict_binned(binned[rows]))
        np.testing.assert_array_equal(predicted(tree, features[rows]), predicted(below, features[rows]))
    assert tree.n_leaves == left.n_leaves + right.n_leaves and tree.n[0] == 400
    assert tree.value[0] == pytest.approx(targets.mean())


@pytest.mark.parametrize("seed", range(5))
def test_a_tree_that_reads_a_column_gives_every_row_the_value_of_its_bin(seed: int) -> None:
    rng = np.random.default_rng(seed)
    features = rng.integers(0, rng.integers(1, 60), (200, 3)).astype(np.float32)
    bins = Bins.fit(features, 40)
    codes = bins.transform(features)[:, 1]
    values = rng.normal(size=bins.sizes[1])
    counts = np.bincount(codes, minlength=bins.sizes[1])
    tree = column_tree(bins, 1, values, counts)
    assert np.array_equal(tree.predict_binned(bins.transform(features)), values[codes])
    assert np.array_equal(predicted(tree, features), values[codes])
    assert tree.n[0] == len(features) and tree.value[0] == pytest.approx(values[codes].mean())
    with pytest.raises(ValueError, match="bins"):
        column_tree(bins, 1, values[1:], counts)
