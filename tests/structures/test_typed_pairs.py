"""Typed pairs against enumeration: decoding, the path of the bias, values, and what is forbidden."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.structures.base import Infeasible
from engine.structures.typed_pairs import Numbering, Tables, TypedPairs, pair_index, position

N_TYPES, N_LABELS = 3, 3


@st.composite
def sentences(draw):
    """Small scores with ties, forbidden entries, coupled directions and tied nodes."""
    n = draw(st.integers(0, 4))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))

    def scores(*shape):
        values = rng.integers(-6, 7, size=shape) / 2.0
        return np.where(rng.random(shape) < 0.1, -np.inf, values)

    types, labels = scores(n, N_TYPES), scores(n * (n - 1), N_LABELS)
    fit = np.where(
        rng.random((N_LABELS, N_TYPES, N_TYPES)) < 0.3, -np.inf, -rng.integers(0, 3, (N_LABELS, N_TYPES, N_TYPES))
    )
    fit[0] = 0.0
    both = np.zeros((N_LABELS, N_LABELS))
    if draw(st.booleans()):
        both[1:, 1:] = draw(st.sampled_from([-np.inf, -1.5]))
    tie = np.where(rng.random(n * (n - 1)) < 0.3, draw(st.sampled_from([-np.inf, -1.0])), 0.0)
    return TypedPairs.of(np.array([n]), Tables(fit.astype(float), both), tie), types, labels


def best_by_enumeration(sentence, type_scores, label_scores, bias):
    n, tables = int(sentence.node_starts[1]), sentence.tables
    best = -np.inf
    for types in itertools.product(range(N_TYPES), repeat=n):
        total = sum(type_scores[i, t] for i, t in enumerate(types))
        for i, j in itertools.combinations(range(n), 2):
            p, q = position(n, i, j), position(n, j, i)
            options = [
                label_scores[p, a]
                + tables.fit[a, types[i], types[j]]
                + label_scores[q, b]
                + tables.fit[b, types[j], types[i]]
                + tables.both[a, b]
                + bias * ((a == 0) + (b == 0))
                for a in range(N_LABELS)
                for b in range(N_LABELS)
            ]
            total += max(options) + (sentence.tie[p] if types[i] != types[j] else 0.0)
        best = max(best, total)
    return best


@given(sentences(), st.sampled_from([-1.0, 0.0, 0.75]))
def test_decoding_finds_the_best_output_and_its_value(case, bias):
    sentence, types, labels = case
    found = sentence.decode(types, labels, bias)
    assert found.proven.all()
    assert found.objective[0] == pytest.approx(best_by_enumeration(sentence, types, labels, bias))
    if np.isfinite(found.objective[0]):
        value = sentence.value(types, labels, (found.types, found.labels))[0]
        assert value + bias * (found.labels == 0).sum() == pytest.approx(found.objective[0])


@pytest.mark.parametrize("huge", [1e12, 1e14, 1e20, 1e300])
@pytest.mark.parametrize("sign", [-1.0, 1.0])
@given(case=sentences())
def test_a_bias_of_any_size_outweighs_scores_and_nothing_that_is_forbidden(case, huge, sign):
    sentence, types, labels = case
    found = sentence.decode(types, labels, sign * huge)
    best = best_by_enumeration(sentence, types, labels, sign * 1e6)
    if np.isneginf(best):
        assert np.isneginf(found.objective[0])
        return
    assert not np.isneginf(found.objective[0])
    value = sentence.value(types, labels, (found.types, found.labels))[0]
    assert value + sign * 1e6 * (found.labels == 0).sum() == pytest.approx(best)


@given(sentences())
def test_the_structure_over_parts_decides_as_decoding_does(case):
    """Soft tables included, of which the laws of all structures know nothing."""
    sentence, types, labels = case
    numbering = sentence.numbering
    found = sentence.decode(types, labels)
    scores = numbering.joined(types, labels)
    if np.isneginf(found.objective[0]):
        with pytest.raises(Infeasible, match="sentence 0"):
            sentence.argmax(scores)
        return
    assert list(sentence.argmax(scores)) == list(numbering.chosen(found.types, found.labels))


def test_a_batch_is_decoded_as_its_sentences_one_by_one():
    rng = np.random.default_rng(1)
    sizes = np.array([0, 1, 3, 6, 2, 8])
    types = rng.normal(size=(sizes.sum(), 4))
    labels = rng.normal(size=((sizes * (sizes - 1)).sum(), 5))
    tables = Tables(np.where(rng.random((5, 4, 4)) < 0.5, -np.inf, 0.0), np.zeros((5, 5)))
    tables.fit[0] = 0.0
    corpus = TypedPairs.of(sizes, tables)
    bias = rng.normal(size=len(corpus))
    together = corpus.decode(types, labels, bias)
    for s in range(len(corpus)):
        a, b = corpus.node_starts[s], corpus.node_starts[s + 1]
        p, q = corpus.pair_starts[s], corpus.pair_starts[s + 1]
        alone = corpus.take(np.array([s])).decode(types[a:b], labels[p:q], float(bias[s]))
        assert alone.objective[0] == pytest.approx(together.objective[s])
        assert (alone.types == together.types[a:b]).all()


def test_sentences_that_are_taken_keep_their_ties():
    tie = np.arange(2.0 + 6.0)
    taken = TypedPairs.of(np.array([2, 0, 3]), Tables.free(2, 2), tie).take(np.array([2, 1, 0, 2]))
    assert taken.sizes.tolist() == [3, 0, 2, 3]
    assert taken.tie.tolist() == [*tie[2:], *tie[:2], *tie[2:]]


def test_free_tables_decide_every_variable_alone():
    rng = np.random.default_rng(2)
    types, labels = rng.normal(size=(5, 3)), rng.normal(size=(20, 4))
    found = TypedPairs.of(np.array([5]), Tables.free(3, 4)).decode(types, labels)
    assert (found.types == types.argmax(axis=1)).all()
    assert (found.labels == labels.argmax(axis=1)).all()


def test_a_search_that_runs_out_of_nodes_says_so():
    rng = np.random.default_rng(3)
    fit = np.where(rng.random((6, 4, 4)) < 0.8, -np.inf, 0.0)
    fit[0] = 0.0
    types, labels = rng.normal(size=(16, 4)), 3 * rng.normal(size=(240, 6))
    corpus = TypedPairs.of(np.array([16]), Tables(fit, np.zeros((6, 6))))
    assert not corpus.decode(types, labels, most_nodes=3).proven.all()
    full = corpus.decode(types, labels)
    assert full.proven.all() and full.nodes[0] > 3
    # The structure asks for the best, so it has no allowance.
    parts = corpus.argmax(corpus.numbering.joined(types, labels))
    assert list(parts) == list(corpus.numbering.chosen(full.types, full.labels))


def test_pairs_stand_where_position_says():
    for n in (2, 5):
        for k, (i, j) in enumerate(pair_index(n)):
            assert position(n, int(i), int(j)) == k
    assert pair_index(0).shape == pair_index(1).shape == (0, 2)


def test_scores_of_another_shape_are_refused():
    pair = TypedPairs.of(np.array([2]), Tables.free(3, 2))
    with pytest.raises(ValueError, match="shapes"):
        pair.decode(np.zeros((2, 2)), np.zeros((2, 2)))
    with pytest.raises(ValueError, match="10 parts"):
        pair.argmax(np.zeros(9))


def test_parts_are_numbered_nodes_first_and_know_their_rivals():
    numbering = Numbering.of_sentence(2, n_types=3, n_labels=2)
    parts = [numbering.node(i, t) for i in range(2) for t in range(3)]
    parts += [numbering.pair(p, y) for p in range(2) for y in range(2)]
    assert parts == list(range(numbering.n_parts))
    assert [list(numbering.rivals(part)) for part in (1, 5, 6, 9)] == [[0, 1, 2], [3, 4, 5], [6, 7], [8, 9]]
    scores = np.arange(10.0)
    types, labels = numbering.split(scores)
    assert types.tolist() == [[0, 1, 2], [3, 4, 5]] and labels.tolist() == [[6, 7], [8, 9]]
    assert numbering.joined(types, labels).tolist() == scores.tolist()
    pinned = numbering.pinned(scores, on=(1, 6), off=(9,))
    assert np.flatnonzero(np.isfinite(pinned)).tolist() == [1, 3, 4, 5, 6, 8]
    assert scores.tolist() == list(range(10))
