"""Which types a relation takes as its head and its tail: the constraint of Roth and Yih (2004), equations 3 and 4."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.structures.program import Row
from engine.structures.typed_pairs import Tables
from engine.tasks.joint.constraints.base import Broken, Constraint, Demand, Refuse
from engine.tasks.joint.constraints.space import Space
from engine.tasks.joint.constraints.terms import Output, Variables


@dataclass(frozen=True, kw_only=True)
class Arguments(Constraint):
    """A relation takes these types as its head and tail; an empty list allows all."""

    kind: ClassVar[str] = "arguments"
    relation: str
    head: tuple[str, ...] = ()
    tail: tuple[str, ...] = ()

    @property
    def relations_named(self) -> tuple[str, ...]:
        return (self.relation,)

    @property
    def types_named(self) -> tuple[str, ...]:
        return (*self.head, *self.tail)

    def check(self, refuse: Refuse) -> None:
        if not (self.head or self.tail):
            raise refuse("give the types of head, of tail, or of both", "head")

    def fold(self, space: Space, tables: Tables) -> None:
        label = space.label(self.relation)
        for names, shape in ((self.head, (-1, 1)), (self.tail, (1, -1))):
            wrong = np.ones(len(space.types), dtype=bool)
            wrong[space.type_set(names)] = False
            tables.fit[label] -= np.where(wrong, self.price, 0.0).reshape(shape)

    def rows(self, variables: Variables) -> list[Row]:
        label, rows = variables.space.label(self.relation), []
        for i, j in variables.pairs:
            for node, names in ((i, self.head), (j, self.tail)):
                if names:
                    allowed = [variables.node(node, t) for t in variables.space.type_set(names)]
                    parts = (variables.pair(i, j, label), *allowed)
                    rows.append(Row(parts, (1.0, *(-1.0 for _ in allowed)), "<=", 0.0, self.name, self.weight))
        return rows

    def demands(self, space: Space) -> list[Demand]:
        if not self.is_hard:
            return []
        sides = ((0, self.head), (1, self.tail))
        label = space.label(self.relation)
        return [Demand(side, tuple(sorted(space.type_set(names))), label) for side, names in sides if names]

    def broken(self, output: Output) -> Iterator[Broken]:
        for p in output.pairs_labelled(self.relation):
            head, tail = output.pairs[p]
            for node, names, side in ((head, self.head, "head"), (tail, self.tail, "tail")):
                found = output.space.types[output.types[node]]
                if names and found not in names:
                    text = f"the {side} of {self.relation} is {found}, not {' or '.join(names)}"
                    yield Broken((node,), (p,), text)


def licensed(
    triples: Iterable[tuple[str, str, str]], relations: Sequence[str], share: float = 0.97
) -> tuple[Constraint, ...]:
    """Argument constraints derived from annotated (relation, head type, tail type) triples.

    For each relation and side, these are the most frequent types that together cover at least `share` of its cases, so
    that stray annotation errors have no influence.
    """
    seen: dict[str, tuple[list[str], list[str]]] = {relation: ([], []) for relation in relations}
    for relation, head, tail in triples:
        seen[relation][0].append(head)
        seen[relation][1].append(tail)
    made = []
    for relation in relations:
        heads, tails = _cover(seen[relation][0], share), _cover(seen[relation][1], share)
        if heads or tails:
            name = f"{relation}: {' or '.join(heads)} → {' or '.join(tails)}"
            made.append(Arguments(name=name, relation=relation, head=heads, tail=tails))
    return tuple(made)


def _cover(names: Sequence[str], share: float) -> tuple[str, ...]:
    counts = sorted(((names.count(name), name) for name in set(names)), key=lambda pair: (-pair[0], pair[1]))
    chosen: list[str] = []
    covered = 0
    for count, name in counts:
        if covered >= share * len(names):
            break
        chosen.append(name)
        covered += count
    return tuple(sorted(chosen))
