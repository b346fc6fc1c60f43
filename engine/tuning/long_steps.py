"""The step functions of more documents than should be in memory at once: they wait in temporary files."""

from __future__ import annotations

from collections.abc import Iterator
from tempfile import TemporaryFile
from typing import IO, Any, Final

import numpy as np

from engine.arrays import Array
from engine.tuning.curve import Steps

_COLUMNS: Final[dict[str, Any]] = {"bias": np.float64, "counts": np.int64, "gold": np.int64, "rows": np.int64}
"""Bias and counts of every row; gold and number of rows of every document."""


class LongSteps:
    """Steps (engine/tuning/curve.py) that are added block by block and read some documents at a time."""

    def __init__(self) -> None:
        self._files: dict[str, IO[bytes]] = {name: TemporaryFile() for name in _COLUMNS}
        self._n = 0

    def __len__(self) -> int:
        """The number of documents."""
        return self._n

    def add(self, block: Steps) -> None:
        """Add the steps of the next documents."""
        rows = np.bincount(block.document, minlength=len(block.gold))
        columns = {"bias": block.bias, "counts": block.counts, "gold": block.gold, "rows": rows}
        for name, values in columns.items():
            self._files[name].write(np.ascontiguousarray(values, dtype=_COLUMNS[name]).tobytes())
        self._n += len(block.gold)

    def pieces(self, at_once: int) -> Iterator[Steps]:
        """The steps of some documents at a time, which are counted from 0 in each piece."""
        done = 0
        for first in range(0, self._n, at_once):
            n = min(at_once, self._n - first)
            rows = self._read("rows", first, n)
            n_rows = int(rows.sum())
            counts = self._read("counts", 3 * done, 3 * n_rows).reshape(-1, 3)
            yield Steps(
                np.repeat(np.arange(n), rows), self._read("bias", done, n_rows), counts, self._read("gold", first, n)
            )
            done += n_rows

    def _read(self, name: str, first: int, n: int) -> Array:
        dtype = np.dtype(_COLUMNS[name])
        self._files[name].seek(first * dtype.itemsize)
        return np.frombuffer(self._files[name].read(n * dtype.itemsize), dtype)
