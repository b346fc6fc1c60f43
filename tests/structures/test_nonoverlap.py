"""The lattice against enumeration: nested, crossing and duplicate spans, ties, forbidden parts, pins."""

from __future__ import annotations

import numpy as np
import pytest

from engine.structures.base import Infeasible, Pins
from engine.structures.nonoverlap import NonOverlap, NonOverlapBatch
from tests.oracles import best_score, disjoint_sets, log_z, marginals, total

N_LATTICES = 1000


def random_lattices(n: int, seed: int = 0, most: int = 7):
    """Spans of every kind; scores continuous, tied, zero and forbidden."""
    rng = np.random.default_rng(seed)
    for i in range(n):
        n_parts = int(rng.integers(0, most + 1))
        starts = rng.integers(0, 6, n_parts)
        ends = starts + rng.integers(1, 4, n_parts)
        scores = rng.normal(0.5, 2, n_parts) if i % 3 else rng.integers(-1, 3, n_parts).astype(float)
        if i % 4 == 0:
            scores[rng.random(n_parts) < 0.2] = -np.inf
        yield starts, ends, scores


def legal(starts, ends, scores):
    return [o for o in disjoint_sets(starts, ends) if all(scores[p] > -np.inf for p in o)]


def test_argmax_log_z_marginals_and_k_best_equal_enumeration_on_a_thousand_lattices():
    for starts, ends, scores in random_lattices(N_LATTICES):
        lattice, outputs = NonOverlap(starts, ends), legal(starts, ends, scores)
        chosen = lattice.argmax(scores)
        assert tuple(chosen) in outputs
        assert total(scores, tuple(chosen)) == pytest.approx(best_score(scores, outputs), abs=1e-12)
        normaliser, on = lattice.marginals(scores)
        assert normaliser == pytest.approx(log_z(scores, outputs), abs=1e-10)
        np.testing.assert_allclose(on, marginals(scores, outputs), atol=1e-10)
        ranked = sorted((total(scores, o) for o in outputs), reverse=True)
        for k in (1, 3, len(outputs) + 2):
            best = lattice.k_best(scores, k)
            np.testing.assert_allclose([value for value, _ in best], ranked[:k], atol=1e-12)
            assert len({tuple(parts) for _, parts in best}) == len(best)
            assert all(value == pytest.approx(total(scores, tuple(parts)), abs=1e-12) for value, parts in best)
            assert tuple(best[0][1]) == tuple(chosen)


def test_of_equal_outputs_the_one_with_fewest_parts_is_chosen():
    rng = np.random.default_rng(5)
    ties = 0
    for starts, ends, _ in random_lattices(400, seed=5, most=9):
        scores = rng.integers(1, 3, len(starts)).astype(float)
        outputs = legal(starts, ends, scores)
        best = best_score(scores, outputs)
        sizes = {len(o) for o in outputs if total(scores, o) == best}
        ties += len(sizes) > 1
        lattice = NonOverlap(starts, ends)
        assert len(lattice.argmax(scores)) == len(lattice.k_best(scores, 1)[0][1]) == min(sizes)
    assert ties > 10


def test_a_part_that_scores_exactly_nothing_stays_off():
    assert list(NonOverlap([0, 2], [1, 3]).argmax(np.array([0.0, 1e-300]))) == [1]


def test_pins_equal_enumeration_of_the_outputs_that_respect_them():
    rng = np.random.default_rng(3)
    clashes = 0
    for starts, ends, scores in random_lattices(400, seed=3):
        role = rng.choice(3, len(starts), p=[0.6, 0.2, 0.2])
        pins = Pins(on=tuple(np.flatnonzero(role == 1)), off=tuple(np.flatnonzero(role == 2)))
        lattice = NonOverlap(starts, ends)
        outputs = [o for o in legal(starts, ends, scores) if set(pins.on) <= set(o) and not set(pins.off) & set(o)]
        if not outputs:
            clashes += 1
            with pytest.raises(Infeasible, match="pinned"):
                lattice.argmax(scores, pins=pins)
            continue
        chosen = lattice.argmax(scores, pins=pins)
        assert tuple(chosen) in outputs
        assert total(scores, tuple(chosen)) == pytest.approx(best_score(scores, outputs), abs=1e-12)
        normaliser, on = lattice.marginals(scores, pins=pins)
        assert normaliser == pytest.approx(log_z(scores, outputs), abs=1e-10)
        np.testing.assert_allclose(on, marginals(scores, outputs), atol=1e-10)
        ranked = sorted((total(scores, o) for o in outputs), reverse=True)
        np.testing.assert_allclose([v for v, _ in lattice.k_best(scores, 4, pins=pins)], ranked[:4], atol=1e-12)
    assert clashes > 5


