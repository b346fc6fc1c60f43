"""Several constraints together: which are on, what they add to the search, what an output breaks and owes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.arrays import Floats, Ints
from engine.structures.typed_pairs import Tables
from engine.tasks.joint.constraints.base import Constraint
from engine.tasks.joint.constraints.space import Sameness, Space
from engine.tasks.joint.constraints.terms import Output


@dataclass(frozen=True)
class Violation:
    """One place where an output breaks a constraint."""

    name: str
    kind: str
    hard: bool
    price: float
    """Its cost: infinite if the constraint is hard."""
    nodes: tuple[int, ...]
    pairs: tuple[int, ...]
    text: str


def enabled(constraints: Sequence[Constraint]) -> tuple[Constraint, ...]:
    return tuple(one for one in constraints if one.enabled)


def with_switch(constraints: Sequence[Constraint], name: str, *, on: bool) -> tuple[Constraint, ...]:
    """The same constraints with one switched on or off."""
    return tuple(replace(one, enabled=on) if one.name == name else one for one in constraints)


def with_weight(constraints: Sequence[Constraint], name: str, weight: float | None) -> tuple[Constraint, ...]:
    """The same constraints with one made soft at this weight, or hard."""
    return tuple(replace(one, weight=weight) if one.name == name else one for one in constraints)


def tables(constraints: Sequence[Constraint], space: Space) -> Tables:
    """The tables that the constraints on single pairs add to the scores."""
    out = Tables.free(len(space.types), len(space.labels))
    for one in enabled(constraints):
        one.fold(space, out)
    return out


def ties(constraints: Sequence[Constraint], same: Sameness, n_pairs: int) -> Floats:
    """[pairs]: what is added to the score if the two nodes of a pair differ in type."""
    tie = np.zeros(n_pairs)
    for one in enabled(constraints):
        tie[one.tied(same)] -= one.price
    return tie


def owed(constraints: Sequence[Constraint], space: Space, type_counts: Ints, label_counts: Ints) -> Floats:
    """[constraints, ...]: the cost of breaking sentence-wide constraints, infinite for hard ones."""
    out = np.zeros((len(constraints), *type_counts.shape[:-1]))
    for k, one in enumerate(constraints):
        units = one.units(space, type_counts, label_counts)
        out[k] = np.where(units > 0, np.inf if one.weight is None else one.weight * units, 0.0)
    return out


def violations(constraints: Sequence[Constraint], output: Output) -> list[Violation]:
    """Every place where an output breaks an enabled constraint, in the order of the constraints."""
    return [
        Violation(one.name, one.kind, one.is_hard, float(one.price * at.times), at.nodes, at.pairs, at.text)
        for one in enabled(constraints)
        for at in one.broken(output)
    ]
