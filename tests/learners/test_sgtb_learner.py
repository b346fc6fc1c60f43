"""Structured gradient tree boosting as a learner: what it learns, when it stops, and what must not change."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.learners.base import fit
from engine.learners.sgtb.blocks import Search
from engine.learners.sgtb.choices import Choices
from engine.learners.sgtb.columns import all_bins, grow_by_direction
from engine.learners.sgtb.learner import SGTB, SequenceBoosting
from engine.learners.trees.forest import Forest
from engine.learners.trees.regression import Growth, Target, grow_tree
from tests.learners.choice_corpora import learnable, own_bins, random_choices

SETTINGS = SGTB(trees=20, check_every=10, columns=1.0, documents=0.8, rate=0.5, min_leaf=1, patience=5)


@pytest.mark.parametrize("policy", ["early", "laso", "gold-path", "bidirectional"])
def test_structured_policies_learn_what_local_decisions_cannot(policy) -> None:
    train, dev = learnable(30, 0), learnable(15, 1)
    how = Search(policy, 3, 0.5 if policy == "bidirectional" else 0.0)
    structured = list(SequenceBoosting(SETTINGS, how, own_bins(), dev).rounds([train]))[-1]
    local = SequenceBoosting(SETTINGS, Search("local", 1), own_bins(), dev.without_pairs())
    alone = list(local.rounds([train.without_pairs()]))[-1]
    assert structured.scores["accuracy"] == 1.0
    assert alone.scores["accuracy"] < 0.9


def test_the_loss_falls() -> None:
    learner = SequenceBoosting(SETTINGS, Search("gold-path", 3), own_bins())
    objectives = [r.objective for r in learner.rounds([learnable(20, 0)])]
    assert objectives[-1] < objectives[0]


def same(first, second) -> bool:
    return all(
        np.array_equal(getattr(a, name), getattr(b, name))
        for a, b in zip(first.trees, second.trees, strict=True)
        for name in ("feature", "bin", "value", "left", "right")
    )


def test_another_seed_gives_another_model() -> None:
    train, how = learnable(20, 0), Search("gold-path", 3)
    models = [
        fit(SequenceBoosting(replace(SETTINGS, seed=seed, columns=0.4), how, own_bins()), [train]) for seed in (0, 1)
    ]
    assert not same(*models)


def test_the_last_round_is_the_one_that_did_best_on_dev() -> None:
    learner = SequenceBoosting(SETTINGS, Search("gold-path", 3), own_bins(), learnable(10, 1))
    rounds = list(learner.rounds([learnable(20, 0)]))
    assert rounds[-1].scores["accuracy"] == max(r.scores["accuracy"] for r in rounds)
    assert math.isfinite(rounds[-1].objective)


def test_training_stops_when_dev_accuracy_does_not_rise_and_gives_back_the_best() -> None:
    train, dev = learnable(10, 0), learnable(5, 1)
    # Only the right candidate is left: accuracy is perfect from the first check on.
    allowed = np.zeros(len(dev.codes), dtype=np.bool_)
    allowed[dev.gold] = True
    settings = replace(SETTINGS, check_every=2, patience=2)
    learner = SequenceBoosting(settings, Search("gold-path", 3), own_bins(), replace(dev, allowed=allowed))
    rounds = list(learner.rounds([train]))
    assert [len(step.scorer) for step in rounds] == [2, 4, 6, 2]
    assert same(rounds[0].scorer, rounds[-1].scorer)
    assert {step.scores["accuracy"] for step in rounds} == {1.0}


def test_without_dev_all_trees_are_kept_and_the_last_check_may_come_early() -> None:
    learner = SequenceBoosting(replace(SETTINGS, trees=5, check_every=2), Search("gold-path", 3), own_bins())
    assert [len(step.scorer) for step in learner.rounds([learnable(10, 0)])] == [2, 4, 5]


def test_documents_one_by_one_give_the_model_of_the_corpus() -> None:
    corpus = learnable(12, 0)
    learner = SequenceBoosting(replace(SETTINGS, trees=4, check_every=2), Search("early", 3), own_bins())
    pieces = [corpus.part(0, 5), corpus.part(5, 6), corpus.part(6, 12)]
    assert same(fit(learner, [corpus]), fit(learner, pieces))


@given(seed=st.integers(0, 1000), nil=st.booleans(), cuts=st.lists(st.integers(0, 6), max_size=3))
def test_the_parts_of_a_corpus_join_to_the_corpus(seed: int, nil: bool, cuts: list[int]) -> None:
    corpus = random_choices(seed, 6, nil=nil)
    bounds = [0, *sorted(cuts), 6]
    joined = Choices.joined([corpus.part(a, b) for a, b in pairwise(bounds)])
    for field in dataclasses.fields(corpus):
        whole, again = getattr(corpus, field.name), getattr(joined, field.name)
        assert whole.dtype == again.dtype, field.name
        np.testing.assert_array_equal(whole, again, err_msg=field.name)


def test_nothing_cannot_be_joined() -> None:
    with pytest.raises(ValueError, match="nothing to learn from"):
        Choices.joined([])


@given(seed=st.integers(0, 1000))
def test_each_direction_has_its_own_tree_under_the_question_for_the_direction(seed: int) -> None:
    rng = np.random.default_rng(seed)
    bins = all_bins(own_bins(), random_choices(0).n_pooled)
    codes = rng.integers(0, 4, (60, bins.n_features)).astype(np.uint8)
    codes[:, -1] = rng.integers(0, 2, 60)
    values, growth = rng.normal(size=60), Growth(max_depth=3, min_leaf=2)
    columns = np.arange(bins.n_features - 1)
    tree, leaf = grow_by_direction(Target(codes, values, columns=columns), bins, growth)
    np.testing.assert_array_equal(leaf, tree.leaves_binned(codes))
    for direction in (0, 1):
        rows = codes[:, -1] == direction
        alone, own_leaf = grow_tree(Target(codes[rows], values[rows], columns=columns), bins, growth)
        np.testing.assert_array_equal(tree.value[leaf[rows]], alone.value[own_leaf])


def test_boosting_goes_on_from_the_trees_that_it_starts_with() -> None:
    train, how = learnable(10, 0), Search("gold-path", 3)
    settings = replace(SETTINGS, trees=4, check_every=2, documents=1.0)
    whole = fit(SequenceBoosting(settings, how, own_bins()), [train])
    start = Forest(whole.trees[:2])
    rounds = list(SequenceBoosting(replace(settings, trees=2), how, own_bins(), start=start).rounds([train]))
    # Every column and document takes part, so chance decides nothing and both end in the same trees.
    assert [len(step.scorer) for step in rounds] == [4], "those that were given do not count"
    assert same(rounds[-1].scorer, whole)
