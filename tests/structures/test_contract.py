"""The laws of a structure, on every registered one, against enumeration."""

from __future__ import annotations

import numpy as np
import pytest

from engine.structures.base import Batch, Declining, Infeasible, Normalised, Pins, Structure, restrict
from engine.structures.program import Program, Row
from tests.oracles import best_score, log_z, marginals, numerical_gradient, total
from tests.structures.registry import CASES, Case


def samples(case: Case, seed: int = 0):
    """Samples with continuous scores and, every third time, with ties."""
    rng = np.random.default_rng([seed, *case.name.encode()])
    for i in range(case.samples):
        sample = case.make(rng)
        n = sample.structure.n_parts
        scores = rng.normal(0, 2, n) if i % 3 else rng.integers(-2, 3, n).astype(float)
        yield rng, sample, scores


every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
normalised_case = pytest.mark.parametrize("case", [c for c in CASES if c.normalised], ids=lambda case: case.name)


@every_case
def test_argmax_is_the_best_legal_output_in_order(case):
    for _, sample, scores in samples(case):
        chosen = sample.structure.argmax(scores)
        assert isinstance(sample.structure, Structure)
        assert list(chosen) == sorted(set(chosen))
        assert tuple(int(p) for p in chosen) in set(sample.outputs)
        assert total(scores, tuple(chosen)) == pytest.approx(best_score(scores, sample.outputs), abs=1e-9)


@every_case
def test_scores_are_left_as_they_were_and_the_answer_is_the_same_again(case):
    for _, sample, scores in samples(case, seed=1):
        before = scores.copy()
        first = list(sample.structure.argmax(scores))
        assert first == list(sample.structure.argmax(scores))
        if case.normalised:
            sample.structure.marginals(scores)
        np.testing.assert_array_equal(scores, before)


@every_case
def test_restricted_parts_stay_off_and_the_rest_is_best(case):
    for rng, sample, scores in samples(case, seed=2):
        allowed = rng.random(len(scores)) < 0.7
        outputs = [o for o in sample.outputs if all(allowed[p] for p in o)]
        if not outputs:
            with pytest.raises(Infeasible):
                sample.structure.argmax(restrict(scores, allowed))
            continue
        chosen = sample.structure.argmax(restrict(scores, allowed))
        assert tuple(int(p) for p in chosen) in set(outputs)
        assert total(scores, tuple(chosen)) == pytest.approx(best_score(scores, outputs), abs=1e-9)
        if case.normalised:
            normaliser, on = sample.structure.marginals(restrict(scores, allowed))
            assert normaliser == pytest.approx(log_z(scores, outputs), abs=1e-9)
            assert (on[~allowed] == 0).all()


@every_case
def test_pins_leave_exactly_the_outputs_that_respect_them(case):
    refused = 0
    for rng, sample, scores in samples(case, seed=3):
        role = rng.choice(3, len(scores), p=[0.5, 0.35, 0.15])
        pins = Pins(tuple(int(p) for p in np.flatnonzero(role == 1)), tuple(int(p) for p in np.flatnonzero(role == 2)))
        outputs = [o for o in sample.outputs if set(pins.on) <= set(o) and not set(pins.off) & set(o)]
        if not outputs:
            refused += 1
            with pytest.raises(Infeasible) as refusal:
                sample.structure.argmax(scores, pins=pins)
            assert len(str(refusal.value)) > 10
            continue
        chosen = sample.structure.argmax(scores, pins=pins)
        assert tuple(int(p) for p in chosen) in set(outputs)
        assert total(scores, tuple(chosen)) == pytest.approx(best_score(scores, outputs), abs=1e-9)
        if case.normalised:
            normaliser, on = sample.structure.marginals(scores, pins=pins)
            assert normaliser == pytest.approx(log_z(scores, outputs), abs=1e-9)
            np.testing.assert_allclose(on, marginals(scores, outputs), atol=1e-9)
    assert 0 < refused < case.samples


