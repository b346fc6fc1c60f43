"""What a kind of constraint has to know of itself, so that nobody else has to ask which kind it is.

A constraint concerns single pairs of nodes, or the whole sentence. The former add to the tables of the exact search
(`fold`, `tied`); of the latter the search is told afterwards: by how much an output breaks them (`units`), and into
which cases to split the outputs then (`branches`). All of them are rows of the linear program (`rows`) and can say, in
words, where an output breaks them (`broken`).
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
    """How often its price is due."""


class Branch(NamedTuple):
    """A case of the outputs: these parts are on, those are off; if it pays, the constraint is broken in it as in the
    output at hand, and the price for that is due."""

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
    """What all kinds share. `weight` None is hard."""

    name: str
    weight: float | None = None
    enabled: bool = True
    kind: ClassVar[str]

    @property
    def is_hard(self) -> bool:
        return self.weight is None

    @property
    def price(self) -> float:
        """What one violation costs: infinite when hard."""
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
        """Raise what `refuse` makes of anything that the kind demands beyond the types of its fields."""
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
        """By how much outputs break it, given how often they use each type [..., T] and label [..., L]."""
        return np.zeros(type_counts.shape[:-1])

    def branches(self, output: Output) -> Iterator[Branch]:
        """Cases that together hold every output, where this one breaks the constraint; in none of them the best output
        owes the same again."""
        return iter(())

    # For the linear program.

    @abstractmethod
    def rows(self, variables: Variables) -> list[Row]:
        """The constraint as rows that belong to it alone."""

    def demands(self, space: Space) -> list[Demand]:
        """What a hard constraint on the types of arguments demands: those of all constraints share rows."""
        return []

    # For people.

    @abstractmethod
    def broken(self, output: Output) -> Iterator[Broken]:
        """Every place where the output breaks it, in words."""
