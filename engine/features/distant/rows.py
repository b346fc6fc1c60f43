"""Features as numbered columns: sparse rows of all members, or of all bags, of a corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from engine.arrays import Ints, ShortInts, Singles
from engine.features.distant.members import Row
from engine.features.distant.templates import BIAS


@dataclass(frozen=True, eq=False)
class SparseRows:
    """Sparse rows: row r has columns[starts[r]:starts[r + 1]] with their values."""

    starts: Ints
    columns: ShortInts
    values: Singles
    n_columns: int


@dataclass(frozen=True, eq=False)
class FrequentNames:
    """The features of the training corpus that occur often enough, numbered."""

    names: tuple[str, ...]
    index: Mapping[str, int]

    @classmethod
    def build(cls, rows: Iterable[Row], least: int) -> FrequentNames:
        counts = Counter(name for row in rows for name, _ in row)
        return cls.of([name for name, count in counts.items() if count >= least or name.endswith(BIAS)])

    @classmethod
    def of(cls, names: Sequence[str]) -> FrequentNames:
        return cls(tuple(names), {name: i for i, name in enumerate(names)})

    def __len__(self) -> int:
        return len(self.names)

    def rows(self, rows: Sequence[Row], length: float = 1.0) -> SparseRows:
        """Rows of equal length, so that a long sentence weighs no more than a short one."""
        starts = np.zeros(len(rows) + 1, dtype=np.int64)
        columns: list[int] = []
        values: list[float] = []
        for at, row in enumerate(rows):
            known = [(self.index[name], value) for name, value in row if name in self.index]
            norm = float(np.sqrt(sum(value * value for _, value in known))) or 1.0
            columns.extend(i for i, _ in known)
            values.extend(value * length / norm for _, value in known)
            starts[at + 1] = len(columns)
        return SparseRows(starts, np.array(columns, dtype=np.int32), np.array(values, dtype=np.float32), len(self))