@every_case
def test_a_constant_on_parts_of_which_every_output_has_one_changes_no_choice(case):
    for rng, sample, _ in samples(case, seed=4):
        scores = rng.normal(size=sample.structure.n_parts)
        for group in sample.groups:
            raised = scores.copy()
            raised[list(group)] += 3.0
            assert list(sample.structure.argmax(raised)) == list(sample.structure.argmax(scores))


@every_case
def test_permuting_parts_permutes_the_answer(case):
    for rng, sample, _ in samples(case, seed=5):
        if sample.permuted is None:
            continue
        scores = rng.normal(size=sample.structure.n_parts)
        order = rng.permutation(len(scores))
        moved = sample.permuted(order).argmax(scores[order])
        assert sorted(order[moved]) == list(sample.structure.argmax(scores))


@every_case
def test_completion_is_the_best_output_with_most_consistent_parts(case):
    for rng, sample, scores in samples(case, seed=6):
        if not isinstance(sample.structure, Declining):
            continue
        consistent = rng.random(len(scores)) < 0.6
        outputs = [o for o in sample.outputs if all(consistent[p] for p in o)]
        if not outputs:
            continue
        most = max(map(len, outputs)) if case.declines else 0
        best = [o for o in outputs if len(o) == most] if case.declines else outputs
        # In a batch every document must have its most.
        chosen = tuple(int(p) for p in sample.structure.completion(scores, consistent))
        assert chosen in set(best)
        assert total(scores, chosen) == pytest.approx(best_score(scores, best), abs=1e-9)
        if isinstance(sample.structure, Batch):
            by_document, on = sample.structure.completion_marginals(scores, consistent)
            assert by_document.sum() == pytest.approx(log_z(scores, best), abs=1e-9)
            np.testing.assert_allclose(on, marginals(scores, best), atol=1e-9)


@normalised_case
def test_marginals_equal_enumeration_and_are_the_gradient_of_log_z(case):
    for i, (_, sample, scores) in enumerate(samples(case, seed=7)):
        assert isinstance(sample.structure, Normalised)
        normaliser, on = sample.structure.marginals(scores)
        assert normaliser == pytest.approx(log_z(scores, sample.outputs), abs=1e-9)
        np.testing.assert_allclose(on, marginals(scores, sample.outputs), atol=1e-9)
        if i % 10 == 0:
            gradient = numerical_gradient(lambda s: sample.structure.marginals(s)[0], scores)  # noqa: B023
            np.testing.assert_allclose(on, gradient, atol=1e-6)


@normalised_case
def test_with_zero_scores_log_z_counts_the_outputs(case):
    for _, sample, scores in samples(case, seed=8):
        normaliser, _ = sample.structure.marginals(np.zeros_like(scores))
        assert normaliser == pytest.approx(np.log(len(sample.outputs)), abs=1e-9)


@normalised_case
def test_the_best_score_is_at_most_log_z(case):
    for _, sample, scores in samples(case, seed=9):
        best = total(scores, tuple(sample.structure.argmax(scores)))
        assert best <= sample.structure.marginals(scores)[0] + 1e-9


@pytest.mark.parametrize("case", [c for c in CASES if c.large], ids=lambda case: case.name)
def test_at_a_hundred_parts_an_integer_program_agrees(case):
    rng = np.random.default_rng(10)
    structure, rows = case.large(rng)
    # A part given as ~p counts -1 in its row.
    program = Program(
        structure.n_parts,
        [
            Row(
                tuple(p if p >= 0 else ~p for p in parts),
                tuple(1.0 if p >= 0 else -1.0 for p in parts),
                sense,
                bound,
            )
            for parts, sense, bound in rows
        ],
    )
    for _ in range(5):
        scores = rng.normal(0.5, 1, structure.n_parts)
        own, other = structure.argmax(scores), program.argmax(scores)
        assert total(scores, tuple(own)) == pytest.approx(total(scores, tuple(other)), abs=1e-6)
