"""Upper envelopes of lines against looking at every line."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.tuning.envelope import Line, envelopes

lines = st.lists(st.tuples(st.integers(-8, 8), st.integers(0, 5)), min_size=1, max_size=9)


def solver(problems):
    def solve(which, bias):
        found = []
        for k, b in zip(which.tolist(), bias.tolist(), strict=True):
            base, slope = max(problems[k], key=lambda line: line[0] + line[1] * b)
            found.append(Line(float(base), float(slope), (base, slope)))
        return found

    return solve


@given(st.lists(lines, min_size=1, max_size=4))
def test_every_step_is_best_between_its_breakpoints(problems):
    for own, steps in zip(problems, envelopes(solver(problems), np.full(len(problems), 100.0)), strict=True):
        bias = [at for at, _ in steps]
        assert bias[0] == -np.inf and np.all(np.diff(bias) > 0)
        slopes = [slope for _, (_, slope) in steps]
        assert np.all(np.diff(slopes) > 0)
        inner = [(a + b) / 2 for a, b in itertools.pairwise(bias[1:])]
        for at in [min([*bias[1:], 0.0]) - 1.0, *inner, max([*bias[1:], 0.0]) + 1.0]:
            _, (base, slope) = next(step for step in reversed(steps) if step[0] <= at)
            assert base + slope * at == pytest.approx(max(b + s * at for b, s in own))


def test_a_line_that_touches_the_best_value_in_one_point_is_no_step():
    """Three lines through one corner: slopes 0, 1 and 2 are equally good there, and 1 is best nowhere."""
    for shift in (0.0, 0.1, 1e3 / 3):
        own = [(2 + 2 * shift, 0), (1 + shift, 1), (0.0, 2)]
        (steps,) = envelopes(solver([own]), np.array([1e4]))
        assert [bias for bias, _ in steps] == [-np.inf, pytest.approx(1.0 + shift)]
        assert [slope for _, (_, slope) in steps] == [0, 2]


def test_a_line_found_at_the_corner_of_two_others_leaves_no_step():
    """The solver may answer with the one line of three that is best in their common point alone."""
    own = [(1.0, 2), (1.0, 1), (1.0, 3), (0.5, 0), (0.5, 4)]
    (steps,) = envelopes(solver([own]), np.array([1e4]))
    assert [slope for _, (_, slope) in steps] == [0, 1, 3, 4]
    assert [bias for bias, _ in steps] == [
        -np.inf,
        pytest.approx(-0.5),
        pytest.approx(0.0, abs=1e-9),
        pytest.approx(0.5),
    ]


def test_no_problem_has_no_envelope():
    assert envelopes(solver([]), np.zeros(0)) == []
