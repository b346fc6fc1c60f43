"""A curve that is kept in a file says what the same curve in memory says, however few rows are held."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.tuning.curve import Curve, summed
from engine.tuning.long_curve import Changes, LongCurve

place = st.one_of(st.just(-np.inf), st.integers(-6, 6).map(float))
rise = st.integers(0, 4)
block = st.lists(st.tuples(place, rise, rise, rise), max_size=8)
"""Changes at each bias of a block."""


def both(blocks: list[list[tuple[float, int, int, int]]], held: int, exact: bool = True) -> tuple[LongCurve, Curve]:
    """The same curve in runs of at most `held` rows, read one row at a time, and in memory."""
    changes = Changes(held, fewest=1)
    rows = np.array([row for rows in blocks for row in rows]).reshape(-1, 4)
    gold = int(rows[:, 2].sum()) + 1
    for one in blocks:
        own = np.array(one).reshape(-1, 4)
        changes.add(own[:, 0], own[:, 1:].astype(np.int64))
    first = -np.inf if exact else -7.0
    long = LongCurve(changes, gold, exact, first)
    return long, summed(rows[:, 0], rows[:, 1:].astype(np.int64), gold, grid_from=None if exact else first)


@given(st.lists(block, max_size=6), st.integers(1, 5), st.booleans())
def test_every_answer_is_that_of_the_curve_in_memory(blocks, held, exact):
    long, curve = both(blocks, held, exact)
    assert len(long) == len(curve.bias) and long.to_json() == curve.to_json()
    for beta in (0.5, 1.0, 2.0):
        index = curve.best_index(beta)
        assert long.best(beta) == (curve.point(index), curve.bias_of(index))
    for bias in (-9.0, -3.0, 0.5, 9.0):
        assert long.at(bias) == curve.at(bias)
    whole = long.whole()
    for name in ("bias", "correct", "found", "predicted"):
        assert np.array_equal(getattr(whole, name), getattr(curve, name))


@given(st.lists(block, min_size=1, max_size=6), st.integers(1, 5))
def test_pieces_ascend_and_hold_each_bias_once(blocks, held):
    long, _ = both(blocks, held)
    bias = np.concatenate([piece.bias for piece in long.pieces()])
    assert bias[0] == -np.inf and np.all(bias[1:] > bias[:-1])


def test_pieces_are_small_however_many_rows_there_are():
    chance = np.random.default_rng(0)
    changes = Changes(held=256, fewest=8)
    for _ in range(100):
        changes.add(chance.normal(size=100), chance.integers(-2, 3, (100, 3)))
    sizes = [len(rows) for rows in changes.ascending()]
    assert sum(sizes) == 10_000 and max(sizes) <= 34 * 8


def test_two_readers_do_not_disturb_each_other():
    long, curve = both([[(float(i), 1, 1, 1) for i in range(20)]] * 3, held=4)
    pairs = zip(long.points(), long.points(), strict=True)
    assert [one for one, other in pairs if one == other] == list(curve.points())


@given(st.lists(block, min_size=1, max_size=6))
def test_the_area_is_that_below_the_best_precision_at_each_recall_or_more(blocks):
    _, curve = both(blocks, held=3)
    levels = np.unique(np.append(0.0, curve.recall))
    below = [curve.precision[curve.recall >= high].max() for high in levels[1:]]
    assert curve.area() == pytest.approx(float(np.sum(np.diff(levels) * below)))
