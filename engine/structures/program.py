"""Sets of parts under linear constraints: LP relaxation, integer program, and minimal sets of conflicting rows.

An output is a 0/1 vector x, one entry per part; every row requires weights . x <= bound (or >=, or ==). A row with a
price may be broken, at that price per unit. `solve` tries the LP in [0, 1] first; if its optimum is integral, it is the
answer (its value bounds every integral one), else branch and bound follows. This is the relaxation of Roth and Yih
(CoNLL 2004).

Programs are built with PuLP and solved by HiGHS in this process. The solver keeps its model, so that solving it again
with other scores needs no building and starts from the last basis. CBC, an independent solver, serves to check HiGHS.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal, TypeAlias

import numpy as np
import pulp

from engine.arrays import Floats
from engine.structures.base import NO_PINS, Infeasible, Parts, Pins, Scores

Sense: TypeAlias = Literal["<=", ">=", "=="]
Rung: TypeAlias = Literal["search", "lp", "milp", "stopped", "cbc"]
"""Who gave the answer; `stopped`: branch and bound, which ran out of time and gives the best output it has found."""

SECONDS: Final = 5.0
"""How long branch and bound may take. Real sentences take milliseconds; forty mentions that are all alike have so many
equally good outputs that no proof would end."""

INTEGRAL: Final = 1e-6
"""A relaxed value closer than this to 0 or 1 counts as integral; HiGHS satisfies rows to within 1e-7."""
TIGHT: Final = 1e-6


@dataclass(frozen=True)
class Row:
    """weights . x[parts] (sense) bound. Rows with the same name form one constraint; unnamed rows are never reported in
    a conflict."""

    parts: tuple[int, ...]
    weights: tuple[float, ...]
    sense: Sense
    bound: float
    name: str = ""
    price: float | None = None
    """None: hard. Otherwise the cost of one unit of violation."""

    def __post_init__(self) -> None:
        if len(self.parts) != len(self.weights):
            raise ValueError(f"row {self.name!r} has {len(self.parts)} parts and {len(self.weights)} weights")
        if len(set(self.parts)) != len(self.parts):
            raise ValueError(f"row {self.name!r} names a part twice")
        if self.price is not None and not self.price >= 0:
            raise ValueError(f"row {self.name!r} has the price {self.price}; it must be at least 0")

    def excess(self, values: Floats) -> float:
        """By how much the values break the row; 0 if they satisfy it."""
        left = float(np.dot(self.weights, values[list(self.parts)])) if self.parts else 0.0
        over, under = left - self.bound, self.bound - left
        return max(0.0, {"<=": over, ">=": under, "==": abs(over)}[self.sense])

    def is_tight(self, values: Floats) -> bool:
        left = float(np.dot(self.weights, values[list(self.parts)])) if self.parts else 0.0
        return abs(left - self.bound) <= TIGHT


class Conflict(Infeasible):
    """Hard rows that cannot hold together; `names` is a minimal set of them."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        if not names:
            text = "no legal output exists, whatever the named constraints"
        elif len(names) == 1:
            text = f"{names[0]!r} cannot hold here at all"
        else:
            text = f"these cannot hold together: {', '.join(repr(name) for name in names)}"
        super().__init__(text)


@dataclass(frozen=True, eq=False)
class Solution:
    """The best output, and how it was found."""

    parts: Parts
    objective: float
    rung: Rung
    integral: bool
    """Whether the LP relaxation was integral."""
    bound: float
    """The value of the LP relaxation; no output scores higher."""
    relaxed: Scores
    """The LP's values in [0, 1], fractional where the LP is undecided."""
    binding: tuple[int, ...]
    """Named rows that hold with equality: after the LP rung those with a dual price, else those the output touches."""
    broken: tuple[int, ...]
    """Soft rows that the output breaks."""

    @property
    def gap(self) -> float:
        return max(0.0, self.bound - self.objective)


@dataclass(frozen=True, eq=False)
class _Answer:
    values: Floats
    duals: Floats
    objective: float
    proven: bool = True


