"""Questions to a curve that is read piece by piece, because it may be too long for memory: a Curve is one piece, a
LongCurve has many. Points are named by their rank along the curve, from 0."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from engine.arrays import Floats, Ints
from engine.tuning.curve import Curve


class InPieces(Protocol):
    def pieces(self) -> Iterator[Curve]: ...


def n_points(curve: InPieces) -> int:
    return sum(len(piece.bias) for piece in curve.pieces())


def ranks_of(curve: InPieces, biases: Floats) -> Ints:
    """The point that holds at each of these biases."""
    ranks = np.full(len(biases), -1, dtype=np.int64)
    for piece in curve.pieces():
        ranks += np.searchsorted(piece.bias, biases, side="right")
    return ranks


def points_at(curve: InPieces, ranks: Ints) -> Curve:
    """The points of these ranks, which ascend, as a curve of their own."""
    done = 0
    found: list[Curve] = []
    for piece in curve.pieces():
        n = len(piece.bias)
        own = ranks[(ranks >= done) & (ranks < done + n)] - done
        columns = {name: getattr(piece, name)[own] for name in ("bias", "correct", "found", "predicted")}
        found.append(replace(piece, steps=None, **columns))
        done += n
    columns = {
        name: np.concatenate([getattr(one, name) for one in found])
        for name in ("bias", "correct", "found", "predicted")
    }
    return replace(found[0], **columns)


def finite_ends(curve: InPieces) -> tuple[float, float] | None:
    """The lowest and the highest bias at which something changes; None if nothing does."""
    ends: list[float] = []
    for piece in curve.pieces():
        finite = piece.bias[np.isfinite(piece.bias)]
        if len(finite):
            ends = [*ends[:1], float(finite[0]), float(finite[-1])]
    return (ends[0], ends[-1]) if ends else None


def extremes(curve: InPieces, first: Ints, last: Ints, values: Callable[[Curve], Sequence[Floats]]) -> list[Floats]:
    """The lowest and the highest of each of these values among the points of some ranges, [ranges, 2]; NaN where none
    is known. A range goes from its first point to its last."""
    found: list[Floats] = []
    done = 0
    for piece in curve.pieces():
        observed = values(piece)
        found = found or [np.full((len(first), 2), np.nan) for _ in observed]
        n = len(piece.bias)
        for k in np.flatnonzero((first < done + n) & (last >= done)):
            own = slice(max(int(first[k]) - done, 0), int(last[k]) - done + 1)
            for each, column in zip(found, observed, strict=True):
                near = column[own][np.isfinite(column[own])]
                if len(near):
                    each[k] = np.fmin(each[k, 0], near.min()), np.fmax(each[k, 1], near.max())
        done += n
    return found
