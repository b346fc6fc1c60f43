"""Tallies: what documents contribute to the scores of a corpus, in a form that can be combined block by block.

Counts are added; columns, with one row per document or per ranked pair, are concatenated. Every score is a function of
a tally, so a corpus in blocks of any size has the same scores as in one piece, to the last bit: values that rounding
could affect are kept in columns and summed at the end, in the order of the documents.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from engine.arrays import Array, Floats

Key: TypeAlias = tuple[str, ...]


@dataclass
class Tally:
    counts: Counter[Key] = field(default_factory=Counter)
    columns: dict[str, list[Array]] = field(default_factory=dict)
    """Pieces in the order of the documents."""
    facts: dict[str, Any] = field(default_factory=dict)
    """JSON values that are the same for all documents."""

    def count(self, *key: str, n: int = 1) -> None:
        self.counts[key] += int(n)

    def count_all(self, *key: str, numbers: Mapping[str, int]) -> None:
        for name, n in numbers.items():
            self.counts[(*key, name)] += int(n)

    def extend(self, name: str, rows: Array) -> None:
        self.columns.setdefault(name, []).append(rows)

    def take(self, other: Tally) -> None:
        """Add the tally of the next documents."""
        self.counts.update(other.counts)
        for name, pieces in other.columns.items():
            self.columns.setdefault(name, []).extend(pieces)
        self.facts = {**other.facts, **self.facts}

    def copy(self) -> Tally:
        """A copy, to which more can be added independently."""
        return Tally(Counter(self.counts), {name: list(own) for name, own in self.columns.items()}, dict(self.facts))

    def number(self, *key: str) -> int:
        return self.counts.get(key, 0)

    def below(self, *prefix: str) -> Counter[str]:
        """The counts whose keys are one longer than this prefix."""
        n = len(prefix)
        return Counter({key[n]: value for key, value in self.counts.items() if len(key) == n + 1 and key[:n] == prefix})

    def column(self, name: str) -> Array:
        pieces = self.columns.get(name)
        return np.concatenate(pieces) if pieces else np.zeros(0)

    def summed(self, name: str, width: int) -> Floats:
        """The sum of a column's rows, added in order."""
        rows = self.column(name)
        if not len(rows):
            return np.zeros(width)
        total: Floats = np.cumsum(rows, axis=0, dtype=np.float64)[-1]
        return total

    def to_parts(self) -> dict[str, Any]:
        """Arrays and JSON values, for a file."""
        counts = [[*key, value] for key, value in self.counts.items()]
        arrays = {f"column-{name}": np.concatenate(pieces) for name, pieces in self.columns.items()}
        return {"counts": counts, "facts": self.facts, **arrays}

    @staticmethod
    def from_parts(parts: Mapping[str, Any]) -> Tally:
        counts = Counter({tuple(key): int(value) for *key, value in parts["counts"]})
        columns = {name.removeprefix("column-"): [rows] for name, rows in parts.items() if name.startswith("column-")}
        return Tally(counts, columns, dict(parts["facts"]))
