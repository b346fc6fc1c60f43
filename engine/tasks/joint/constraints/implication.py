"""Constraints by which one relation implies another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.arrays import Floats, Ints
from engine.structures.program import Row
from engine.structures.typed_pairs import Tables
from engine.tasks.joint.constraints.base import Branch, Broken, Constraint, Refuse
from engine.tasks.joint.constraints.space import Space
from engine.tasks.joint.constraints.terms import Output, Variables


@dataclass(frozen=True, kw_only=True)
class Implication(Constraint):
    """If one relation holds, so does another: in the reverse direction of the pair, or somewhere in the sentence."""

    kind: ClassVar[str] = "implication"
    if_relation: str
    then_relation: str
    scope: str = "reverse"
    scopes: ClassVar[tuple[str, ...]] = ("reverse", "sentence")

    @property
    def is_sentence_wide(self) -> bool:
        return self.scope == "sentence"

    @property
    def relations_named(self) -> tuple[str, ...]:
        return (self.if_relation, self.then_relation)

    def check(self, refuse: Refuse) -> None:
        if self.scope not in self.scopes:
            raise refuse(f"scope must be one of {', '.join(self.scopes)}, not {self.scope!r}", "scope")

    def fold(self, space: Space, tables: Tables) -> None:
        if not self.is_sentence_wide:
            need_back(tables, space.label(self.if_relation), space.label(self.then_relation), self.price)

    def units(self, space: Space, type_counts: Ints, label_counts: Ints) -> Floats:
        causes = label_counts[..., space.label(self.if_relation)]
        effects = label_counts[..., space.label(self.then_relation)]
        units: Floats = ((causes > 0) & (effects == 0)).astype(np.float64)
        return units

    def branches(self, output: Output) -> Iterator[Branch]:
        """Either the cause occurs nowhere, or the effect occurs: at the first pair, at the second but not the first,
        ..."""
        cause, effect = output.space.label(self.if_relation), output.space.label(self.then_relation)
        pairs, numbering = range(len(output.labels)), output.numbering
        yield Branch(off=tuple(numbering.pair(p, cause) for p in pairs))
        effects = tuple(numbering.pair(p, effect) for p in pairs)
        for i, part in enumerate(effects):
            yield Branch(off=effects[:i], on=(part,))
        if not self.is_hard:
            yield Branch(off=effects, pays=True)

    def rows(self, variables: Variables) -> list[Row]:
        cause, effect = variables.space.label(self.if_relation), variables.space.label(self.then_relation)
        if not self.is_sentence_wide:
            return rows_back(self, variables, cause, effect)
        (switch,), rows = variables.switches([cause])
        effects = variables.everywhere(effect)
        row = Row((switch, *effects), (1.0, *(-1.0 for _ in effects)), "<=", 0.0, self.name, self.weight)
        return [*rows, row]

    def broken(self, output: Output) -> Iterator[Broken]:
        causes = output.pairs_labelled(self.if_relation)
        if self.is_sentence_wide:
            if causes and not output.pairs_labelled(self.then_relation):
                yield Broken((), tuple(causes), f"{self.if_relation} without {self.then_relation} in the sentence")
            return
        effect = output.space.label(self.then_relation)
        for p in causes:
            if output.labels[output.reverse(p)] != effect:
                text = f"{self.if_relation} without {self.then_relation} the other way"
                yield Broken(output.pairs[p], (p,), text)


def need_back(tables: Tables, cause: int, effect: int, price: float) -> None:
    """A pair that takes `cause` pays unless it takes `effect` the other way."""
    for other in range(tables.n_labels):
        if other != effect:
            tables.both[cause, other] -= price
            tables.both[other, cause] -= price


def rows_back(one: Constraint, variables: Variables, cause: int, effect: int) -> list[Row]:
    """The same as rows: x[i, j, cause] <= x[j, i, effect]."""
    return [
        Row((variables.pair(i, j, cause), variables.pair(j, i, effect)), (1.0, -1.0), "<=", 0.0, one.name, one.weight)
        for i, j in variables.pairs
    ]
