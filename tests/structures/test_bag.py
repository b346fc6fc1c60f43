"""Bags against enumeration: mention labels, label scores of any sign, completions, pins, and all ways of solving."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.structures.bag import Bag, BagPins, argmax_all, bag_score, complete_all, held_labels, solver
from engine.structures.base import Infeasible

VALUES = st.one_of(st.integers(-3, 3).map(float), st.floats(-5, 5, allow_nan=False, width=32))


@st.composite
def bags(draw, most_mentions=4, most_labels=3):
    n, labels = draw(st.integers(1, most_mentions)), draw(st.integers(1, most_labels))
    scores = np.array(draw(st.lists(VALUES, min_size=n * (labels + 1), max_size=n * (labels + 1))))
    prices = np.array(draw(st.lists(VALUES, min_size=labels, max_size=labels)))
    return Bag(n, labels), scores.reshape(n, labels + 1), prices


def outputs(bag, allowed=lambda h: True):
    for h in itertools.product(range(bag.n_labels + 1), repeat=bag.n_mentions):
        if allowed(h):
            yield np.array(h, dtype=np.int64)


def best_score(bag, scores, prices, allowed=lambda h: True):
    return max((bag_score(h, scores, prices) for h in outputs(bag, allowed)), default=None)


@given(bags())
def test_argmax_is_the_best_output_for_label_scores_of_any_sign(case):
    bag, scores, prices = case
    answer = bag.solve(scores, prices)
    assert bag_score(answer.labels, scores, prices) == pytest.approx(answer.score)
    assert answer.score == pytest.approx(best_score(bag, scores, prices), abs=1e-9)


@pytest.mark.parametrize("method", ["matching", "subsets"])
@given(case=bags(most_mentions=5))
def test_every_way_of_solving_finds_the_same_score(method, case):
    bag, scores, prices = case
    assert bag.solve(scores, prices, method=method).score == pytest.approx(best_score(bag, scores, prices), abs=1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_the_program_agrees_on_bags_too_large_to_enumerate(seed):
    rng = np.random.default_rng(seed)
    bag = Bag(int(rng.integers(9, 25)), 6)
    scores = rng.normal(size=(bag.n_mentions, 7))
    prices = rng.normal(scale=3.0, size=6)
    exact = bag.solve(scores, prices, method="matching")
    program = bag.solve(scores, prices, method="program")
    assert program.method in ("lp", "ilp")
    assert program.score == pytest.approx(exact.score, abs=1e-6)


@pytest.mark.parametrize("way", ["lp", "ilp"])
@pytest.mark.parametrize("seed", range(3))
def test_programs_solve_a_corpus_as_well_as_the_search(way, seed):
    rng = np.random.default_rng(seed)
    offsets = np.concatenate([[0], np.cumsum(rng.integers(0, 5, size=12))]).astype(np.int64)
    scores, prices = rng.normal(size=(offsets[-1], 5)), rng.normal(scale=2.0, size=(12, 4))
    solve = solver(way)
    assert np.array_equal(solve(scores, prices, offsets), argmax_all(scores, prices, offsets))
    assert solve.solved == np.count_nonzero(np.diff(offsets))


def test_fractional_bags_are_counted_and_solved_all_the_same():
    # Three labels with a price, each good for two of three mentions: halves of all three beat any whole choice.
    scores = np.full((3, 4), -9.0)
    scores[:, 0] = 0.0
    for m, label in ((0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (2, 1)):
        scores[m, label] = 5.0
    prices, offsets = np.full(3, -3.0), np.array([0, 3])
    solve = solver("lp")
    labels = solve(scores, prices[None], offsets)
    assert solve.fractional == 1
    assert bag_score(labels, scores, prices) == pytest.approx(best_score(Bag(3, 3), scores, prices))


def test_many_priced_labels_go_to_the_program_in_large_bags_and_to_subsets_in_small_ones():
    rng = np.random.default_rng(0)
    scores = rng.normal(scale=3.0, size=(40, 31))
    prices = np.full(30, -0.05)
    answer = Bag(40, 30).solve(scores, prices)
    assert answer.method in ("lp", "ilp")
    assert answer.score == pytest.approx(Bag(40, 30).solve(scores, prices, method="program").score)
    assert Bag(3, 30).solve(scores[:3], prices).method == "subsets"


@given(bags(most_mentions=4, most_labels=3), st.data())
def test_completion_is_the_best_output_that_explains_every_gold_label(case, data):
    bag, scores, _ = case
    gold = data.draw(st.sets(st.integers(1, bag.n_labels)))
    needed = min(len(gold), bag.n_mentions)
    found = bag.complete(scores, sorted(gold))
    assert set(found[found > 0].tolist()) <= gold

    def allowed(h):
        used = set(h) - {0}
        return used <= gold and len(used) == needed

    none = np.zeros(bag.n_labels)
    assert allowed(found.tolist())
    assert bag_score(found, scores, none) == pytest.approx(best_score(bag, scores, none, allowed), abs=1e-9)


@given(bags(most_mentions=3, most_labels=3), st.data())
def test_pins_are_kept_and_the_rest_is_decoded_again(case, data):
    bag, scores, prices = case
    labels = st.integers(0, bag.n_labels)
    pins = BagPins(
        mentions=data.draw(st.dictionaries(st.integers(0, bag.n_mentions - 1), labels, max_size=2)),
        forbidden=frozenset(data.draw(st.sets(st.tuples(st.integers(0, bag.n_mentions - 1), labels), max_size=2))),
        on=frozenset(data.draw(st.sets(st.integers(1, bag.n_labels), max_size=1))),
        off=frozenset(data.draw(st.sets(st.integers(1, bag.n_labels), max_size=1))),
    )

    def allowed(h):
        return (
            all(h[m] == label for m, label in pins.mentions.items())
            and all(h[m] != label for m, label in pins.forbidden)
            and pins.on <= set(h)
            and not pins.off & set(h)
        )

    best = best_score(bag, scores, prices, allowed)
    if best is None:
        with pytest.raises(Infeasible):
            bag.solve(scores, prices, pins=pins)
    else:
        answer = bag.solve(scores, prices, pins=pins)
        assert allowed(answer.labels.tolist())
        assert answer.score == pytest.approx(best, abs=1e-7)


@given(st.lists(bags(most_mentions=3, most_labels=2).filter(lambda c: c[0].n_labels == 2), min_size=1, max_size=5))
def test_a_corpus_is_solved_as_its_bags_are(cases):
    scores = np.concatenate([s for _, s, _ in cases])
    prices = np.stack([p for _, _, p in cases])
    offsets = np.cumsum([0] + [b.n_mentions for b, _, _ in cases])
    together = argmax_all(scores, prices, offsets)
    alone = np.concatenate([b.argmax(s, p) for b, s, p in cases])
    assert together.tolist() == alone.tolist()
    held = held_labels(together, offsets, 2)
    for b, (first, last) in enumerate(itertools.pairwise(offsets)):
        assert set(np.flatnonzero(held[b]) + 1) == set(together[first:last].tolist()) - {0}
    gold = held.copy()
    completed = complete_all(scores, gold, offsets)
    assert (held_labels(completed, offsets, 2) == gold).all()


def test_an_empty_bag_has_no_labels():
    assert Bag(0, 3).argmax(np.zeros((0, 4)), np.ones(3)).tolist() == []
