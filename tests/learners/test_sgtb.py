"""Structured gradient tree boosting: its search against exhaustive search, its gradients against the obvious ones."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import naive_disambiguation as naive
from engine.learners.sgtb.blocks import Block, Search
from engine.learners.sgtb.cache import Cache, FlatForest
from engine.learners.sgtb.choices import Choices
from engine.learners.sgtb.columns import all_bins
from engine.learners.sgtb.pools import EXTRA
from engine.learners.sgtb.search import SKIPPED
from engine.learners.trees.forest import fit_tree
from engine.structures.beam import NIL_ROW
from tests.learners.choice_corpora import N_OWN, own_bins, random_choices


def random_forest(choices: Choices, seed: int, n_trees: int = 6) -> FlatForest:
    rng = np.random.default_rng(seed)
    bins = all_bins(own_bins(), choices.n_pooled)
    forest = FlatForest()
    for _ in range(n_trees):
        codes = np.hstack([rng.integers(0, 4, (200, N_OWN)), rng.integers(0, 255, (200, choices.n_pooled))]).astype(
            np.uint8
        )
        if choices.n_pooled:
            codes[:, -EXTRA:] = rng.integers(0, 3, (200, EXTRA))
        forest.add(fit_tree(codes, rng.normal(size=200) * 2, bins=bins, max_depth=3))
    return forest


def score_of(choices: Choices, forest: FlatForest, document: int, rows: tuple[int, ...], nil: float) -> float:
    mentions = naive.mentions_of(choices, document)
    total = 0.0
    for t, row in enumerate(rows):
        history = [(mentions[i], r) for i, r in enumerate(rows[:t]) if r != NIL_ROW]
        offered = range(int(choices.row_offsets[mentions[t]]), int(choices.row_offsets[mentions[t] + 1]))
        factors = {}
        for r in offered:
            codes = [int(c) for c in choices.codes[r]] + naive.pooled(choices, document, r, mentions[t], history)
            factors[r] = naive.factor(forest.trees, codes)
        total += factors[row] if row != NIL_ROW else nil + float(np.logaddexp.reduce(list(factors.values())))
    return total


def all_sequences(choices: Choices, document: int) -> list[tuple[int, ...]]:
    options = []
    for m in naive.mentions_of(choices, document):
        rows = list(range(int(choices.row_offsets[m]), int(choices.row_offsets[m + 1])))
        options.append(rows + ([NIL_ROW] if choices.nil_allowed[m] else []))
    return list(itertools.product(*options))


@given(seed=st.integers(0, 10_000), nil=st.booleans())
def test_an_unlimited_beam_finds_the_best_of_all_sequences(seed: int, nil: bool) -> None:
    choices = random_choices(seed, 1, nil=nil)
    forest = random_forest(choices, seed + 1)
    decoded = Block(choices).decode(forest.arrays, 0, Search("gold-path", 4**5), np.full(len(choices.gold), 0.3))
    scores = [score_of(choices, forest, 0, rows, 0.3) for rows in all_sequences(choices, 0)]
    assert decoded.totals[0] == pytest.approx(max(scores))
    assert score_of(choices, forest, 0, tuple(int(r) for r in decoded.rows), 0.3) == pytest.approx(max(scores))


@given(seed=st.integers(0, 10_000))
def test_confidence_is_the_marginal_probability_when_the_beam_is_unlimited(seed: int) -> None:
    choices = random_choices(seed, 1, nil=True)
    forest = random_forest(choices, seed + 1)
    decoded = Block(choices).decode(forest.arrays, 0, Search("gold-path", 4**5), np.full(len(choices.gold), 0.3))
    sequences = all_sequences(choices, 0)
    scores = np.array([score_of(choices, forest, 0, rows, 0.3) for rows in sequences])
    p = np.exp(scores - np.logaddexp.reduce(scores))
    for m, row in enumerate(decoded.rows):
        marginal = sum(share for share, rows in zip(p, sequences, strict=True) if rows[m] == row)
        assert decoded.confidence[m] == pytest.approx(marginal)


@given(seed=st.integers(0, 10_000), width=st.integers(1, 4))
def test_a_narrow_beam_never_scores_above_the_best_sequence_and_equals_the_obvious_beam(seed: int, width: int) -> None:
    choices = random_choices(seed, 2)
    forest = random_forest(choices, seed + 1)
    decoded = Block(choices).decode(forest.arrays, 0, Search("gold-path", width), np.zeros(len(choices.gold)))
    for d in range(2):
        peer = naive.decode(choices, forest.trees, d, width)
        first, last = choices.document_offsets[d], choices.document_offsets[d + 1]
        assert tuple(decoded.rows[first:last]) == peer.rows
        scores = [score_of(choices, forest, d, rows, 0.0) for rows in all_sequences(choices, d)]
        assert decoded.totals[d] <= max(scores) + 1e-9


@given(seed=st.integers(0, 10_000), width=st.integers(1, 4), nil=st.booleans(), weight=st.sampled_from([0.3, 1.0]))
def test_both_directions_choose_the_best_of_all_their_sequences(
    seed: int, width: int, nil: bool, weight: float
) -> None:
    choices = random_choices(seed, 2, nil=nil)
    forest = random_forest(choices, seed + 1)
    how = Search("bidirectional", width, weight)
    decoded = Block(choices).decode(forest.arrays, 0, how, np.full(len(choices.gold), 0.2))
    for d in range(2):
        first, last = choices.document_offsets[d], choices.document_offsets[d + 1]
        found = naive.decode_both(choices, forest.trees, d, width, weight, 0.2)
        rows = tuple(int(r) for r in decoded.rows[first:last])
        assert decoded.totals[d] == pytest.approx(max(found.values())) == found[rows]


@given(seed=st.integers(0, 10_000), width=st.integers(1, 4), nil=st.booleans(), rounds=st.integers(1, 3))
def test_mutual_look_ahead_decides_as_algorithm_1(seed: int, width: int, nil: bool, rounds: int) -> None:
    choices = random_choices(seed, 2, nil=nil)
    forest = random_forest(choices, seed + 1)
    how = Search("bidirectional", width, 0.3, rounds)
    decoded = Block(choices).decode(forest.arrays, 0, how, np.full(len(choices.gold), 0.2))
    for d in range(2):
        first, last = choices.document_offsets[d], choices.document_offsets[d + 1]
        mentions = naive.mentions_of(choices, d)
        best = naive.likelier(naive.algorithm_1(choices, forest.trees, d, mentions, width, rounds=rounds, nil=0.2))
        assert decoded.totals[d] == pytest.approx(best.score)
        assert tuple(int(r) for r in decoded.rows[first:last]) == best.rows


@given(seed=st.integers(0, 10_000), width=st.integers(1, 4), nil=st.booleans(), rounds=st.integers(1, 3))
def test_mutual_look_ahead_learns_from_the_points_of_algorithm_1(seed: int, width: int, nil: bool, rounds: int) -> None:
    choices = random_choices(seed, 3, nil=nil)
    forest = random_forest(choices, seed + 1)
    found = Block(choices).points(np.arange(3), forest.arrays, 0, Search("bidirectional", width, 0.3, rounds))
    expected = [p for d in range(3) for p in naive.mutual_points(choices, forest.trees, d, width, rounds)]
    ours = sorted(zip(found.rows.tolist(), found.residuals.tolist(), strict=True))
    theirs = sorted((p.row, p.residual) for p in expected)
    assert [r for r, _ in ours] == [r for r, _ in theirs]
    assert np.allclose([v for _, v in ours], [v for _, v in theirs])
    # One F: no point says which side it came from.
    assert not found.pooled[:, -1].any()


@pytest.mark.parametrize("policy", ["early", "laso", "gold-path", "bidirectional"])
@given(seed=st.integers(0, 10_000), width=st.integers(1, 4), nil=st.booleans())
def test_gradient_points_equal_those_of_the_obvious_implementation(policy, seed: int, width: int, nil: bool) -> None:
    choices = random_choices(seed, 3, nil=nil)
    forest = random_forest(choices, seed + 1)
    how = Search(policy, width, 0.5 if policy == "bidirectional" else 0.0)
    found = Block(choices).points(np.arange(3), forest.arrays, 0, how)
    expected = [p for d in range(3) for p in naive.points_of(choices, forest.trees, d, policy, width)]
    ours = sorted(zip(found.rows.tolist(), found.residuals.tolist(), strict=True))
    theirs = sorted((p.row, p.residual) for p in expected)
    assert [r for r, _ in ours] == [r for r, _ in theirs]
    assert np.allclose([v for _, v in ours], [v for _, v in theirs])


@given(seed=st.integers(0, 10_000))
def test_gold_path_with_unlimited_beam_and_no_pairs_has_the_local_gradients(seed: int) -> None:
    choices = random_choices(seed, 2).without_pairs()
    forest = random_forest(choices, seed + 1)
    wide = Block(choices).points(np.arange(2), forest.arrays, 0, Search("gold-path", 4**5))
    local = Block(choices).points(np.arange(2), forest.arrays, 0, Search("local", 1))
    summed = np.zeros(len(choices.codes))
    np.add.at(summed, wide.rows, wide.residuals)
    alone = np.zeros(len(choices.codes))
    np.add.at(alone, local.rows, local.residuals)
    assert np.allclose(summed, alone)
    assert local.losses.sum() <= wide.losses.sum() + 1e-9


@given(seed=st.integers(0, 10_000))
def test_points_are_the_derivative_of_the_log_likelihood(seed: int) -> None:
    """Moving every factor by a little of another tree changes -log p(gold) as the points say."""
    choices = random_choices(seed, 1)
    forest = random_forest(choices, seed + 1)
    direction = random_forest(choices, seed + 2, n_trees=1).trees[0]
    points = Block(choices).points(np.arange(1), forest.arrays, 0, Search("early", 4**5))
    codes = np.hstack([choices.codes[points.rows], points.pooled])
    slope = -float(points.residuals @ direction.predict_binned(codes))

    def loss(step: float) -> float:
        moved = FlatForest([*forest.trees, direction.scaled(step)])
        scores = [score_of(choices, moved, 0, rows, 0.0) for rows in all_sequences(choices, 0)]
        return float(np.logaddexp.reduce(scores)) - score_of(choices, moved, 0, tuple(choices.gold), 0.0)

    assert slope == pytest.approx((loss(1e-5) - loss(-1e-5)) / 2e-5, abs=1e-6)


@given(seed=st.integers(0, 10_000))
def test_remembered_scores_equal_fresh_ones_to_the_last_bit(seed: int) -> None:
    choices = random_choices(seed, 3)
    trees = random_forest(choices, seed + 1, n_trees=8).trees
    how = Search("bidirectional", 2, 0.5)
    kept, growing = Block(choices), FlatForest()
    for epoch, tree in enumerate(trees):
        kept.points(np.array([epoch % 3]), growing.arrays, epoch, how)
        growing.add(tree)
    before = kept.points(np.arange(3), growing.arrays, 9, how)
    fresh = Block(choices).points(np.arange(3), FlatForest(trees).arrays, 0, how)
    assert np.array_equal(before.residuals, fresh.residuals)
    assert np.array_equal(before.rows, fresh.rows)


def test_a_full_cache_changes_nothing() -> None:
    choices = random_choices(5, 12, most=6)
    forest = random_forest(choices, 6)
    how = Search("gold-path", 3)
    block = Block(choices)
    block.cache = Cache(choices.n_pooled, 10)
    block.cache.limit = 1
    block.cache._allocate(150, 512)
    small = block.points(np.arange(12), forest.arrays, 0, how)
    large = Block(choices).points(np.arange(12), forest.arrays, 0, how)
    assert np.array_equal(small.residuals, large.residuals)


def test_skipped_mentions_take_no_part() -> None:
    choices = random_choices(3, 2)
    gold = choices.gold.copy()
    gold[0] = SKIPPED
    found = Block(replace(choices, gold=gold)).points(
        np.arange(2), random_forest(choices, 4).arrays, 0, Search("gold-path", 3)
    )
    assert not set(found.rows) & set(range(int(choices.row_offsets[1])))
