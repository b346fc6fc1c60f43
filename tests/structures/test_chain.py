"""Chains and segmentations: worked examples and edges; the laws are in test_contract.py."""

from __future__ import annotations

import numpy as np
import pytest

from engine.structures.base import Infeasible, Pins
from engine.structures.chain import Chain, Paths, PathsBatch, Segments


def test_a_chain_of_two_positions_by_hand():
    chain = Chain(2, 2)
    # Start with label 1 (score 1); from 1 to 0 costs 3, staying in 1 gives 2.
    scores = np.array([0.0, 1.0, 0.5, 0.5, -3.0, 2.0])
    best = chain.argmax(scores)
    assert chain.labels_of(best).tolist() == [1, 1]
    assert list(best) == list(chain.parts_of([1, 1]))
    normaliser, on = chain.marginals(scores)
    assert normaliser == pytest.approx(np.logaddexp.reduce([0.5, 0.5, -2.0, 3.0]))
    assert on[5] == pytest.approx(np.exp(3.0 - normaliser))


def test_labels_and_parts_are_two_names_for_one_output():
    rng = np.random.default_rng(0)
    chain = Chain(6, 4)
    for _ in range(20):
        labels = rng.integers(0, 4, 6)
        assert (chain.labels_of(chain.parts_of(labels)) == labels).all()


def test_segments_cover_every_position_once():
    segments = Segments(5, 3, 2)
    rng = np.random.default_rng(1)
    for _ in range(20):
        chosen = segments.argmax(rng.normal(size=segments.n_parts))
        covered = np.concatenate([np.arange(segments.starts[p], segments.ends[p]) for p in chosen])
        assert sorted(covered) == list(range(5))
    assert len(segments.argmax(np.where(segments.ends - segments.starts == 1, 1.0, 0.0))) == 5


def test_one_position_is_a_choice_of_a_label():
    chain = Chain(1, 3)
    assert list(chain.argmax(np.array([0.0, 2.0, 1.0]))) == [1]
    np.testing.assert_allclose(chain.marginals(np.zeros(3))[1], 1 / 3)


def test_a_pinned_transition_fixes_both_labels():
    chain = Chain(3, 2)
    transition = 2 + 4 + 1 * 2 + 0  # label 1 at position 1, label 0 at position 2
    chosen = chain.argmax(np.zeros(chain.n_parts), pins=Pins(on=(transition,)))
    assert chain.labels_of(chosen).tolist()[1:] == [1, 0]
    with pytest.raises(Infeasible, match="respects the pins"):
        chain.argmax(np.zeros(chain.n_parts), pins=Pins(on=(transition, 2 + 0 * 2 + 0)))


def test_forbidding_every_path_is_said_and_names_the_document():
    batch = PathsBatch.of([Chain(1, 2), Chain(1, 2)])
    scores = np.array([0.0, 0.0, -np.inf, -np.inf])
    with pytest.raises(Infeasible, match="document 1"):
        batch.argmax(scores)
    with pytest.raises(Infeasible, match="document 1"):
        batch.marginals(scores)


def test_parts_that_do_not_lead_forward_are_refused():
    with pytest.raises(ValueError, match="forward"):
        Paths([1], [1], 2)
