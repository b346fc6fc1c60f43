"""How far a curve could have come out differently: a bootstrap over documents.

Documents are drawn with replacement; at each bias the counts of the drawn documents are summed again, so the band
holds the whole dependence between precision and recall (Efron and Tibshirani 1993, percentile intervals).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.arrays import Floats
from engine.tuning.curve import Curve, Steps


@dataclass(frozen=True, eq=False)
class Band:
    """Lower and upper limits of precision, recall and F-beta at some biases; [points, 2] each.

    Precision is over the resamples that predict something; where none does, it is not a number.
    """

    bias: Floats
    precision: Floats
    recall: Floats
    f: Floats
    level: float


def bootstrap_band(
    curve: Curve, *, beta: float = 1.0, points: int = 100, resamples: int = 200, level: float = 0.9, seed: int = 0
) -> Band:
    """Percentile limits at `points` operating points spread evenly along the curve."""
    if curve.steps is None:
        raise ValueError("the curve was made without gold counts per document, so it cannot be resampled")
    steps = curve.steps
    index = np.unique(np.linspace(0, len(curve.bias) - 1, points).round().astype(np.intp))
    biases = curve.bias[index]
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
    tails = [(1 - level) / 2, (1 + level) / 2]
    says = sums[:, :, 2] > 0
    known = np.full((len(biases), 2), np.nan)
    some = says.any(axis=0)
    known[some] = np.nanquantile(np.where(says, precision, np.nan)[:, some], tails, axis=0).T
    return Band(biases, known, np.quantile(recall, tails, axis=0).T, np.quantile(f, tails, axis=0).T, level)


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
