"""The linear program of a sentence: one 0/1 variable per part, the constraints as rows.

The type rows are grouped: for a pair, a side and a set of types S, the labels that demand S together are at most
the sum of x[argument, t] over t in S. This is as strong as the product variables of Roth and Yih (2004).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from engine.arrays import Floats, Ints
from engine.structures.program import Program, Row
from engine.tasks.joint.constraints.base import Constraint, Demand
from engine.tasks.joint.constraints.terms import Variables
from engine.tasks.joint.constraints.together import enabled
from engine.tasks.joint.space import Sameness, Space

_AND = " + "
"""Between the names of constraints that share a row."""


@dataclass(frozen=True, eq=False)
class SentenceProgram:
    """The integer program of one sentence; extra parts at the end say whether a label occurs at all."""

    program: Program
    n_nodes: int
    space: Space

    def scores(self, types: Floats, labels: Floats, bias: float) -> Floats:
        biased = labels.copy()
        biased[:, 0] += bias
        known = np.concatenate([types.ravel(), biased.ravel()])
        return np.concatenate([known, np.zeros(self.program.n_parts - len(known))])

    def output(self, parts: Ints) -> tuple[Ints, Ints]:
        """Types and labels that a set of parts stands for."""
        on = np.zeros(self.program.n_parts)
        on[parts] = 1.0
        types, labels = self.space.numbering(self.n_nodes).split(on)
        return types.argmax(axis=1).astype(np.int64), labels.argmax(axis=1).astype(np.int64)

    def constraints_of(self, rows: Iterable[int]) -> tuple[str, ...]:
        """The names of the constraints that these rows belong to, each once."""
        names: dict[str, None] = {}
        for row in rows:
            names.update(dict.fromkeys(self.program.rows[row].name.split(_AND)))
        return tuple(names)


def sentence_program(
    constraints: Sequence[Constraint],
    space: Space,
    n: int,
    same: Sameness,
    *,
    grouped: bool = True,
    extra: Sequence[Row] = (),
) -> SentenceProgram:
    """All enabled constraints as rows. Ungrouped rows belong to one constraint each, for naming conflicts."""
    variables = Variables(space, n, same)
    rows = variables.exactly_one()
    demanding: list[tuple[str, Demand]] = []
    for one in enabled(constraints):
        demands = one.demands(space) if grouped else []
        if demands:
            demanding += [(one.name, demand) for demand in demands]
        else:
            rows += one.rows(variables)
    rows += _together(demanding, variables)
    return SentenceProgram(Program(variables.n_parts, [*rows, *extra]), n, space)


def _together(demanding: Sequence[tuple[str, Demand]], variables: Variables) -> list[Row]:
    """One row per pair, side and set of types that some labels demand."""
    shared: dict[tuple[int, tuple[int, ...]], dict[int, str]] = {}
    for name, demand in demanding:
        known = shared.setdefault((demand.side, demand.types), {})
        known[demand.label] = f"{known[demand.label]}{_AND}{name}" if demand.label in known else name
    rows = []
    for i, j in variables.pairs:
        for (side, allowed), labels in shared.items():
            parts = [variables.pair(i, j, label) for label in labels]
            parts += [variables.node((i, j)[side], t) for t in allowed]
            weights = (1.0,) * len(labels) + (-1.0,) * len(allowed)
            rows.append(Row(tuple(parts), weights, "<=", 0.0, _AND.join(dict.fromkeys(labels.values()))))
    return rows
