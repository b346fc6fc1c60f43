"""The vocabulary of on/off features: their names and columns, fixed by the training data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np

from engine.arrays import Ints, ShortInts


class Vocabulary:
    """Feature names in the order of their columns."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)

    @classmethod
    def of(cls, rows: Iterable[Sequence[str]], *, rare: int = 2) -> Vocabulary:
        """The features that occur in at least `rare` rows, in order of first occurrence."""
        counts: Counter[str] = Counter()
        for row in rows:
            counts.update(list(dict.fromkeys(row)))
        return cls([name for name, count in counts.items() if count >= rare])

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def column(self) -> dict[str, int]:
        return {name: column for column, name in enumerate(self.names)}

    def rows(self, rows: Iterable[Sequence[str]]) -> tuple[Ints, ShortInts]:
        """Starts and columns of the known features of every row, ascending."""
        column = self.column
        starts, columns = [0], []
        for row in rows:
            columns.extend(sorted({column[name] for name in row if name in column}))
            starts.append(len(columns))
        return np.array(starts, dtype=np.int64), np.array(columns, dtype=np.int32)
