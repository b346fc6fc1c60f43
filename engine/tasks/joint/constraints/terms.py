"""What constraints are stated on: an output of a sentence, and the variables of its linear program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from engine.arrays import Ints
from engine.structures.program import Row
from engine.structures.typed_pairs import Numbering, pair_index, position
from engine.tasks.joint.constraints.space import Sameness, Space


@dataclass(frozen=True, eq=False)
class Output:
    """What was decided for one sentence: a type for every node, a label for every ordered pair."""

    space: Space
    types: Ints
    labels: Ints
    same: Sameness

    @classmethod
    def of(cls, space: Space, types: Ints, labels: Ints, same: Sameness | None = None) -> Output:
        return cls(space, types, labels, Sameness.unknown() if same is None else same)

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        return [(int(i), int(j)) for i, j in pair_index(len(self.types))]

    @property
    def numbering(self) -> Numbering:
        return self.space.numbering(len(self.types))

    def pairs_labelled(self, name: str) -> list[int]:
        return [int(p) for p in np.flatnonzero(self.labels == self.space.label(name))]

    def nodes_typed(self, name: str) -> list[int]:
        return [int(i) for i in np.flatnonzero(self.types == self.space.type(name))]

    def reverse(self, pair: int) -> int:
        """The pair of the same two nodes in the other direction."""
        i, j = self.pairs[pair]
        return position(len(self.types), j, i)


@dataclass(eq=False)
class Variables:
    """The 0/1 variables of one sentence's program: its parts, followed by auxiliary ones."""

    space: Space
    n_nodes: int
    same: Sameness
    n_parts: int = field(init=False)
    _occurs: dict[int, int] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._numbering = self.space.numbering(self.n_nodes)
        self.n_parts = self._numbering.n_parts

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        return [(int(i), int(j)) for i, j in pair_index(self.n_nodes)]

    def node(self, i: int, type: int) -> int:
        return self._numbering.node(i, type)

    def pair(self, i: int, j: int, label: int) -> int:
        return self._numbering.pair(position(self.n_nodes, i, j), label)

    def everywhere(self, label: int) -> tuple[int, ...]:
        """The variables of this label on every pair."""
        return tuple(self.pair(i, j, label) for i, j in self.pairs)

    def exactly_one(self) -> list[Row]:
        """Every node has one type, every pair one label."""
        types, labels = range(len(self.space.types)), range(len(self.space.labels))
        groups = [[self.node(i, t) for t in types] for i in range(self.n_nodes)]
        groups += [[self.pair(i, j, label) for label in labels] for i, j in self.pairs]
        return [Row(tuple(group), (1.0,) * len(group), "==", 1.0) for group in groups]

    def extra(self) -> int:
        """A new auxiliary variable, which stands for no part."""
        self.n_parts += 1
        return self.n_parts - 1

    def switches(self, labels: Sequence[int]) -> tuple[tuple[int, ...], list[Row]]:
        """Variables that are on if the label occurs anywhere, and the rows that define them."""
        rows = []
        for label in labels:
            if label not in self._occurs:
                self._occurs[label] = self.extra()
                rows += [Row((part, self._occurs[label]), (1.0, -1.0), "<=", 0.0) for part in self.everywhere(label)]
        return tuple(self._occurs[label] for label in labels), rows
