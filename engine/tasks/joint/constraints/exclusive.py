"""Relations that exclude each other: in the two directions of a pair, or in one sentence."""

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
class Exclusive(Constraint):
    """Only one of these relations may hold: in the two directions of a pair, or in the whole sentence.

    "directions": not one of them from a to b and one (the same or another) from b to a. "sentence": if one of them
    occurs, no other one of the list does.
    """

    kind: ClassVar[str] = "exclusive"
    relations: tuple[str, ...]
    scope: str = "directions"
    scopes: ClassVar[tuple[str, ...]] = ("directions", "sentence")

    @property
    def is_sentence_wide(self) -> bool:
        return self.scope == "sentence"

    @property
    def relations_named(self) -> tuple[str, ...]:
        return self.relations

    def check(self, refuse: Refuse) -> None:
        if not self.relations:
            raise refuse("name at least one relation", "relations")
        if self.scope not in self.scopes:
            raise refuse(f"scope must be one of {', '.join(self.scopes)}, not {self.scope!r}", "scope")

    def fold(self, space: Space, tables: Tables) -> None:
        if not self.is_sentence_wide:
            chosen = [space.label(name) for name in self.relations]
            tables.both[np.ix_(chosen, chosen)] -= self.price

    def units(self, space: Space, type_counts: Ints, label_counts: Ints) -> Floats:
        present = (label_counts[..., self._labels(space)] > 0).sum(axis=-1)
        units: Floats = np.maximum(present - 1, 0).astype(np.float64)
        return units

    def branches(self, output: Output) -> Iterator[Branch]:
        """Cases in which one of the present relations is absent, and the case in which all may stay."""
        for name in self._present(output):
            label = output.space.label(name)
            yield Branch(off=tuple(output.numbering.pair(p, label) for p in range(len(output.labels))))
        if not self.is_hard:
            yield Branch(pays=True)

    def rows(self, variables: Variables) -> list[Row]:
        labels = self._labels(variables.space)
        if self.is_sentence_wide:
            switches, rows = variables.switches(labels)
            return [*rows, Row(switches, (1.0,) * len(switches), "<=", 1.0, self.name, self.weight)]
        rows = []
        for i, j in variables.pairs:
            if i < j:
                parts = tuple(variables.pair(a, b, label) for a, b in ((i, j), (j, i)) for label in labels)
                rows.append(Row(parts, (1.0,) * len(parts), "<=", 1.0, self.name, self.weight))
        return rows

    def broken(self, output: Output) -> Iterator[Broken]:
        if self.is_sentence_wide:
            present = self._present(output)
            if len(present) > 1:
                pairs = tuple(p for name in present for p in output.pairs_labelled(name))
                yield Broken((), pairs, f"{' and '.join(present)} in one sentence", len(present) - 1)
            return
        names, chosen = output.space.labels, set(self._labels(output.space))
        for p, (i, j) in enumerate(output.pairs):
            q = output.reverse(p)
            if i < j and output.labels[p] in chosen and output.labels[q] in chosen:
                text = f"{names[output.labels[p]]} one way and {names[output.labels[q]]} the other"
                yield Broken((i, j), (p, q), text)

    def _labels(self, space: Space) -> list[int]:
        return sorted({space.label(name) for name in self.relations})

    def _present(self, output: Output) -> list[str]:
        """The relations that occur, in the order in which they are listed."""
        return [name for name in dict.fromkeys(self.relations) if output.pairs_labelled(name)]
