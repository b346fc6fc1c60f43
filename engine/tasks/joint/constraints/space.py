"""The space of decisions on a sentence: the types and labels, and which nodes are the same thing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np

from engine.arrays import Ints
from engine.structures.typed_pairs import Numbering

NONE: Final = "none"
"""The label that declines."""

Source: TypeAlias = tuple[str, str]
"""The evidence that nodes are the same thing: ("phrase", "") or ("clusters", name of a layer)."""

Inference: TypeAlias = Literal["exact", "lp", "ilp"]
"""How the constraints are applied: by exact search, by the linear program, by the integer program."""


@dataclass(frozen=True)
class Space:
    """The types and labels; the first label declines."""

    types: tuple[str, ...]
    labels: tuple[str, ...]

    @property
    def relations(self) -> tuple[str, ...]:
        """All labels except the one that declines."""
        return self.labels[1:]

    def type(self, name: str) -> int:
        return self.types.index(name)

    def label(self, name: str) -> int:
        return self.labels.index(name)

    def type_set(self, names: Sequence[str]) -> list[int]:
        """The numbers of the named types; all types if none is named."""
        return [self.type(name) for name in names] if names else list(range(len(self.types)))

    def numbering(self, n_nodes: int) -> Numbering:
        """The numbering of the parts of a sentence with this many nodes."""
        return Numbering.of_sentence(n_nodes, len(self.types), len(self.labels))

    def to_parts(self) -> dict[str, list[str]]:
        return {"types": list(self.types), "labels": list(self.labels)}

    @classmethod
    def from_parts(cls, parts: Mapping[str, Sequence[str]]) -> Space:
        return cls(tuple(parts["types"]), tuple(parts["labels"]))


@dataclass(frozen=True, eq=False)
class Sameness:
    """Pairs of nodes that are the same thing, of one sentence or of all sentences of a corpus."""

    pairs: Ints
    """Each as the ordered pair (i, j), i < j."""
    sources: tuple[Source, ...]
    """The source of each pair."""

    @classmethod
    def unknown(cls) -> Sameness:
        return cls(np.zeros(0, dtype=np.int64), ())

    def by(self, source: Source) -> Ints:
        """The pairs that are the same thing according to this source."""
        return self.pairs[[one == source for one in self.sources]]
