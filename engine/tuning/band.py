"""How far a curve could have come out differently: a bootstrap over documents.

Documents are drawn with replacement; at each bias the counts of the drawn documents are summed again, so the band
holds the whole dependence between precision and recall (Efron and Tibshirani 1993, percentile intervals).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.arrays import Floats
from engine.tuning.curve import Curve, Steps
from engine.tuning.window import whole


@dataclass(frozen=True, eq=False)
class Band:
    """Lower and upper limits of precision, recall and F-beta at some biases; [points, 2] each. The curve itself lies
    within straight lines between them.

    Precision is over the resamples that predict something; where none does, it is not a number.
    """

    bias: Floats
    precision: Floats
    recall: Floats
    f: Floats
    level: float


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
    the curve; widened where need be so that straight lines from point to point have the curve between them."""
    if curve.steps is None:
        raise ValueError("the curve was made without gold counts per document, so it cannot be resampled")
    steps = curve.steps
    biases = _places(curve, points, window)
    table = counts_at(steps, biases)
    n = len(steps.gold)
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(n, np.full(n, 1 / n), size=resamples).astype(np.float64) if n else np.zeros((resamples, 0))
    sums = np.einsum("rd,dpk->rpk", drawn, table, optimize=True)
    gold = (drawn @ steps.gold)[:, None]
    precision = _ratio(sums[:, :, 0], sums[:, :, 2])
    recall = _ratio(sums[:, :, 1], np.broadcast_to(gold, sums.shape[:2]))
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


def _places(curve: Curve, points: int, window: tuple[float, float] | None) -> Floats:
    """Where the band is computed, ascending; the first is where the unbounded first step is drawn to begin."""
    first, last = whole(curve)
    low, high = window or (first, last)
    inside = np.linspace(low, high, max(2, 2 * points // 3))
    around = np.linspace(first, last, max(2, points - len(inside)))
    along = curve.bias[np.unique(np.linspace(0, len(curve.bias) - 1, max(2, points // 3)).round().astype(np.intp))]
    return np.unique(np.concatenate([inside, around, along[np.isfinite(along)]]))


def _percentiles(values: Floats, level: float) -> Floats:
    """[points, 2] limits over the resamples; not a number where no resample has a value."""
    tails = [(1 - level) / 2, (1 + level) / 2]
    limits = np.full((values.shape[1], 2), np.nan)
    some = np.isfinite(values).any(axis=0)
    limits[some] = np.nanquantile(values[:, some], tails, axis=0).T
    return limits


def _holding(curve: Curve, biases: Floats, limits: Floats, observed: Floats) -> Floats:
    """The limits, widened to the lowest and highest value that the curve has from the point before to the point after:
    then every straight line between neighbours passes below, or above, all of the curve between them."""
    at = np.maximum(np.searchsorted(curve.bias, biases, side="right") - 1, 0)
    held = limits.copy()
    for k in range(len(biases)):
        near = observed[at[max(k - 1, 0)] : at[min(k + 1, len(biases) - 1)] + 1]
        near = near[np.isfinite(near)]
        if len(near):
            held[k] = np.fmin(limits[k, 0], near.min()), np.fmax(limits[k, 1], near.max())
    return held


def counts_at(steps: Steps, biases: Floats) -> Floats:
    """Every document's counts at the given biases: [documents, biases, 3]."""
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
