"""Constraints on how many instances of a relation or type a sentence may have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.arrays import Floats, Ints
from engine.structures.program import Row
from engine.tasks.joint.constraints.base import Branch, Broken, Constraint, Refuse
from engine.tasks.joint.constraints.space import Space
from engine.tasks.joint.constraints.terms import Output, Variables


@dataclass(frozen=True, kw_only=True)
class Count(Constraint):
    """A sentence has at least, at most, or exactly a given number of instances of a relation or type."""

    kind: ClassVar[str] = "count"
    relation: str | None = None
    type: str | None = None
    at_least: int | None = None
    at_most: int | None = None
    exactly: int | None = None

    @property
    def low(self) -> int | None:
        return self.at_least if self.exactly is None else self.exactly

    @property
    def high(self) -> int | None:
        return self.at_most if self.exactly is None else self.exactly

    @property
    def is_sentence_wide(self) -> bool:
        return True

    @property
    def relations_named(self) -> tuple[str, ...]:
        return () if self.relation is None else (self.relation,)

    @property
    def types_named(self) -> tuple[str, ...]:
        return () if self.type is None else (self.type,)

    def check(self, refuse: Refuse) -> None:
        if (self.relation is None) == (self.type is None):
            raise refuse("give a relation or a type, one of the two", "relation")
        if self.exactly is not None and (self.at_least is not None or self.at_most is not None):
            raise refuse("exactly stands alone, without at_least and at_most", "exactly")
        if self.low is None and self.high is None:
            raise refuse("give at_least, at_most or exactly", "at_most")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise refuse(f"at_least {self.low} is more than at_most {self.high}", "at_least")

    def units(self, space: Space, type_counts: Ints, label_counts: Ints) -> Floats:
        if self.relation is not None:
            count = label_counts[..., space.label(self.relation)]
        else:
            count = type_counts[..., space.type(self._type)]
        over = np.zeros(count.shape) if self.high is None else np.maximum(count - self.high, 0)
        under = np.zeros(count.shape) if self.low is None else np.maximum(self.low - count, 0)
        return (over + under).astype(np.float64)

    def branches(self, output: Output) -> Iterator[Branch]:
        taken, others = self._choices(output)
        if self.high is not None and len(taken) > self.high:
            yield from self._fewer(taken, others)
        else:
            # Cases by the first part that is added to those taken, and the case in which none is.
            for i, part in enumerate(others):
                yield Branch(off=others[:i], on=(part,))
            if not self.is_hard:
                yield Branch(off=others, pays=True)

    def _fewer(self, taken: tuple[int, ...], others: tuple[int, ...]) -> Iterator[Branch]:
        """Cases by the first part given up among those taken, and the case in which all stay."""
        if self.high == 0 and self.is_hard:
            yield Branch(off=(*taken, *others))
            return
        # Of one more than allowed, one has to go; if the price may be paid, any of them may stay.
        some = taken[: (self.high or 0) + 1] if self.is_hard else taken
        for i, part in enumerate(some):
            yield Branch(on=some[:i], off=(part,))
        if not self.is_hard:
            yield Branch(on=some, pays=True)

    def _choices(self, output: Output) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The parts that are counted: those in the output, and all others."""
        numbering = output.numbering
        if self.relation is not None:
            label = output.space.label(self.relation)
            on, parts = output.labels == label, [numbering.pair(p, label) for p in range(len(output.labels))]
        else:
            value = output.space.type(self._type)
            on, parts = output.types == value, [numbering.node(i, value) for i in range(len(output.types))]
        taken = tuple(part for part, is_on in zip(parts, on, strict=True) if is_on)
        return taken, tuple(part for part, is_on in zip(parts, on, strict=True) if not is_on)

    def rows(self, variables: Variables) -> list[Row]:
        if self.relation is not None:
            parts = variables.everywhere(variables.space.label(self.relation))
        else:
            value = variables.space.type(self._type)
            parts = tuple(variables.node(i, value) for i in range(variables.n_nodes))
        ones, rows = (1.0,) * len(parts), []
        if self.low is not None:
            rows.append(Row(parts, ones, ">=", float(self.low), self.name, self.weight))
        if self.high is not None:
            rows.append(Row(parts, ones, "<=", float(self.high), self.name, self.weight))
        return rows

    def broken(self, output: Output) -> Iterator[Broken]:
        nodes = tuple(output.nodes_typed(self._type)) if self.relation is None else ()
        pairs = tuple(output.pairs_labelled(self.relation)) if self.relation is not None else ()
        count, what = len(nodes) + len(pairs), self.relation or self._type
        if self.low is not None and count < self.low:
            yield Broken(nodes, pairs, f"{count} of {what}, at least {self.low} wanted", self.low - count)
        if self.high is not None and count > self.high:
            yield Broken(nodes, pairs, f"{count} of {what}, at most {self.high} allowed", count - self.high)

    @property
    def _type(self) -> str:
        """The type that is counted, if it is not a relation."""
        return self.type or ""
