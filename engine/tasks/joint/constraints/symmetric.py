"""Constraints by which a relation is symmetric."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from engine.structures.program import Row
from engine.structures.typed_pairs import Tables
from engine.tasks.joint.constraints.base import Broken, Constraint
from engine.tasks.joint.constraints.implication import need_back, rows_back
from engine.tasks.joint.constraints.space import Space
from engine.tasks.joint.constraints.terms import Output, Variables


@dataclass(frozen=True, kw_only=True)
class Symmetric(Constraint):
    """A relation holds in both directions or in none."""

    kind: ClassVar[str] = "symmetric"
    relation: str

    @property
    def relations_named(self) -> tuple[str, ...]:
        return (self.relation,)

    def fold(self, space: Space, tables: Tables) -> None:
        label = space.label(self.relation)
        need_back(tables, label, label, self.price)

    def rows(self, variables: Variables) -> list[Row]:
        label = variables.space.label(self.relation)
        return rows_back(self, variables, label, label)

    def broken(self, output: Output) -> Iterator[Broken]:
        label = output.space.label(self.relation)
        for p in output.pairs_labelled(self.relation):
            if output.labels[output.reverse(p)] != label:
                yield Broken(output.pairs[p], (p,), f"{self.relation} holds in one direction only")
