"""The bias path against brute force: on a grid, at its breakpoints, and at both ends."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from engine.structures.base import Infeasible, Pins
from engine.structures.nonoverlap import NonOverlap, NonOverlapBatch
from engine.tuning.path import bias_path, bias_paths
from tests.oracles import disjoint_sets, total
from tests.structures.test_nonoverlap import N_LATTICES, legal, random_lattices

GRID = np.linspace(-6, 6, 25)


def biased(scores, output, bias) -> float:
    return total(scores, output) - bias * len(output)


def test_the_path_is_the_best_output_at_every_bias_on_a_thousand_lattices():
    for starts, ends, scores in random_lattices(N_LATTICES, seed=21):
        lattice, outputs = NonOverlap(starts, ends), legal(starts, ends, scores)
        path = bias_path(lattice, scores)
        biases = [bias for bias, _ in path]
        assert biases[0] == -np.inf
        assert all(a < b for a, b in itertools.pairwise(biases))
        sizes = [len(parts) for _, parts in path]
        assert all(a > b for a, b in itertools.pairwise(sizes))
        # At -inf: the largest set, and of those the best.
        most = max(map(len, outputs))
        best_of_most = max(total(scores, o) for o in outputs if len(o) == most)
        assert sizes[0] == most
        assert total(scores, tuple(path[0][1])) == pytest.approx(best_of_most)
        assert sizes[-1] == 0
        between = [(a + b) / 2 for a, b in itertools.pairwise(biases[1:])]
        for bias in (*GRID, *biases[1:], *between):
            parts = tuple(path[int(np.searchsorted(biases, bias, side="right")) - 1][1])
            assert parts in outputs
            best = max(biased(scores, o, bias) for o in outputs)
            assert biased(scores, parts, bias) == pytest.approx(best, abs=1e-9)


def test_at_a_breakpoint_the_smaller_output_holds_already():
    path = bias_path(NonOverlap([0, 1], [1, 2]), np.array([2.0, 1.0]))
    assert [(bias, list(parts)) for bias, parts in path] == [(-np.inf, [0, 1]), (1.0, [0]), (2.0, [])]
    assert list(NonOverlap([0, 1], [1, 2]).argmax(np.array([2.0, 1.0]) - 1.0)) == [0]


def test_without_ties_the_path_is_what_decoding_gives():
    rng = np.random.default_rng(5)
    for starts, ends, _ in random_lattices(200, seed=22, most=14):
        scores = rng.normal(size=len(starts))
        lattice = NonOverlap(starts, ends)
        path = bias_path(lattice, scores)
        biases = [bias for bias, _ in path]
        for bias in GRID:
            parts = path[int(np.searchsorted(biases, bias, side="right")) - 1][1]
            assert list(parts) == list(lattice.argmax(scores - bias))


def test_paths_of_a_batch_are_the_paths_of_its_documents():
    lattices = list(random_lattices(80, seed=23))
    batch = NonOverlapBatch.of([NonOverlap(starts, ends) for starts, ends, _ in lattices])
    paths = bias_paths(batch, np.concatenate([scores for _, _, scores in lattices]))
    sizes = paths.sums(np.ones(batch.n_parts, np.int64))
    at = 0
    for d, (starts, ends, scores) in enumerate(lattices):
        alone = bias_path(NonOverlap(starts, ends), scores)
        joint = paths.steps(d)
        assert [bias for bias, _ in alone] == [bias for bias, _ in joint]
        for (_, own), (_, shared) in zip(alone, joint, strict=True):
            assert list(own) == list(shared - batch.offsets[d])
            assert sizes[at] == len(own)
            at += 1


def test_pinned_parts_stay_on_or_off_along_the_whole_path():
    rng = np.random.default_rng(6)
    for starts, ends, scores in random_lattices(150, seed=24):
        finite = np.flatnonzero(np.isfinite(scores))
        if len(finite) < 2:
            continue
        on, off = rng.choice(finite, 2, replace=False)
        pins = Pins(on=(int(on),), off=(int(off),))
        outputs = [o for o in legal(starts, ends, scores) if on in o and off not in o]
        path = bias_path(NonOverlap(starts, ends), scores, pins=pins)
        biases = [bias for bias, _ in path]
        for bias in GRID:
            parts = tuple(path[int(np.searchsorted(biases, bias, side="right")) - 1][1])
            assert parts in outputs
            assert biased(scores, parts, bias) == pytest.approx(max(biased(scores, o, bias) for o in outputs))
    with pytest.raises(Infeasible):
        bias_path(NonOverlap([0, 0], [1, 2]), np.zeros(2), pins=Pins(on=(0, 1)))


def test_a_document_without_parts_has_one_step():
    paths = bias_paths(NonOverlapBatch([0], [1], [0, 0, 1, 1]), np.array([3.0]))
    assert [[(b, list(p)) for b, p in paths.steps(d)] for d in range(3)] == [
        [(-np.inf, [])],
        [(-np.inf, [0]), (3.0, [])],
        [(-np.inf, [])],
    ]


def test_sizes_off_the_hull_are_skipped():
    """Three equal parts leave together."""
    path = bias_path(NonOverlap([0, 1, 2], [1, 2, 3]), np.full(3, 1.5))
    assert [(bias, len(parts)) for bias, parts in path] == [(-np.inf, 3), (1.5, 0)]
    assert sum(1 for _ in disjoint_sets([0, 1, 2], [1, 2, 3])) == 8
