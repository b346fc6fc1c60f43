"""Scores of resolved mentions, by hand."""

from __future__ import annotations

import pytest

from engine.metrics.disambiguation import Resolved, bag_of_titles, score

MENTIONS = [
    Resolved(0, "Paris", "Paris", 1, ("Paris",)),
    Resolved(0, "Paris", "Paris, Texas", 4, ("Paris, Texas",)),
    Resolved(0, "France", "France", 30, ()),
    Resolved(1, "Jordan", None, 3, ()),
    Resolved(1, None, "Jordan", 3, ()),
    Resolved(1, None, None, 0, ()),
]


def test_accuracy_counts_linked_mentions_only() -> None:
    report = score(MENTIONS)
    assert report["accuracy"] == 0.5
    assert report["accuracy_macro"] == pytest.approx((2 / 3 + 0) / 2)
    assert report["mentions"] == 4
    assert report["nil"] == {"mentions": 2, "accuracy": 0.5}


def test_bags_hold_each_title_once() -> None:
    # Gold {Paris, France}, {Jordan}; predicted {Paris, Paris, Texas; France}, {} of linked mentions.
    assert score(MENTIONS)["bot_f1"] == pytest.approx(2 * 2 / (3 + 3))
    # With all mentions document 1 says {Jordan}, which gold has.
    assert bag_of_titles(MENTIONS) == pytest.approx(2 * 3 / (3 + 4))


def test_familiarity_tells_seen_unseen_and_traps_apart() -> None:
    groups = score(MENTIONS)["familiarity"]
    assert groups["seen"] == {"accuracy": 1.0, "mentions": 1}
    assert groups["trap"] == {"accuracy": 0.0, "mentions": 1}
    assert groups["unseen"] == {"accuracy": 0.5, "mentions": 2}


def test_ambiguity_groups_by_number_of_candidates() -> None:
    groups = score(MENTIONS)["ambiguity"]
    assert {name: group["mentions"] for name, group in groups.items()} == {"1": 1, "2-5": 2, "21+": 1}


def test_nothing_scores_zero() -> None:
    report = score([])
    assert report["accuracy"] == report["bot_f1"] == report["f1"] == 0.0
