"""Curves and steps that wait in files say piece by piece what they say in memory."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.tuning import band
from engine.tuning.band import bootstrap_band
from engine.tuning.curve import Curve, Steps
from engine.tuning.in_pieces import extremes, finite_ends, n_points, points_at, ranks_of
from engine.tuning.long_curve import Changes, LongCurve
from engine.tuning.long_steps import LongSteps
from engine.tuning.sketch import sketch
from tests.tuning.test_band import random_curve


def long(curve: Curve, held: int = 3) -> LongCurve:
    """The same curve in a file, read in small pieces."""
    changes = Changes(held, fewest=1)
    rows = curve.changes()
    for first in range(0, len(rows), held):
        changes.add(curve.bias[first : first + held], rows[first : first + held])
    return LongCurve(changes, curve.gold, curve.exact, curve.first)


def long_steps(steps: Steps, at_once: int) -> LongSteps:
    found = LongSteps()
    for piece in steps.pieces(at_once):
        found.add(piece)
    return found


@given(st.integers(0, 10_000), st.integers(1, 5))
def test_questions_to_pieces_have_the_answers_of_the_whole(seed, held):
    curve = random_curve(seed, n=6)
    pieces = long(curve, held)
    assert n_points(pieces) == len(curve.bias)
    finite = curve.bias[np.isfinite(curve.bias)]
    assert finite_ends(pieces) == ((finite[0], finite[-1]) if len(finite) else None)
    biases = np.concatenate([curve.bias, curve.bias[1:] + 0.01, [-9.0, 9.0]])
    assert ranks_of(pieces, biases).tolist() == [curve.index_at(bias) for bias in biases]
    ranks = np.arange(0, len(curve.bias), 2)
    some = points_at(pieces, ranks)
    for name in ("bias", "correct", "found", "predicted", "precision", "recall"):
        assert np.array_equal(getattr(some, name), getattr(curve, name)[ranks]), name


@given(st.integers(0, 10_000), st.integers(1, 5), st.data())
def test_extremes_are_those_of_the_points_in_each_range(seed, held, data):
    curve = random_curve(seed, n=6)
    rank = st.integers(0, len(curve.bias) - 1)
    ranges = [sorted(one) for one in data.draw(st.lists(st.tuples(rank, rank), max_size=4))]
    first, last = np.array(ranges, dtype=np.int64).reshape(-1, 2).T
    found = extremes(long(curve, held), first, last, lambda piece: (piece.known_precision, piece.recall))
    for own, values in zip(found, (curve.known_precision, curve.recall), strict=True):
        for (low, high), (a, b) in zip(own, ranges, strict=True):
            near = values[a : b + 1][np.isfinite(values[a : b + 1])]
            wanted = [near.min(), near.max()] if len(near) else [np.nan, np.nan]
            assert np.array_equal([low, high], wanted, equal_nan=True)


@given(st.integers(0, 10_000), st.integers(1, 5), st.integers(1, 5))
def test_steps_in_a_file_are_those_that_were_added(seed, added, read):
    steps = random_curve(seed, n=9).steps
    found = long_steps(steps, added)
    assert len(found) == len(steps) == 9
    for mine, theirs in zip(found.pieces(read), steps.pieces(read), strict=True):
        for name in ("document", "bias", "counts", "gold"):
            assert np.array_equal(getattr(mine, name), getattr(theirs, name)), name


@given(st.integers(0, 10_000), st.integers(1, 5))
def test_a_sketch_of_a_long_curve_shows_the_curve_and_its_band(seed, held):
    curve = random_curve(seed, n=9)
    made = sketch(long(curve, held), long_steps(curve.steps, held), 0.25)
    assert (made.n_points, made.area) == (len(curve.bias), curve.area())
    assert made.ranks.tolist() == list(range(len(curve.bias))) and made.chosen == curve.index_at(0.25)
    best = curve.best_index()
    assert made.best == (curve.point(best), curve.bias_of(best))
    expected = bootstrap_band(curve, points=60)
    assert made.band_ranks.tolist() == [curve.index_at(bias) for bias in expected.bias]
    for name in ("bias", "precision", "recall", "f"):
        assert np.array_equal(getattr(made.band, name), getattr(expected, name), equal_nan=True), name


def test_a_sketch_of_many_points_shows_some_with_the_chosen_and_the_best_among_them():
    curve = random_curve(3, n=900)
    made = sketch(long(curve, 100), None, 0.25)
    assert 600 <= len(made.ranks) <= 602 < len(curve.bias) == made.n_points
    assert made.ranks[made.chosen] == curve.index_at(0.25) and curve.best_index() in made.ranks
    assert made.band is None and not len(made.band_ranks)


def test_a_band_is_the_same_however_many_documents_are_resampled_at_once(monkeypatch):
    curve = random_curve(2, n=30)
    whole = bootstrap_band(curve)
    monkeypatch.setattr(band, "_AT_ONCE", 4)
    again = bootstrap_band(curve)
    for name in ("precision", "recall", "f"):
        assert np.array_equal(getattr(again, name), getattr(whole, name), equal_nan=True), name


def test_one_document_has_no_band():
    curve = random_curve(5, n=1)
    assert sketch(long(curve), long_steps(curve.steps, 1), 0.0).band is None
