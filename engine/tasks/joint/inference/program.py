"""The linear program of a sentence: one 0/1 variable per part, the constraints as rows.

Roth and Yih (2004) tie labels to types by product variables: x[pair, r, argument, t] is on where relation r holds and
its argument has type t; they sum to x[pair, r] over t, and to x[argument, t] over r. What hard constraints demand is
stated just as tightly with fewer variables:

- Labels that demand the same set of types S are taken together.
- Where S shares no type with another demanded set, the products can be left out: the labels that demand S are at most
  the sum of x[argument, t] over t in S.
- Where sets overlap, a product says how much of x[argument, t] the labels that demand S use.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from engine.arrays import Floats, Ints
from engine.structures.program import Program, Row, Sense
from engine.tasks.joint.constraints.base import Constraint, Demand
from engine.tasks.joint.constraints.space import Sameness, Space
from engine.tasks.joint.constraints.terms import Variables
from engine.tasks.joint.constraints.together import enabled
from engine.tasks.joint.inference.sentences import within_reach

_AND = " + "
"""Between the names of constraints that share a row."""


@dataclass(frozen=True, eq=False)
class SentenceProgram:
    """The integer program of one sentence. Variables after its parts are products, or indicate whether a label
    occurs."""

    program: Program
    n_nodes: int
    space: Space

    def scores(self, types: Floats, labels: Floats, bias: float) -> Floats:
        biased = labels.copy()
        biased[:, 0] += within_reach(bias)
        known = np.concatenate([types.ravel(), biased.ravel()])
        return np.concatenate([known, np.zeros(self.program.n_parts - len(known))])

    def output(self, parts: Ints) -> tuple[Ints, Ints]:
        """The types and labels in a set of parts."""
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
    """All enabled constraints as rows. Without grouping, each row belongs to one constraint, to identify conflicts."""
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
    """The rows of all demands, for every pair and side."""
    rows = []
    for side in (0, 1):
        sets = _demanded([(name, demand) for name, demand in demanding if demand.side == side])
        alone = [one for one in sets if not any(one.types & other.types for other in sets if other is not one)]
        overlapping = [one for one in sets if one not in alone]
        for i, j in variables.pairs:
            argument = (i, j)[side]
            rows += [
                one.row(variables, (i, j), [variables.node(argument, t) for t in sorted(one.types)]) for one in alone
            ]
            rows += _shared(overlapping, variables, (i, j), argument)
    return rows


@dataclass(frozen=True)
class _Demanded:
    """Labels that all need an argument of one of these types."""

    types: frozenset[int]
    labels: tuple[int, ...]
    names: tuple[str, ...]
    """The constraints that demand it."""

    def row(self, variables: Variables, pair: tuple[int, int], supply: Sequence[int], sense: Sense = "<=") -> Row:
        """A row: the sum of the labels is at most, or exactly, the sum of the variables in `supply`."""
        parts = (*(variables.pair(*pair, label) for label in self.labels), *supply)
        weights = (1.0,) * len(self.labels) + (-1.0,) * len(supply)
        return Row(parts, weights, sense, 0.0, _AND.join(self.names))


def _demanded(demanding: Sequence[tuple[str, Demand]]) -> list[_Demanded]:
    """The demands on one side, grouped by allowed types; a label with several demands has to meet all of them."""
    left: dict[int, frozenset[int]] = {}
    names: dict[int, list[str]] = {}
    for name, demand in demanding:
        left[demand.label] = left.get(demand.label, frozenset(demand.types)) & frozenset(demand.types)
        names.setdefault(demand.label, []).append(name)
    together: dict[frozenset[int], list[int]] = {}
    for label, types in left.items():
        together.setdefault(types, []).append(label)
    return [
        _Demanded(types, tuple(labels), tuple(dict.fromkeys(name for label in labels for name in names[label])))
        for types, labels in together.items()
    ]


def _shared(sets: Sequence[_Demanded], variables: Variables, pair: tuple[int, int], argument: int) -> list[Row]:
    """Rows for overlapping sets, which share the argument's types through one product per set and type."""
    used: dict[int, list[int]] = {}
    rows = []
    for one in sets:
        products = {t: variables.extra() for t in sorted(one.types)}
        rows.append(one.row(variables, pair, list(products.values()), "=="))
        for t, product in products.items():
            used.setdefault(t, []).append(product)
    for t, products_of_type in used.items():
        parts = (*products_of_type, variables.node(argument, t))
        rows.append(Row(parts, (1.0,) * len(products_of_type) + (-1.0,), "<=", 0.0))
    return rows