class Program:
    """The 0/1 vectors that satisfy every hard row."""

    def __init__(self, n_parts: int, rows: Iterable[Row] = ()) -> None:
        self._n_parts = n_parts
        self.rows = tuple(rows)
        for row in self.rows:
            if row.parts and not (0 <= min(row.parts) and max(row.parts) < n_parts):
                raise ValueError(f"row {row.name!r} names part {max(row.parts)}, but there are {n_parts}")
        self._soft = [index for index, row in enumerate(self.rows) if row.price is not None]

    @property
    def n_parts(self) -> int:
        return self._n_parts

    def argmax(self, scores: Scores, *, pins: Pins = NO_PINS) -> Parts:
        return self.solve(scores, pins=pins).parts

    def integer_argmax(self, scores: Scores, *, pins: Pins = NO_PINS) -> tuple[Parts, Rung]:
        """The best output by branch and bound, without trying the LP first."""
        whole = self._whole(scores, pins)
        return np.flatnonzero(whole.values[: self.n_parts] > 0.5), _rung(whole)

    def _whole(self, scores: Scores, pins: Pins) -> _Answer:
        whole = self._highs.run(*self._box(scores, pins), integer=True)
        if whole is None:
            raise self.conflict(pins, scores)
        return whole

    def relax(self, scores: Scores, *, pins: Pins = NO_PINS) -> Scores:
        """The LP's optimum in [0, 1]."""
        return self._relaxed(scores, pins).values[: self.n_parts]

    def solve(self, scores: Scores, *, pins: Pins = NO_PINS) -> Solution:
        """The best output by the LP if it is integral, else by branch and bound."""
        relaxed = self._relaxed(scores, pins)
        values = relaxed.values[: self.n_parts]
        integral = _is_integral(values)
        if integral:
            return self._solution(scores, values, "lp", True, relaxed)
        whole = self._whole(scores, pins)
        return self._solution(scores, whole.values[: self.n_parts], _rung(whole), False, relaxed)

    def cross_check(self, scores: Scores, *, pins: Pins = NO_PINS) -> Solution:
        """The same problem solved by CBC, with a newly built model."""
        relaxed = self._relaxed(scores, pins)
        values = relaxed.values[: self.n_parts]
        cost, lower, upper = self._box(scores, pins)
        problem, columns = _state(self, cost, lower, upper, integer=True)
        problem.solve(pulp.PULP_CBC_CMD(msg=False, gapRel=0.0, gapAbs=1e-9))
        if pulp.LpStatus[problem.status] != "Optimal":
            raise self.conflict(pins, scores)
        found = np.array([column.value() for column in columns[: self.n_parts]], dtype=np.float64)
        return self._solution(scores, found, "cbc", _is_integral(values), relaxed)

    def value(self, scores: Scores, parts: Parts) -> float:
        """The score of an output, minus the prices of the soft rows it breaks."""
        values = np.zeros(self.n_parts)
        values[parts] = 1.0
        price = sum((self.rows[i].price or 0.0) * self.rows[i].excess(values) for i in self._soft)
        return float(scores[parts].sum()) - price

    def violated(self, parts: Parts) -> tuple[int, ...]:
        """The rows, hard and soft, that an output breaks."""
        values = np.zeros(self.n_parts)
        values[parts] = 1.0
        return tuple(i for i, row in enumerate(self.rows) if row.excess(values) > TIGHT)

    def conflict(self, pins: Pins = NO_PINS, scores: Scores | None = None) -> Conflict:
        """A smallest set of names whose hard rows conflict; an empty set if the unnamed rows alone conflict.

        Every conflicting set intersects every set whose removal resolves the conflict. So guess a smallest set that
        intersects all removals seen so far: if its rows conflict, it is the answer; otherwise the rows that must be
        removed besides it give a new removal.
        """
        rows = [row for row in self.rows if row.price is None] + _pin_rows(pins, scores)
        names = sorted({row.name for row in rows if row.name})
        place = {name: self.n_parts + i for i, name in enumerate(names)}
        elastic = Program(self.n_parts + len(names), [r for row in rows for r in _elastic(row, place)])
        fewest = np.concatenate([np.zeros(self.n_parts), -np.ones(len(names))])
        removals: list[tuple[int, ...]] = []
        while True:
            guess = self._meeting(removals, len(names))
            cost, lower, upper = elastic._box(fewest, Pins(off=tuple(self.n_parts + i for i in guess)))
            kept = elastic._highs.run(cost, lower, upper, integer=True)
            if kept is None:
                return Conflict([names[i] for i in guess])
            removal = tuple(int(i) for i in np.flatnonzero(kept.values[self.n_parts : elastic.n_parts] > 0.5))
            if not removal:
                raise ValueError("there is no conflict to explain: the rows can hold together")
            removals.append(removal)

    @staticmethod
    def _meeting(removals: Sequence[tuple[int, ...]], n: int) -> tuple[int, ...]:
        if not removals:
            return ()
        cover = Program(n, [Row(removal, (1.0,) * len(removal), ">=", 1.0) for removal in removals])
        return tuple(int(i) for i in cover.argmax(-np.ones(n)))

    @cached_property
    def _highs(self) -> _Highs:
        return _Highs(self)

    def _relaxed(self, scores: Scores, pins: Pins) -> _Answer:
        answer = self._highs.run(*self._box(scores, pins), integer=False)
        if answer is None:
            raise self.conflict(pins, scores)
        return answer

    def _box(self, scores: Scores, pins: Pins) -> tuple[Scores, Scores, Scores]:
        """Objective and bounds of all columns; forbidden parts are fixed to 0 and removed from the objective."""
        scores = np.asarray(scores, dtype=np.float64)
        if scores.shape != (self.n_parts,):
            raise ValueError(f"{scores.shape} scores for {self.n_parts} parts")
        allowed = scores > -np.inf
        prices = np.array([-(self.rows[i].price or 0.0) for i in self._soft], dtype=np.float64)
        cost = np.concatenate([np.where(allowed, scores, 0.0), prices])
        lower = np.zeros(len(cost))
        upper = np.concatenate([allowed.astype(np.float64), np.full(len(self._soft), np.inf)])
        lower[list(pins.on)] = 1.0
        upper[list(pins.on)] = 1.0
        upper[list(pins.off)] = 0.0
        return cost, lower, upper

    def _solution(self, scores: Scores, values: Scores, rung: Rung, integral: bool, relaxed: _Answer) -> Solution:
        parts = np.flatnonzero(values > 0.5)
        exact = np.zeros(self.n_parts)
        exact[parts] = 1.0
        # Without duals, a tight row that contains no part of the output (0 <= 0) is not informative.
        binding = tuple(
            i
            for i, row in enumerate(self.rows)
            if row.name
            and row.is_tight(exact)
            and (abs(relaxed.duals[i]) > TIGHT if rung == "lp" else bool(exact[list(row.parts)].any()))
        )
        broken = tuple(i for i in self._soft if self.rows[i].excess(exact) > TIGHT)
        return Solution(
            parts=parts,
            objective=self.value(scores, parts),
            rung=rung,
            integral=integral,
            bound=relaxed.objective,
            relaxed=relaxed.values[: self.n_parts],
            binding=binding,
            broken=broken,
        )


