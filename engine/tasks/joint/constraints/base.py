"""The interface of a kind of constraint, which spares all other code from distinguishing kinds.

A constraint concerns either single pairs of nodes or the whole sentence. The former add to the tables of the exact
search (`fold`, `tied`). The latter are applied after the search: they measure by how much an output breaks them
(`units`), and split the outputs into cases if it does (`branches`). All of them can be written as rows of the linear
program (`rows`) and can describe where an output breaks them (`broken`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, TypeAlias

import numpy as np

from engine.arrays import Floats, Ints
from engine.data.errors import InputError
from engine.structures.program import Row
from engine.structures.typed_pairs import Tables
from engine.tasks.joint.constraints.space import Sameness, Space
from engine.tasks.joint.constraints.terms import Output, Variables

Refuse: TypeAlias = Callable[[str, str], InputError]
"""(what is wrong, in which field) -> the error to raise."""


class Broken(NamedTuple):
    """One place where an output breaks a constraint."""

    nodes: tuple[int, ...]
    pairs: tuple[int, ...]
    text: str
    times: float = 1.0
    """How many times its price has to be paid."""


class Branch(NamedTuple):
    """A subset of the outputs, in which some parts are fixed on and others off. If it pays, its outputs break the
    constraint as the present output does, and the price for that is charged."""

    on: tuple[int, ...] = ()
    off: tuple[int, ...] = ()
    pays: bool = False


class Demand(NamedTuple):
    """A label may only be used where the node at one end (0 head, 1 tail) has one of these types."""

    side: int
    types: tuple[int, ...]
    label: int


@dataclass(frozen=True, kw_only=True)
class Constraint(ABC):
    """What all kinds share. A constraint whose `weight` is None is hard."""

    name: str
    weight: float | None = None
    enabled: bool = True
    kind: ClassVar[str]

    @property
    def is_hard(self) -> bool:
        return self.weight is None

    @property
    def price(self) -> float:
        """The cost of one violation: infinite if the constraint is hard."""
        return np.inf if self.weight is None else self.weight

    @property
    def is_sentence_wide(self) -> bool:
        """Whether it concerns more than one pair of nodes."""
        return False

    @property
    def relations_named(self) -> tuple[str, ...]:
        return ()

    @property
    def types_named(self) -> tuple[str, ...]:
        return ()

    def check(self, refuse: Refuse) -> None:
        """Raise the error made by `refuse` if the fields break a rule of this kind, beyond their types."""
        return None

    # For the exact search, where the constraint concerns single pairs.

    def fold(self, space: Space, tables: Tables) -> None:
        """Subtract the price wherever types and labels of a pair break the constraint."""
        return None

    def tied(self, same: Sameness) -> Ints:
        """The pairs (i, j), i < j, that have to agree in type."""
        return np.zeros(0, dtype=np.int64)

    # For the branching, where the constraint is sentence-wide.

    def units(self, space: Space, type_counts: Ints, label_counts: Ints) -> Floats:
        """By how much outputs break the constraint, given how often they use each type [..., T] and label [..., L]."""
        return np.zeros(type_counts.shape[:-1])

    def branches(self, output: Output) -> Iterator[Branch]:
        """Given an output that breaks the constraint, cases that together cover all outputs, and in none of which the
        best output owes the same amount again."""
        return iter(())

    # For the linear program.

    @abstractmethod
    def rows(self, variables: Variables) -> list[Row]:
        """The constraint as rows of its own."""

    def demands(self, space: Space) -> list[Demand]:
        """The demands of a hard constraint on the types of arguments. Demands of all constraints are combined into
        shared rows."""
        return []

    # For people.

    @abstractmethod
    def broken(self, output: Output) -> Iterator[Broken]:
        """Every place where the output breaks the constraint, in words."""
