"""Confidence bands of a curve, by a bootstrap over documents.

Documents are drawn with replacement; at each bias the counts of the drawn documents are summed again, so the band
reflects the dependence between precision and recall (Efron and Tibshirani 1993, percentile intervals).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats
from engine.tuning.curve import Curve, Steps
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


def resampled(
    steps: Steps,
    biases: Floats,
    *,
    resamples: int = 200,
    seed: int = 0,
    tick: Callable[[int], None] = lambda _: None,
) -> Resampled:
    """The sums of the drawn documents. The table of counts is built for some documents at a time; counts are whole
    numbers, so the sums do not depend on the block size. `tick` is called with the number of documents done."""
    n = len(steps.gold)
    drawn = _drawn(n, resamples, seed)
    sums = np.zeros((resamples, len(biases), 3))
    gold = np.zeros(resamples)
    for first in range(0, n, _AT_ONCE):
        own = slice(first, min(first + _AT_ONCE, n))
        weights = drawn[:, own].astype(np.float64)
        table = counts_at(steps, biases, own).reshape(own.stop - first, -1)
        sums += (weights @ table).reshape(sums.shape)
        gold += weights @ steps.gold[own]
        tick(own.stop)
    return Resampled(biases, sums, gold)


def _drawn(n: int, resamples: int, seed: int) -> NDArray[np.int16]:
    """How often each document is drawn, [resamples, documents]."""
    rng = np.random.default_rng(seed)
    drawn = np.zeros((resamples, n), dtype=np.int16)
    shares = np.full(n, 1 / n) if n else np.zeros(0)
    for row in drawn if n else ():
        row[:] = rng.multinomial(n, shares)
    return drawn


def band_of(curve: Curve, drawn: Resampled, *, beta: float = 1.0, level: float = 0.9) -> Band:
    """The limits of the curve, from these resamples."""
    sums, biases = drawn.sums, drawn.bias
    precision = _ratio(sums[:, :, 0], sums[:, :, 2])
    recall = _ratio(sums[:, :, 1], np.broadcast_to(drawn.gold[:, None], sums.shape[:2]))
    b2 = beta * beta
    f = _ratio((1 + b2) * precision * recall, b2 * precision + recall)
    known = np.where(sums[:, :, 2] > 0, precision, np.nan)
    return Band(
        biases,
        _holding(curve, biases, _percentiles(known, level), curve.known_precision),
        _holding(curve, biases, _percentiles(recall, level), curve.recall),
        _holding(curve, biases, _percentiles(f, level), curve.f(beta)),
        level,
    )


def places(curve: Curve, points: int, window: tuple[float, float] | None) -> Floats:
    """The biases at which the band is computed, ascending; the first is where the unbounded first step is drawn
    from."""
    first, last = whole(curve)
    low, high = window or (first, last)
    inside = np.linspace(low, high, max(2, 2 * points // 3))
    around = np.linspace(first, last, max(2, points - len(inside)))
    along = curve.bias[np.unique(np.linspace(0, len(curve.bias) - 1, max(2, points // 3)).round().astype(np.intp))]
    return np.unique(np.concatenate([inside, around, along[np.isfinite(along)]]))


def _percentiles(values: Floats, level: float) -> Floats:
    """[points, 2] limits over the resamples; NaN if no resample has a value."""
    tails = [(1 - level) / 2, (1 + level) / 2]
    limits = np.full((values.shape[1], 2), np.nan)
    some = np.isfinite(values).any(axis=0)
    limits[some] = np.nanquantile(values[:, some], tails, axis=0).T
    return limits


def _holding(curve: Curve, biases: Floats, limits: Floats, observed: Floats) -> Floats:
    """The limits, widened to the lowest and highest value of the curve between the previous and the next point, so that
    the straight lines between neighbouring points lie entirely below, or above, the curve."""
    at = np.maximum(np.searchsorted(curve.bias, biases, side="right") - 1, 0)
    held = limits.copy()
    for k in range(len(biases)):
        near = observed[at[max(k - 1, 0)] : at[min(k + 1, len(biases) - 1)] + 1]
        near = near[np.isfinite(near)]
        if len(near):
            held[k] = np.fmin(limits[k, 0], near.min()), np.fmax(limits[k, 1], near.max())
    return held


def counts_at(steps: Steps, biases: Floats, documents: slice = slice(None)) -> Floats:
    """The counts of every document, or of some, at the given biases: [documents, biases, 3]."""
    chosen = range(*documents.indices(len(steps.gold)))
    table = np.zeros((len(chosen), len(biases), 3))
    starts = np.searchsorted(steps.document, np.arange(chosen.start, chosen.stop + 1))
    for d in range(len(chosen)):
        own = slice(starts[d], starts[d + 1])
        at = np.searchsorted(steps.bias[own], biases, side="right") - 1
        rows = steps.counts[own]
        if len(rows):
            table[d] = np.where((at >= 0)[:, None], rows[at], 0)
    return table


def _ratio(top: Floats, bottom: Floats) -> Floats:
    return np.divide(top, bottom, out=np.zeros_like(top), where=bottom > 0)
