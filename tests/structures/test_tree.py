"""Trees over mentions against enumeration, and best-first against Chu-Liu-Edmonds."""

from __future__ import annotations

from itertools import product
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.structures.base import Infeasible, Pins
from engine.structures.tree import AntecedentTree, Arborescence


@st.composite
def graphs(draw: st.DrawFn, rightward: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Arcs over up to four nodes, the root's always among them, with scores that often tie."""
    n = draw(st.integers(1, 4))
    arcs = [(head, node) for node in range(1, n + 1) for head in range(n + 1) if head != node]
    kept = [
        (head, node) for head, node in arcs if head == 0 or ((head < node or not rightward) and draw(st.booleans()))
    ]
    scores = draw(st.lists(st.integers(-3, 3), min_size=len(kept), max_size=len(kept)))
    heads, dependents = (np.array(side) for side in zip(*kept, strict=True))
    return heads, dependents, np.array(scores, dtype=float)


def trees(heads: np.ndarray, dependents: np.ndarray) -> list[list[int]]:
    """All legal outputs: one arc per node, no cycle."""
    nodes = sorted(set(dependents.tolist()))
    found = []
    for choice in product(*[np.flatnonzero(dependents == node).tolist() for node in nodes]):
        head_of = {int(dependents[part]): int(heads[part]) for part in choice}
        if all(_reaches_root(node, head_of) for node in nodes):
            found.append(list(choice))
    return found


def _reaches_root(node: int, head_of: dict[int, int]) -> bool:
    for _ in range(len(head_of) + 1):
        if node == 0:
            return True
        node = head_of[node]
    return False


@given(graphs(rightward=True))
def test_best_first_finds_the_best_tree(graph: tuple) -> None:
    heads, dependents, scores = graph
    parts = AntecedentTree(heads, dependents).argmax(scores)
    assert sorted(parts.tolist()) in trees(heads, dependents)
    assert scores[parts].sum() == max(scores[tree].sum() for tree in trees(heads, dependents))


@given(graphs(rightward=False))
def test_chu_liu_edmonds_finds_the_best_arborescence(graph: tuple) -> None:
    heads, dependents, scores = graph
    parts = Arborescence(heads, dependents).argmax(scores)
    assert sorted(parts.tolist()) in [sorted(tree) for tree in trees(heads, dependents)]
    assert scores[parts].sum() == max(scores[tree].sum() for tree in trees(heads, dependents))


@given(graphs(rightward=True))
def test_best_first_equals_chu_liu_edmonds_where_arcs_point_right(graph: tuple) -> None:
    heads, dependents, scores = graph
    one = AntecedentTree(heads, dependents).argmax(scores)
    assert one.tolist() == Arborescence(heads, dependents).argmax(scores).tolist()


@given(graphs(rightward=True))
def test_marginals_are_those_of_enumeration(graph: tuple) -> None:
    heads, dependents, scores = graph
    log_z, marginals = AntecedentTree(heads, dependents).marginals(scores)
    outputs = trees(heads, dependents)
    weights = np.exp([scores[tree].sum() for tree in outputs])
    expected = np.zeros(len(scores))
    for tree, weight in zip(outputs, weights, strict=True):
        expected[tree] += weight / weights.sum()
    assert log_z == pytest.approx(np.log(weights.sum()))
    assert marginals == pytest.approx(expected)


@given(graphs(rightward=False), st.data())
def test_pins_are_respected_and_the_rest_is_optimal(graph: tuple, data: st.DataObject) -> None:
    heads, dependents, scores = graph
    on = data.draw(st.integers(0, len(scores) - 1))
    allowed = [tree for tree in trees(heads, dependents) if on in tree]
    pins = Pins(on=(on,))
    if not allowed:
        with pytest.raises(Infeasible):
            Arborescence(heads, dependents).argmax(scores, pins=pins)
        return
    parts = Arborescence(heads, dependents).argmax(scores, pins=pins)
    assert on in parts
    assert scores[parts].sum() == max(scores[tree].sum() for tree in allowed)


@given(graphs(rightward=True), st.integers(-20, 20).map(lambda quarter: quarter / 4))
def test_the_root_path_says_at_every_bias_what_decoding_there_finds(graph: tuple, bias: float) -> None:
    heads, dependents, scores = graph
    tree = AntecedentTree(heads, dependents)
    breaks, linked, rooted = tree.root_path(scores)
    from_path = np.where(bias > breaks, rooted, linked)
    assert sorted(from_path.tolist()) == tree.argmax(scores + bias * (heads == 0)).tolist()


@given(graphs(rightward=True), st.randoms(use_true_random=False))
def test_the_order_in_which_arcs_are_listed_does_not_matter(graph: tuple, random: Random) -> None:
    heads, dependents, scores = graph
    order = random.sample(range(len(heads)), len(heads))
    listed, shuffled = AntecedentTree(heads, dependents), AntecedentTree(heads[order], dependents[order])
    back = np.array(order)
    assert sorted(back[shuffled.argmax(scores[order])].tolist()) == listed.argmax(scores).tolist()
    ours, theirs = listed.root_path(scores), shuffled.root_path(scores[order])
    assert theirs[0].tolist() == ours[0].tolist()
    for here, there in zip(ours[1:], theirs[1:], strict=True):
        assert [int(back[arc]) if arc >= 0 else -1 for arc in there] == here.tolist()
    assert shuffled.marginals(scores[order])[1] == pytest.approx(listed.marginals(scores)[1][order])


def test_of_equal_heads_the_nearest_wins() -> None:
    tree = AntecedentTree([0, 0, 1, 0, 1, 2], [1, 2, 2, 3, 3, 3])
    assert tree.argmax(np.zeros(6)).tolist() == [0, 2, 5]


def test_two_pinned_heads_of_one_node_are_infeasible() -> None:
    with pytest.raises(Infeasible, match="node 2"):
        AntecedentTree([0, 0, 1], [1, 2, 2]).argmax(np.zeros(3), pins=Pins(on=(1, 2)))


def test_a_head_after_its_dependent_is_refused() -> None:
    with pytest.raises(ValueError, match="precede"):
        AntecedentTree([0, 2], [1, 1])


@given(graphs(rightward=True), st.data())
def test_the_best_tree_that_joins_two_nodes_is_the_best_of_all_that_do(graph: tuple, data: st.DataObject) -> None:
    heads, dependents, scores = graph
    last = int(dependents.max())
    if last < 2:
        return
    node, other = data.draw(st.permutations(range(1, last + 1)))[:2]

    def joined(tree: list[int]) -> bool:
        head_of = {int(dependents[part]): int(heads[part]) for part in tree}
        return _top(node, head_of) == _top(other, head_of)

    legal = [tree for tree in trees(heads, dependents) if joined(tree)]
    structure = AntecedentTree(heads, dependents)
    if not legal:
        with pytest.raises(Infeasible, match="joins"):
            structure.argmax_joined(scores, node, other)
        return
    parts = structure.argmax_joined(scores, node, other)
    assert sorted(parts.tolist()) in legal
    assert scores[parts].sum() == max(scores[tree].sum() for tree in legal)


def _top(node: int, head_of: dict[int, int]) -> int:
    while head_of[node]:
        node = head_of[node]
    return node
