"""Constraints by which mentions of the same thing have the same type."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from engine.arrays import Ints
from engine.structures.program import Row
from engine.tasks.joint.constraints.base import Broken, Constraint, Refuse
from engine.tasks.joint.constraints.space import Sameness
from engine.tasks.joint.constraints.terms import Output, Variables


@dataclass(frozen=True, kw_only=True)
class SameType(Constraint):
    """Mentions that corefer have the same type.

    `source` "clusters" takes the clusters of a layer of the document (`layer`, gold unless named: the coreference
    system's output can be stored as one); "phrase" takes mentions with the same words.
    """

    kind: ClassVar[str] = "same_type"
    source: str = "clusters"
    layer: str = "gold"
    sources: ClassVar[tuple[str, ...]] = ("clusters", "phrase")

    def check(self, refuse: Refuse) -> None:
        if self.source not in self.sources:
            raise refuse(f"source must be one of {', '.join(self.sources)}, not {self.source!r}", "source")

    def tied(self, same: Sameness) -> Ints:
        return same.by((self.source, self.layer if self.source == "clusters" else ""))

    def rows(self, variables: Variables) -> list[Row]:
        rows = []
        for p in self.tied(variables.same):
            i, j = variables.pairs[p]
            for t in range(len(variables.space.types)):
                parts = (variables.node(i, t), variables.node(j, t))
                rows.append(Row(parts, (1.0, -1.0), "<=", 0.0, self.name, self.weight))
        return rows

    def broken(self, output: Output) -> Iterator[Broken]:
        for p in self.tied(output.same):
            i, j = output.pairs[p]
            if output.types[i] != output.types[j]:
                here, there = (output.space.types[output.types[node]] for node in (i, j))
                yield Broken((i, j), (), f"the same thing is {here} here and {there} there")
