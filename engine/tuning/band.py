"""Confidence bands of a curve, by a bootstrap over documents.

Documents are drawn with replacement; at each bias the counts of the drawn documents are summed again, so the band
reflects the dependence between precision and recall (Efron and Tibshirani 1993, percentile intervals).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import IO, Final, Protocol

import numpy as np

from engine.arrays import Floats
from engine.tuning.curve import Curve, Steps
from engine.tuning.in_pieces import InPieces, extremes, n_points, points_at, ranks_of
from engine.tuning.window import whole

_AT_ONCE: Final = 1024
"""Maximum number of documents whose counts are in memory at once."""


@dataclass(frozen=True, eq=False)
class Band:
    """Lower and upper limits of precision, recall and F-beta at some biases; [points, 2] each. The curve itself lies
    within straight lines between them.

    Precision is computed over the resamples that predict something; if none does, it is NaN.
    """

    bias: Floats
    precision: Floats
    recall: Floats
    f: Floats
    level: float


@dataclass(frozen=True, eq=False)
class Resampled:
    """The summed counts of documents drawn with replacement, at some biases. A band for any beta can be computed from
    it.

    `sums` are (correct, found, predicted), [resamples, points, 3]; `gold` has one number per resample.
    """

    bias: Floats
    sums: Floats
    gold: Floats


def bootstrap_band(
    curve: Curve,
    *,
    beta: float = 1.0,
    points: int = 100,
    window: tuple[float, float] | None = None,
    resamples: int = 200,
    level: float = 0.9,
    seed: int = 0,
) -> Band:
    """Percentile limits at `points` biases, most of them spread evenly over the `window`, the others along the rest of
    the curve; widened where necessary so that straight lines between the points enclose the curve."""
    if curve.steps is None:
        raise ValueError("the curve was made without gold counts per document, so it cannot be resampled")
    drawn = resampled(curve.steps, places(curve, points, window), resamples=resamples, seed=seed)
    return band_of(curve, drawn, beta=beta, level=level)


class StepsInPieces(Protocol):
    """The step functions of all documents, read some documents at a time: Steps, or LongSteps."""

    def __len__(self) -> int: ...

    def pieces(self, at_once: int) -> Iterator[Steps]: ...


def resampled(
    steps: StepsInPieces,
    biases: Floats,
    *,
    resamples: int = 200,
    seed: int = 0,
    tick: Callable[[int], None] = lambda _: None,
) -> Resampled:
    """The sums of the drawn documents. The table of counts is built for some documents at a time; counts are whole
    numbers, so the sums do not depend on the block size. `tick` is called with the number of documents done."""
    drawn = _Drawn(len(steps), resamples, seed)
    sums = np.zeros((resamples, len(biases), 3))
    gold = np.zeros(resamples)
    done = 0
    for own in steps.pieces(_AT_ONCE):
        weights = drawn.of(done, done + len(own))
        table = counts_at(own, biases).reshape(len(own), -1)
        sums += (weights @ table).reshape(sums.shape)
        gold += weights @ own.gold
        done += len(own)
        tick(done)
    return Resampled(biases, sums, gold)


class _Drawn:
    """How often each document is drawn. A resample is drawn for all documents and read for some, so they wait in a
    file."""

    def __init__(self, n: int, resamples: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self._n, self._resamples = n, resamples
        self._file: IO[bytes] = TemporaryFile()
        shares = np.full(n, 1 / n) if n else np.zeros(0)
        for _ in range(resamples) if n else ():
            self._file.write(rng.multinomial(n, shares).astype(np.int16).tobytes())

    def of(self, first: int, last: int) -> Floats:
        """The draws of these documents, [resamples, documents]."""
        drawn = np.empty((self._resamples, last - first))
        size = np.dtype(np.int16).itemsize
        for number, row in enumerate(drawn):
            self._file.seek((number * self._n + first) * size)
            row[:] = np.frombuffer(self._file.read((last - first) * size), np.int16)
        return drawn


def band_of(curve: InPieces, drawn: Resampled, *, beta: float = 1.0, level: float = 0.9) -> Band:
    """The limits of the curve, from these resamples."""
    sums, biases = drawn.sums, drawn.bias
    precision = _ratio(sums[:, :, 0], sums[:, :, 2])
    recall = _ratio(sums[:, :, 1], np.broadcast_to(drawn.gold[:, None], sums.shape[:2]))
    b2 = beta * beta
    f = _ratio((1 + b2) * precision * recall, b2 * precision + recall)
    known = np.where(sums[:, :, 2] > 0, precision, np.nan)
    limits = [_percentiles(values, level) for values in (known, recall, f)]
    near_precision, near_recall, near_f = _holding(curve, biases, limits, beta)
    return Band(biases, near_precision, near_recall, near_f, level)


def places(curve: InPieces, points: int, window: tuple[float, float] | None) -> Floats:
    """The biases at which the band is computed, ascending; the first is where the unbounded first step is drawn
    from."""
    first, last = whole(curve)
    low, high = window or (first, last)
    inside = np.linspace(low, high, max(2, 2 * points // 3))
    around = np.linspace(first, last, max(2, points - len(inside)))
    ranks = np.unique(np.linspace(0, n_points(curve) - 1, max(2, points // 3)).round().astype(np.int64))
    along = points_at(curve, ranks).bias
    return np.unique(np.concatenate([inside, around, along[np.isfinite(along)]]))


def _percentiles(values: Floats, level: float) -> Floats:
    """[points, 2] limits over the resamples; NaN if no resample has a value."""
    tails = [(1 - level) / 2, (1 + level) / 2]
    limits = np.full((values.shape[1], 2), np.nan)
    some = np.isfinite(values).any(axis=0)
    limits[some] = np.nanquantile(values[:, some], tails, axis=0).T
    return limits


def _holding(curve: InPieces, biases: Floats, limits: list[Floats], beta: float) -> list[Floats]:
    """The limits of precision, recall and F, widened to the lowest and highest value of the curve between the previous
    and the next point, so that the straight lines between neighbouring points lie entirely below, or above, the
    curve."""
    at = np.maximum(ranks_of(curve, biases), 0)
    first, last = np.append(at[:1], at[:-1]), np.append(at[1:], at[-1:])
    near = extremes(curve, first, last, lambda piece: (piece.known_precision, piece.recall, piece.f(beta)))
    return [
        np.stack([np.fmin(own[:, 0], values[:, 0]), np.fmax(own[:, 1], values[:, 1])], axis=1)
        for own, values in zip(limits, near, strict=True)
    ]


def counts_at(steps: Steps, biases: Floats) -> Floats:
    """The counts of every document at the given biases: [documents, biases, 3]."""
    n = len(steps.gold)
    table = np.zeros((n, len(biases), 3))
    starts = np.searchsorted(steps.document, np.arange(n + 1))
    for d in range(n):
        own = slice(starts[d], starts[d + 1])
        at = np.searchsorted(steps.bias[own], biases, side="right") - 1
        rows = steps.counts[own]
        if len(rows):
            table[d] = np.where((at >= 0)[:, None], rows[at], 0)
    return table


def _ratio(top: Floats, bottom: Floats) -> Floats:
    return np.divide(top, bottom, out=np.zeros_like(top), where=bottom > 0)