def test_a_batch_is_its_documents_side_by_side():
    lattices = list(random_lattices(60, seed=9))
    singles = [NonOverlap(starts, ends) for starts, ends, _ in lattices]
    batch = NonOverlapBatch.of(singles)
    scores = np.concatenate([s for _, _, s in lattices])
    chosen, (log_zs, on) = batch.argmax(scores), batch.marginals_by_document(scores)
    for d, (single, (_, _, own)) in enumerate(zip(singles, lattices, strict=True)):
        rows = slice(batch.offsets[d], batch.offsets[d + 1])
        mine = chosen[(chosen >= rows.start) & (chosen < rows.stop)] - rows.start
        assert list(mine) == list(single.argmax(own)) == list(batch.single(d).argmax(own))
        normaliser, probabilities = single.marginals(own)
        assert log_zs[d] == normaliser
        assert (on[rows] == probabilities).all()
    assert batch.marginals(scores)[0] == pytest.approx(log_zs.sum())


def test_completion_takes_most_consistent_parts_and_sums_over_nothing_else():
    rng = np.random.default_rng(4)
    for starts, ends, scores in random_lattices(300, seed=4):
        consistent = rng.random(len(starts)) < 0.5
        allowed = [o for o in legal(starts, ends, scores) if all(consistent[p] for p in o)]
        most = max(map(len, allowed))
        outputs = [o for o in allowed if len(o) == most]
        lattice = NonOverlap(starts, ends)
        chosen = tuple(lattice.completion(scores, consistent))
        assert chosen in outputs
        assert total(scores, chosen) == pytest.approx(best_score(scores, outputs), abs=1e-9)
        normaliser, on = lattice.completion_marginals(scores, consistent)
        assert normaliser.sum() == pytest.approx(log_z(scores, outputs), abs=1e-9)
        np.testing.assert_allclose(on, marginals(scores, outputs), atol=1e-9)


def test_without_overlap_between_spans_each_mention_is_a_softmax_and_each_part_a_sigmoid():
    starts, ends = np.array([0, 0, 1, 1]), np.array([2, 2, 3, 3])
    scores = np.array([1.0, 2.0, -1.0, 0.5])
    lattice = NonOverlap(starts, ends)
    weights = np.exp(scores).reshape(2, 2)
    by_span = lattice.by_span().marginals(scores)[1]
    np.testing.assert_allclose(by_span, (weights / (1 + weights.sum(1, keepdims=True))).ravel())
    np.testing.assert_allclose(lattice.apart().marginals(scores)[1], 1 / (1 + np.exp(-scores)))


def test_log_space_survives_scores_that_overflow():
    lattice = NonOverlap([0, 1, 0], [1, 2, 2])
    scores = np.array([800.0, 900.0, 1700.0])
    normaliser, on = lattice.marginals(scores)
    assert normaliser == pytest.approx(1700 + np.log(2))
    np.testing.assert_allclose(on, [0.5, 0.5, 0.5])


@pytest.mark.parametrize(
    ("starts", "ends", "message"),
    [([0], [0], "covers no token"), ([0, 1], [2], "starts but"), ([0.5], [1.0], "whole numbers")],
)
def test_spans_that_make_no_sense_are_refused(starts, ends, message):
    with pytest.raises(ValueError, match=message):
        NonOverlap(starts, ends)


def test_scores_that_are_not_numbers_are_refused():
    with pytest.raises(ValueError, match="not a number"):
        NonOverlap([0], [1]).argmax(np.array([np.nan]))


def test_an_empty_lattice_has_one_output():
    lattice = NonOverlap([], [])
    assert lattice.marginals(np.zeros(0))[0] == 0.0
    assert [(value, list(parts)) for value, parts in lattice.k_best(np.zeros(0), 3)] == [(0.0, [])]
