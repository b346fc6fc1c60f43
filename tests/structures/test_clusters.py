"""Clusters of trees, and pins on them, against every clustering of a few nodes."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.structures.clusters import ClusterPins, TogetherAndApart, clusters_of, labels_of

N = 5
PAIRS = st.lists(st.tuples(st.integers(1, N), st.integers(1, N)).filter(lambda pair: pair[0] != pair[1]), max_size=3)


def every_clustering() -> set[tuple[int, ...]]:
    """All clusterings as labels of nodes 1 to N."""
    return {tuple(labels_of(np.array(heads)).tolist()[1:]) for heads in product(*[range(j) for j in range(1, N + 1)])}


@given(st.tuples(*[st.integers(0, j) for j in range(N)]))
def test_nodes_are_in_the_cluster_of_their_head(heads: tuple[int, ...]) -> None:
    label = labels_of(np.array(heads))
    assert label[0] == 0
    for node, head in enumerate(heads, 1):
        assert label[node] == (label[head] if head else node)
    clusters = clusters_of(np.array(heads))
    assert clusters == [[node for node in range(1, N + 1) if label[node] == first] for first in np.unique(label[1:])]


@given(PAIRS, PAIRS)
def test_the_closure_allows_the_clusterings_that_the_pairs_allow(
    together: list[tuple[int, int]], apart: list[tuple[int, int]]
) -> None:
    wanted = {
        label
        for label in every_clustering()
        if all(label[a - 1] == label[b - 1] for a, b in together)
        and all(label[a - 1] != label[b - 1] for a, b in apart)
    }
    try:
        pins = ClusterPins.of(N, together, apart)
    except TogetherAndApart as clash:
        assert not wanted
        a, b = apart[clash.index]
        assert f"nodes {a} and {b}" in str(clash)
        assert all(label[a - 1] == label[b - 1] for label in every_clustering() if _joins(label, together))
        return
    assert {label for label in every_clustering() if pins.hold_for(np.array([0, *label]))} == wanted
    # What search reads from left to right: whom each node must join, and whom it must avoid.
    assert all(earlier < later for earlier, later in pins.pairs)
    assert len({later for _, later in pins.pairs}) == len(pins.pairs)
    closed = {
        (a, b)
        for a, b in product(range(1, N + 1), repeat=2)
        if a < b and all(label[a - 1] != label[b - 1] for label in wanted)
    }
    assert {*pins.apart} <= closed


def _joins(label: tuple[int, ...], together: list[tuple[int, int]]) -> bool:
    return all(label[a - 1] == label[b - 1] for a, b in together)


def test_what_is_apart_from_one_is_apart_from_its_whole_group() -> None:
    pins = ClusterPins.of(5, together=[(4, 2), (2, 5)], apart=[(1, 4)])
    assert pins.pairs == [(2, 4), (4, 5)]
    assert pins.apart == ((1, 2), (1, 4), (1, 5))
    with pytest.raises(TogetherAndApart):
        ClusterPins.of(5, together=[(4, 2), (2, 5)], apart=[(1, 3), (5, 4)])
