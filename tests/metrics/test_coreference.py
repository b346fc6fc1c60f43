"""Coreference metrics against the official scorer's cases, a naive scorer, and the laws they obey."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.naive_coreference import naive_scores
from engine.metrics.coreference import METRICS, count_clusters, printed, report, score_clusters, score_corpus

NAMES = {"bcub": "b3"}


@st.composite
def partitions(draw: st.DrawFn) -> list[list[int]]:
    """Clusters of some of the mentions 0..8."""
    labels = draw(st.lists(st.integers(-1, 4), min_size=9, max_size=9))
    clusters: dict[int, list[int]] = {}
    for mention, label in enumerate(labels):
        if label >= 0:
            clusters.setdefault(label, []).append(mention)
    return list(clusters.values())


def has_both_links(clusters: list[list[int]]) -> bool:
    return len(clusters) > 1 and any(len(cluster) > 1 for cluster in clusters)


@pytest.mark.realdata
def test_every_official_case_matches_to_the_last_printed_digit(data_root: Path) -> None:
    from engine.cli.results.score import score_files

    folder = data_root / "coref_scorer_cases"
    for case in json.loads((folder / "expected.json").read_text()).values():
        scores, _ = score_files(folder / case["key"], folder / case["response"])
        for name, (recall, precision, f1) in case["scorer_v8_percent"].items():
            ours = scores[NAMES.get(name, name)]
            assert [float(printed(ours[part])) for part in ("recall", "precision", "f1")] == [recall, precision, f1]


@given(partitions())
def test_a_response_equal_to_the_key_scores_one(key: list[list[int]]) -> None:
    scores = score_clusters(key, [cluster[::-1] for cluster in key[::-1]])
    for name in METRICS:
        defined = any(len(cluster) > 1 for cluster in key) if name == "muc" else bool(key)
        if name == "blanc":
            defined = sum(map(len, key)) > 1
        assert scores[name]["f1"] == pytest.approx(1.0 if defined else 0.0)


@given(partitions(), partitions())
def test_swapping_key_and_response_swaps_precision_and_recall(key: list[list[int]], response: list[list[int]]) -> None:
    one, other = score_clusters(key, response), score_clusters(response, key)
    for name in METRICS:
        # BLANC falls back to one kind of link where the key has only that: there it is not symmetric.
        if name == "blanc" and not (has_both_links(key) and has_both_links(response)):
            continue
        assert one[name]["precision"] == pytest.approx(other[name]["recall"])
        assert one[name]["f1"] == pytest.approx(other[name]["f1"])


@given(partitions(), partitions())
def test_scores_are_those_of_a_naive_scorer(key: list[list[int]], response: list[list[int]]) -> None:
    ours, naive = score_clusters(key, response), naive_scores(key, response)
    for name in METRICS:
        assert ours[name] == pytest.approx(naive[name]), name


@given(partitions(), partitions(), partitions(), partitions())
def test_corpus_scores_divide_sums_over_documents(a: list, b: list, c: list, d: list) -> None:
    assert score_corpus([(a, b), (c, d)]) == report(count_clusters(a, b) + count_clusters(c, d))


def test_a_key_mention_that_the_response_repeats_is_scored_once() -> None:
    key = [["a"], ["b", "c"], ["d", "e", "f"]]
    assert score_clusters(key, [["b", "c", "b"], ["b", "x"]]) == score_clusters(key, [["b", "c"], ["x"]])


def test_a_repeated_mention_that_the_key_lacks_counts_where_it_stands_but_makes_each_link_once() -> None:
    counts = report(count_clusters([["a", "b"]], [["a", "x"], ["b", "x"]]))
    # Links of the response: a-x, b-x within; a-b, a-x, b-x, x-x between. None is right.
    assert counts["blanc"]["precision"] == 0.0
    assert counts["b3"]["precision"] == pytest.approx((0.5 + 0.5) / 4)


def test_undefined_ratios_are_zero() -> None:
    for key, response in ([[], []], [[["a"]], []], [[], [["a", "b"]]]):
        scores = score_clusters(key, response)
        assert all(value == 0.0 for name in METRICS for value in scores[name].values())


def test_singletons_count_for_b3_and_ceaf_but_not_for_muc() -> None:
    scores = score_clusters([["a"], ["b"]], [["a"], ["b"]])
    assert scores["muc"]["f1"] == 0.0
    assert scores["b3"]["f1"] == scores["ceafm"]["f1"] == scores["ceafe"]["f1"] == scores["lea"]["f1"] == 1.0
