"""Sentences ready to be decided: scores, ties between nodes and pins, on the flat arrays of the search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias, TypeVar

import numpy as np

from engine.arrays import Floats, Ints
from engine.structures.typed_pairs import Numbering, TypedPairs, rows_of
from engine.tasks.joint.constraints.space import Sameness
from engine.tasks.joint.scored import JointScored

B = TypeVar("B", float, Floats)
FURTHEST: Final = 1e12
"""No score outweighs a bias of this size. Solvers of programs take much larger numbers for infinite ones."""


def within_reach(bias: B) -> B:
    """The bias, or the nearest that solvers can handle; the decision is the same."""
    bounded: B = np.clip(bias, -FURTHEST, FURTHEST)
    return bounded


@dataclass(frozen=True)
class PartPin:
    """A part of a sentence fixed on or off, with a name to be quoted in case of a conflict."""

    part: int
    holds: bool
    name: str


Pins: TypeAlias = Mapping[int, Sequence[PartPin]]
"""Sentence -> pins on its parts, numbered within the sentence."""


@dataclass(frozen=True, eq=False)
class Sentences:
    """Many sentences under the constraints on single pairs."""

    structure: TypedPairs
    types: Floats
    """[nodes, T]; -inf where a pin rules it out"""
    labels: Floats
    """[pairs, L]"""
    scored: JointScored
    origin: Ints
    """The index of every sentence's document in the scored corpus."""
    pins: Pins = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.structure)

    def numbering(self, index: int = 0) -> Numbering:
        tables = self.structure.tables
        return Numbering.of_sentence(int(self.structure.sizes[index]), tables.n_types, tables.n_labels)

    def one(self, index: int) -> Sentences:
        """A sentence by itself, with its pins."""
        own = self.pins.get(index, ())
        return replace(self.take(np.array([index])), pins={0: own} if own else {})

    def take(self, chosen: Ints) -> Sentences:
        """Some of the sentences, possibly repeated; what pins rule out stays ruled out."""
        nodes, pairs = rows_of(self.structure.node_starts, chosen), rows_of(self.structure.pair_starts, chosen)
        return Sentences(
            self.structure.take(chosen), self.types[nodes], self.labels[pairs], self.scored, self.origin[chosen]
        )

    def same(self, index: int = 0) -> Sameness:
        """Which nodes of a sentence are the same thing."""
        return self.scored.sameness_of(int(self.origin[index]))

    def pinned(self, pins: Pins) -> Sentences:
        """The same sentences in which everything that the pins rule out is forbidden."""
        types, labels = self.types.copy(), self.labels.copy()
        for s, chosen in pins.items():
            a, b = self.structure.node_starts[s], self.structure.node_starts[s + 1]
            p, q = self.structure.pair_starts[s], self.structure.pair_starts[s + 1]
            numbering = self.numbering(s)
            scores = numbering.pinned(
                numbering.joined(types[a:b], labels[p:q]),
                on=[pin.part for pin in chosen if pin.holds],
                off=[pin.part for pin in chosen if not pin.holds],
            )
            types[a:b], labels[p:q] = numbering.split(scores)
        return replace(self, types=types, labels=labels, pins=dict(pins))
