"""Typed pairs against enumeration: decoding, the path of the bias, values, and what is forbidden."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.structures.typed_pairs import Corpus, Tables, decode, pair_index, position, value

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
    return Corpus.of(types, labels, np.array([n]), tie), Tables(fit.astype(float), both)


def best_by_enumeration(sentence, tables, bias):
    n = int(sentence.node_starts[1])
    best = -np.inf
    for types in itertools.product(range(N_TYPES), repeat=n):
        total = sum(sentence.types[i, t] for i, t in enumerate(types))
        for i, j in itertools.combinations(range(n), 2):
            p, q = position(n, i, j), position(n, j, i)
            options = [
                sentence.labels[p, a]
                + tables.fit[a, types[i], types[j]]
                + sentence.labels[q, b]
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
    sentence, tables = case
    found = decode(sentence, tables, bias)
    assert found.proven.all()
    assert found.objective[0] == pytest.approx(best_by_enumeration(sentence, tables, bias))
    if np.isfinite(found.objective[0]):
        again = value(sentence, tables, found.types, found.labels)[0] + bias * (found.labels == 0).sum()
        assert again == pytest.approx(found.objective[0])


def test_a_batch_is_decoded_as_its_sentences_one_by_one():
    rng = np.random.default_rng(1)
    sizes = np.array([0, 1, 3, 6, 2, 8])
    types = rng.normal(size=(sizes.sum(), 4))
    labels = rng.normal(size=((sizes * (sizes - 1)).sum(), 5))
    tables = Tables(np.where(rng.random((5, 4, 4)) < 0.5, -np.inf, 0.0), np.zeros((5, 5)))
    tables.fit[0] = 0.0
    corpus = Corpus.of(types, labels, sizes)
    bias = rng.normal(size=len(corpus))
    together = decode(corpus, tables, bias)
    for s in range(len(corpus)):
        alone = decode(corpus.sentence(s), tables, float(bias[s]))
        assert alone.objective[0] == pytest.approx(together.objective[s])
        a, b = corpus.node_starts[s], corpus.node_starts[s + 1]
        assert (alone.types == together.types[a:b]).all()


def test_free_tables_decide_every_variable_alone():
    rng = np.random.default_rng(2)
    corpus = Corpus.of(rng.normal(size=(5, 3)), rng.normal(size=(20, 4)), np.array([5]))
    found = decode(corpus, Tables.free(3, 4))
    assert (found.types == corpus.types.argmax(axis=1)).all()
    assert (found.labels == corpus.labels.argmax(axis=1)).all()


def test_a_search_that_runs_out_of_nodes_says_so():
    rng = np.random.default_rng(3)
    fit = np.where(rng.random((6, 4, 4)) < 0.8, -np.inf, 0.0)
    fit[0] = 0.0
    corpus = Corpus.of(rng.normal(size=(16, 4)), 3 * rng.normal(size=(240, 6)), np.array([16]))
    assert not decode(corpus, Tables(fit, np.zeros((6, 6))), most_nodes=3).proven.all()


def test_pairs_stand_where_position_says():
    for n in (2, 5):
        for k, (i, j) in enumerate(pair_index(n)):
            assert position(n, int(i), int(j)) == k
