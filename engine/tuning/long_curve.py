"""The curve of a corpus that has more operating points than should be in memory at once.

The changes of the blocks' curves are kept in a temporary file, as runs that ascend in bias. Merging the runs gives the
curve of the corpus from the lowest bias to the highest, piece by piece; whatever is asked of it is one or two merges.
The answers are those of one `Curve`, to the last bit.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, pairwise
from tempfile import TemporaryFile
from typing import IO, Any, Final

import numpy as np

from engine.arrays import Array, Floats, Ints
from engine.tuning.curve import Curve, Point, strips, unbeaten

HELD: Final = 1 << 16
"""Rows in memory while they are collected, and in all runs together while they are merged: 2 MB."""
FEWEST: Final = 1 << 9
"""Rows of a run that are read at a time, at least."""
_ROW: Final = np.dtype([("bias", np.float64), ("change", np.int64, (3,))])


class Changes:
    """Changes of the counts (correct, found, predicted), in any order."""

    def __init__(self, held: int = HELD, fewest: int = FEWEST) -> None:
        self._most, self._fewest = held, fewest
        self._file: IO[bytes] = TemporaryFile()
        self._runs: list[tuple[int, int]] = []
        """First and last row of each run in the file."""
        self._held: list[Array] = []

    def add(self, bias: Floats, changes: Ints) -> None:
        """At each bias the counts change by a row of `changes`."""
        rows = np.empty(len(bias), _ROW)
        rows["bias"], rows["change"] = bias, changes
        self._held.append(rows)
        if sum(map(len, self._held)) >= self._most:
            self._write()

    def ascending(self) -> Iterator[Array]:
        """All rows in pieces: each bias once, from the lowest to the highest."""
        self._write()
        size = max(self._fewest, self._most // max(1, len(self._runs)))
        left = list(self._runs)
        read = [np.empty(0, _ROW) for _ in left]
        while True:
            for i, (first, last) in enumerate(left):
                if not len(read[i]) and first < last:
                    read[i] = self._read(first, min(first + size, last))
                    left[i] = min(first + size, last), last
            if not any(map(len, read)):
                return
            # A run has each bias once, so up to here nothing is missing of any run that has not been read to its end.
            ends = [rows["bias"][-1] for rows, (first, last) in zip(read, left, strict=True) if first < last]
            upto = min(ends, default=np.inf)
            n_ready = [int(np.searchsorted(rows["bias"], upto, side="right")) for rows in read]
            yield _added_up(np.concatenate([rows[:n] for rows, n in zip(read, n_ready, strict=True)]))
            read = [rows[n:] for rows, n in zip(read, n_ready, strict=True)]

    def _write(self) -> None:
        """Put what is held into the file, as one run."""
        if not self._held:
            return
        rows = _added_up(np.concatenate(self._held))
        self._held.clear()
        first = self._runs[-1][1] if self._runs else 0
        self._file.seek(first * _ROW.itemsize)
        self._file.write(rows.tobytes())
        self._runs.append((first, first + len(rows)))

    def _read(self, first: int, last: int) -> Array:
        self._file.seek(first * _ROW.itemsize)
        return np.frombuffer(self._file.read((last - first) * _ROW.itemsize), _ROW)


def _added_up(rows: Array) -> Array:
    """The rows in the order of their bias, those with the same bias added up."""
    rows = rows[np.argsort(rows["bias"], kind="stable")]
    first = np.flatnonzero(np.append(True, rows["bias"][1:] != rows["bias"][:-1])[: len(rows)])
    found = np.empty(len(first), _ROW)
    found["bias"] = rows["bias"][first]
    if len(first):
        found["change"] = np.add.reduceat(rows["change"], first, axis=0)
    return found


@dataclass(frozen=True, eq=False)
class LongCurve:
    """A curve that is read piece by piece; names mean the same as those of `Curve`."""

    changes: Changes = field(default_factory=Changes)
    gold: int = 0
    exact: bool = True
    first: float = -np.inf

    def __len__(self) -> int:
        """The number of operating points."""
        return sum(len(piece.bias) for piece in self.pieces())

    def pieces(self) -> Iterator[Curve]:
        """The curve in pieces, from the lowest bias to the highest."""
        counts = np.zeros((1, 3), dtype=np.int64)
        first = True
        for rows in self.changes.ascending():
            bias, totals = rows["bias"], counts[-1] + np.cumsum(rows["change"], axis=0)
            if first and bias[0] > -np.inf:
                bias, totals = np.append(-np.inf, bias), np.concatenate([counts, totals])
            yield self._piece(bias, totals)
            counts, first = totals, False
        if first:
            yield self._piece(np.array([-np.inf]), counts)

    def whole(self) -> Curve:
        """The curve in memory."""
        pieces = list(self.pieces())
        columns = ("bias", "correct", "found", "predicted")
        bias, *counts = (np.concatenate([getattr(piece, name) for piece in pieces]) for name in columns)
        return self._piece(bias, np.stack(counts, axis=1))

    def points(self) -> Iterator[Point]:
        return chain.from_iterable(piece.points() for piece in self.pieces())

    def at(self, bias: float) -> Point:
        last = next(self.pieces())
        for piece in self.pieces():
            if piece.bias[0] > bias:
                break
            last = piece
        return last.at(bias)

    def best(self, beta: float = 1.0) -> tuple[Point, float]:
        """The point with the highest F-beta, and a bias that gives it; as `Curve.best_index` chooses."""
        highest = max(float(piece.f(beta).max()) for piece in self.pieces())
        found: tuple[Point, float] | None = None
        widest = -1.0
        for piece, following in pairwise(chain(self.pieces(), [None])):
            assert piece is not None
            end = np.inf if following is None else float(following.bias[0])
            best = piece.widest(piece.f(beta), highest, end)
            if best is not None and best[1] > widest:
                widest = best[1]
                found = piece.point(best[0]), piece.bias_of(best[0], end)
        assert found is not None
        return found

    def best_bias(self, beta: float = 1.0) -> float:
        return self.best(beta)[1]

    def area(self) -> float:
        return math.fsum(self._strips())

    def _strips(self) -> Iterator[float]:
        """The areas below the points that bound the area, in any order: an exact sum does not depend on it."""
        reach = np.array([piece.recall.max() for piece in self.pieces()])
        further = np.append(np.maximum.accumulate(reach[::-1])[::-1], -1.0)
        recall, precision = np.zeros(0), np.zeros(0)
        for later, piece in zip(further[1:], self.pieces(), strict=True):
            recall, precision = unbeaten(np.append(recall, piece.recall), np.append(precision, piece.precision))
            # No later point reaches beyond this one, so what lies beyond is final.
            last = int(np.searchsorted(recall, later, side="right"))
            if last < len(recall):
                yield from strips(recall[last + 1 :], precision[last + 1 :], recall[last])
            recall, precision = recall[: last + 1], precision[: last + 1]
        yield from strips(recall, precision)

    def to_json(self) -> dict[str, Any]:
        return {"points": [point.to_json() for point in self.points()], **self.summary()}

    def summary(self) -> dict[str, Any]:
        point, bias = self.best()
        return {"best": {**point.to_json(), "bias": bias}, "area": self.area(), "exact": self.exact}

    def _piece(self, bias: Floats, totals: Ints) -> Curve:
        correct, found, predicted = totals.T
        return Curve(bias, correct, found, predicted, self.gold, self.exact, first=self.first)