def _rung(whole: _Answer) -> Rung:
    return "milp" if whole.proven else "stopped"


class _Highs:
    """One HiGHS model, built with PuLP once, then solved repeatedly with other objectives and bounds."""

    def __init__(self, program: Program) -> None:
        import highspy

        self._status = highspy.HighsModelStatus
        self._integer, self._continuous = highspy.HighsVarType.kInteger, highspy.HighsVarType.kContinuous
        self._n_parts = program.n_parts
        n_soft = len(program._soft)
        n = program.n_parts + n_soft
        zeros = np.zeros(n)
        upper = np.concatenate([np.ones(program.n_parts), np.full(n_soft, np.inf)])
        problem, columns = _state(program, zeros, zeros, upper, integer=False)
        solver = pulp.HiGHS(msg=False, gapRel=0.0, gapAbs=1e-9, parallel="off")
        solver.createAndConfigureSolver(problem)
        solver.buildSolverModel(problem)
        self._model: Any = problem.solverModel
        self._index = np.array([column.index for column in columns], dtype=np.int32)
        self._is_integer = False

    def run(self, cost: Scores, lower: Scores, upper: Scores, *, integer: bool) -> _Answer | None:
        """The optimum, or None if there is none."""
        model, index = self._model, self._index
        n = len(index)
        if n == 0:
            return _Answer(np.zeros(0), np.zeros(model.getNumRow()), 0.0)
        if integer != self._is_integer:
            kinds = np.full(self._n_parts, self._integer if integer else self._continuous)
            model.changeColsIntegrality(self._n_parts, index[: self._n_parts], kinds)
            self._is_integer = integer
        # HiGHS minimises.
        model.changeColsCost(n, index, -cost)
        model.changeColsBounds(n, index, lower, upper)
        model.setOptionValue("time_limit", SECONDS if integer else math.inf)
        model.run()
        status = model.getModelStatus()
        stopped = status == self._status.kTimeLimit and np.isfinite(model.getInfo().objective_function_value)
        if status in (self._status.kInfeasible, self._status.kUnboundedOrInfeasible):
            return None
        if status != self._status.kOptimal and not stopped:
            raise RuntimeError(f"HiGHS stopped with {model.modelStatusToString(status)}")
        found = model.getSolution()
        values = np.asarray(found.col_value, dtype=np.float64)[index]
        return _Answer(
            values, np.asarray(found.row_dual, dtype=np.float64), -float(model.getObjectiveValue()), not stopped
        )


