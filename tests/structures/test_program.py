"""Programs against enumeration: every rung finds the best legal output, and clashes are explained by a smallest set."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.structures import program as program_module
from engine.structures.base import NO_PINS, Infeasible, Pins, Structure
from engine.structures.program import Conflict, Program, Row


@st.composite
def programs(draw, *, soft=True):
    n = draw(st.integers(1, 6))
    rows = []
    for index in range(draw(st.integers(0, 4))):
        parts = tuple(sorted(draw(st.sets(st.integers(0, n - 1), min_size=1))))
        weights = tuple(float(draw(st.sampled_from([-2, -1, 1, 2]))) for _ in parts)
        sense = draw(st.sampled_from(["<=", ">=", "=="]))
        price = draw(st.sampled_from([None, None, 0.5, 2.0])) if soft and sense != "==" else None
        rows.append(Row(parts, weights, sense, float(draw(st.integers(-2, 3))), f"c{index}", price))
    scores = np.array([draw(st.integers(-4, 4)) / 2 for _ in range(n)])
    return Program(n, rows), scores


def outputs(program, pins=NO_PINS):
    for bits in itertools.product((0, 1), repeat=program.n_parts):
        parts = np.flatnonzero(bits)
        hard = [i for i in program.violated(parts) if program.rows[i].price is None]
        if not hard and set(pins.on) <= set(parts) and not set(pins.off) & set(parts):
            yield parts


def is_feasible(n, rows):
    return next(outputs(Program(n, rows)), None) is not None


@settings(max_examples=60, deadline=None)
@given(programs())
def test_the_ladder_finds_the_best_legal_output_and_the_relaxation_bounds_it(case):
    program, scores = case
    legal = list(outputs(program))
    if not legal:
        with pytest.raises(Infeasible):
            program.solve(scores)
        return
    best = max(program.value(scores, parts) for parts in legal)
    solution = program.solve(scores)
    assert not [i for i in program.violated(solution.parts) if program.rows[i].price is None]
    assert solution.objective == pytest.approx(best)
    assert solution.bound >= best - 1e-7
    if solution.integral:
        assert solution.rung == "lp" and solution.gap <= 1e-6
    assert set(solution.broken) == {i for i in program.violated(solution.parts)}


@settings(max_examples=8, deadline=None)
@given(programs())
def test_cbc_agrees_with_highs(case):
    program, scores = case
    if next(outputs(program), None) is None:
        return
    assert program.cross_check(scores).objective == pytest.approx(program.solve(scores).objective)


@settings(max_examples=40, deadline=None)
@given(programs(soft=False))
def test_a_clash_is_explained_by_a_smallest_clashing_set(case):
    program, scores = case
    if next(outputs(program), None) is not None:
        return
    with pytest.raises(Conflict) as clash:
        program.solve(scores)
    names = [row.name for row in program.rows]
    sizes = [
        k
        for k in range(1, len(names) + 1)
        for chosen in itertools.combinations(program.rows, k)
        if not is_feasible(program.n_parts, chosen)
    ]
    assert len(clash.value.names) == sizes[0]
    assert not is_feasible(program.n_parts, [row for row in program.rows if row.name in clash.value.names])


@settings(max_examples=30, deadline=None)
@given(programs(soft=False), st.data())
def test_pins_hold_and_the_rest_is_best_under_them(case, data):
    program, scores = case
    on = data.draw(st.sets(st.integers(0, program.n_parts - 1), max_size=2))
    off = data.draw(st.sets(st.integers(0, program.n_parts - 1), max_size=2)) - on
    pins = Pins(tuple(on), tuple(off))
    legal = list(outputs(program, pins))
    if not legal:
        with pytest.raises(Infeasible):
            program.argmax(scores, pins=pins)
        return
    assert scores[program.argmax(scores, pins=pins)].sum() == pytest.approx(max(scores[p].sum() for p in legal))


def test_solving_again_with_other_scores_is_as_solving_anew():
    rows = [Row((0, 1, 2), (1.0, 1.0, 1.0), "<=", 1.0, "one"), Row((0, 3), (1.0, -1.0), "<=", 0.0, "needs")]
    kept = Program(4, rows)
    rng = np.random.default_rng(0)
    for _ in range(20):
        scores = rng.normal(size=4)
        assert kept.solve(scores).objective == pytest.approx(Program(4, rows).solve(scores).objective)


def test_branch_and_bound_that_is_stopped_gives_a_legal_output_and_says_so(monkeypatch):
    rng = np.random.default_rng(0)
    n = 220  # its proof takes minutes, a first legal output no time at all
    apart = [Row((i, j), (1.0, 1.0), "<=", 1.0) for i in range(n) for j in range(i) if rng.random() < 0.3]
    monkeypatch.setattr(program_module, "SECONDS", 1.0)
    program = Program(n, apart)
    solution = program.solve(np.ones(n))
    assert solution.rung == "stopped" and program.integer_argmax(np.ones(n))[1] == "stopped"
    assert not program.violated(solution.parts) and 0 < solution.objective == len(solution.parts)
    assert solution.gap > 1


def test_a_fractional_relaxation_is_taken_over_by_the_integer_rung():
    odd_cycle = Program(3, [Row((i, (i + 1) % 3), (1.0, 1.0), "<=", 1.0, "apart") for i in range(3)])
    solution = odd_cycle.solve(np.ones(3))
    assert (solution.rung, solution.integral) == ("milp", False)
    assert solution.relaxed == pytest.approx([0.5, 0.5, 0.5])
    assert (solution.bound, solution.objective, solution.gap) == pytest.approx((1.5, 1.0, 0.5))


def test_forbidden_parts_stay_off_and_unnamed_rows_are_never_blamed():
    program = Program(2, [Row((0, 1), (1.0, 1.0), "==", 1.0), Row((1,), (1.0,), "<=", 0.0, "not one")])
    assert list(program.argmax(np.array([-5.0, 9.0]))) == [0]
    with pytest.raises(Conflict) as clash:
        program.argmax(np.zeros(2), pins=Pins(off=(0,)))
    assert clash.value.names == ("not one", "part 0 pinned off")


def test_a_program_is_a_structure_and_an_empty_one_has_the_empty_output():
    assert isinstance(Program(0), Structure)
    assert list(Program(0).argmax(np.zeros(0))) == []
    assert list(Program(2).argmax(np.array([1.0, -1.0]))) == [0]


def test_forbidding_by_score_can_clash_and_says_so():
    with pytest.raises(Infeasible):
        Program(1, [Row((0,), (1.0,), ">=", 1.0, "wanted")]).argmax(np.array([-np.inf]))