def _state(
    program: Program, cost: Scores, lower: Scores, upper: Scores, *, integer: bool
) -> tuple[pulp.LpProblem, list[Any]]:
    """The program in PuLP's terms: minimise -cost; one column per part, then one per soft row for its excess."""
    problem = pulp.LpProblem("program", pulp.LpMinimize)
    columns = [
        problem.add_variable(
            f"x{i:07d}",
            float(lower[i]),
            None if np.isinf(upper[i]) else float(upper[i]),
            pulp.LpInteger if integer and i < program.n_parts else pulp.LpContinuous,
        )
        for i in range(len(cost))
    ]
    problem += pulp.LpAffineExpression([(column, -float(c)) for column, c in zip(columns, cost, strict=True)])
    slack = {row: program.n_parts + i for i, row in enumerate(program._soft)}
    senses = {"<=": pulp.LpConstraintLE, ">=": pulp.LpConstraintGE, "==": pulp.LpConstraintEQ}
    for i, row in enumerate(program.rows):
        terms = [(columns[part], weight) for part, weight in zip(row.parts, row.weights, strict=True)]
        if i in slack and row.sense == "==":
            raise ValueError(f"row {row.name!r}: a soft equality is two soft rows, <= and >=")
        if i in slack:
            terms.append((columns[slack[i]], -1.0 if row.sense == "<=" else 1.0))
        problem += pulp.LpConstraint(pulp.LpAffineExpression(terms), senses[row.sense], f"r{i:07d}", row.bound)
    return problem, columns


def _elastic(row: Row, place: dict[str, int]) -> list[Row]:
    """The row, or rows, relaxed so that they hold trivially if the part of the row's name is on."""
    if not row.name:
        return [row]
    switch = place[row.name]
    most = sum(w for w in row.weights if w > 0) - row.bound
    least = row.bound - sum(w for w in row.weights if w < 0)
    made = []
    if row.sense in ("<=", "=="):
        made.append(Row((*row.parts, switch), (*row.weights, -max(most, 0.0)), "<=", row.bound))
    if row.sense in (">=", "=="):
        made.append(Row((*row.parts, switch), (*row.weights, max(least, 0.0)), ">=", row.bound))
    return made


def _pin_rows(pins: Pins, scores: Scores | None) -> list[Row]:
    forbidden = () if scores is None else np.flatnonzero(np.isneginf(scores))
    on = [Row((part,), (1.0,), ">=", 1.0, f"part {part} pinned on") for part in pins.on]
    off = [Row((part,), (1.0,), "<=", 0.0, f"part {part} pinned off") for part in pins.off]
    return (
        on + off + [Row((int(part),), (1.0,), "<=", 0.0, f"part {part} forbidden by its score") for part in forbidden]
    )


def _is_integral(values: Scores) -> bool:
    return bool(np.all(np.abs(values - np.round(values)) <= INTEGRAL))
