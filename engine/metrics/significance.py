"""Paired significance tests over documents: is the difference between two systems more than chance?

A score such as F1 is a function of counts summed over documents, so documents are the unit of sampling: they are drawn
with replacement (bootstrap), or the two systems' outputs are swapped at random (permutation). Both systems are always
evaluated on the same draw. Counts are rows per document; a statistic maps sums of counts to a number and is applied to
all draws at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from engine.arrays import Floats

Statistic: TypeAlias = Callable[[Floats], Floats]
"""Sums of counts [..., columns] -> score [...]."""

COLUMNS = ("correct", "found", "predicted", "gold")

# Draws are generated in blocks of about this many numbers.
_BLOCK = 4_000_000


@dataclass(frozen=True)
class ScoreDifference:
    """Second minus first: the observed value, an interval, and the probability of such a difference by chance
    (two-sided)."""

    value: float
    low: float
    high: float
    p: float


@dataclass(frozen=True)
class Interval:
    value: float
    low: float
    high: float


def as_counts(rows: Sequence[Mapping[str, float]], columns: Sequence[str] = COLUMNS) -> Floats:
    """Per-document counts as a matrix."""
    return np.array([[row[name] for name in columns] for row in rows], dtype=np.float64).reshape(-1, len(columns))


def precision(sums: Floats) -> Floats:
    return _ratio(sums[..., 0], sums[..., 2])


def recall(sums: Floats) -> Floats:
    return _ratio(sums[..., 1], sums[..., 3])


def f1(sums: Floats) -> Floats:
    """F1 of sums of correct, found, predicted, gold."""
    p, r = precision(sums), recall(sums)
    return _ratio(2 * p * r, p + r)


def paired_bootstrap(
    first: ArrayLike,
    second: ArrayLike,
    statistic: Statistic = f1,
    *,
    samples: int = 10_000,
    level: float = 0.95,
    seed: int = 0,
) -> ScoreDifference:
    """Percentile interval of the difference if documents are drawn with replacement.

    p is twice the smaller share of draws on either side of 0 (draws at 0 count on both).
    """
    a, b = _paired(first, second)
    observed = float(statistic(b.sum(axis=0)) - statistic(a.sum(axis=0)))
    differences = np.concatenate(
        [statistic(draws @ b) - statistic(draws @ a) for draws in _resamples(len(a), samples, seed)]
    )
    low, high = _percentiles(differences, level)
    p = 2 * min((np.sum(differences <= 0) + 1) / (samples + 1), (np.sum(differences >= 0) + 1) / (samples + 1))
    return ScoreDifference(observed, low, high, min(float(p), 1.0))


def bootstrap_interval(
    counts: ArrayLike, statistic: Statistic = f1, *, samples: int = 10_000, level: float = 0.95, seed: int = 0
) -> Interval:
    """Percentile interval of one system's score."""
    rows = np.asarray(counts, dtype=np.float64)
    values = np.concatenate([statistic(draws @ rows) for draws in _resamples(len(rows), samples, seed)])
    return Interval(float(statistic(rows.sum(axis=0))), *_percentiles(values, level))


def paired_permutation(
    first: ArrayLike, second: ArrayLike, statistic: Statistic = f1, *, samples: int = 10_000, seed: int = 0
) -> float:
    """How often randomly swapping the systems' outputs, document by document, gives a difference at least as large.

    Exact, over all swaps, if there are no more of them than samples.
    """
    a, b = _paired(first, second)
    n = len(a)
    observed = abs(float(statistic(b.sum(axis=0)) - statistic(a.sum(axis=0))))
    exact = n <= 40 and 2**n <= samples
    total = a.sum(axis=0) + b.sum(axis=0)
    extreme, drawn = 0, 0
    for swaps in _all_swaps(n) if exact else _random_swaps(n, samples, seed):
        swapped_first = a.sum(axis=0) + swaps @ (b - a)
        values = np.abs(statistic(total - swapped_first) - statistic(swapped_first))
        extreme += int(np.sum(values >= observed - 1e-12))
        drawn += len(swaps)
    return extreme / drawn if exact else (extreme + 1) / (drawn + 1)


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values corrected for several simultaneous comparisons (Holm 1979)."""
    order = np.argsort(p_values, kind="stable")
    adjusted = np.zeros(len(p_values))
    highest = 0.0
    for rank, i in enumerate(order):
        highest = max(highest, min((len(p_values) - rank) * p_values[i], 1.0))
        adjusted[i] = highest
    return [float(p) for p in adjusted]


def t_interval(values: Sequence[float], level: float = 0.95) -> Interval:
    """Mean of runs (seeds, folds) with Student's interval; a single run has no interval."""
    from scipy.special import stdtrit

    x = np.asarray(values, dtype=np.float64)
    if not len(x):
        raise ValueError("there are no values")
    mean = float(x.mean())
    if len(x) == 1:
        return Interval(mean, -np.inf, np.inf)
    half = float(stdtrit(len(x) - 1, (1 + level) / 2) * x.std(ddof=1) / np.sqrt(len(x)))
    return Interval(mean, mean - half, mean + half)


def wilcoxon(first: ArrayLike, second: ArrayLike) -> float:
    """Two-sided p-value of the signed-rank test on paired numbers; 1 if no pair differs."""
    from scipy.stats import wilcoxon as signed_rank

    difference = np.asarray(second, dtype=np.float64) - np.asarray(first, dtype=np.float64)
    if not difference.any():
        return 1.0
    return float(signed_rank(difference).pvalue)


def _paired(first: ArrayLike, second: ArrayLike) -> tuple[Floats, Floats]:
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if a.shape != b.shape or a.ndim != 2:
        raise ValueError(f"paired counts need the same documents and columns, not {a.shape} and {b.shape}")
    if not len(a):
        raise ValueError("there are no documents to compare on")
    return a, b


def _percentiles(values: Floats, level: float) -> tuple[float, float]:
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _blocks(n: int, samples: int) -> Iterator[int]:
    size = max(_BLOCK // max(n, 1), 1)
    for begin in range(0, samples, size):
        yield min(size, samples - begin)


def _resamples(n: int, samples: int, seed: int) -> Iterator[Floats]:
    """How often each document is drawn, [draws, documents]."""
    rng = np.random.default_rng(seed)
    for size in _blocks(n, samples):
        picks = rng.integers(0, n, (size, n)) + np.arange(size)[:, None] * n
        yield np.bincount(picks.ravel(), minlength=size * n).reshape(size, n).astype(np.float64)


def _random_swaps(n: int, samples: int, seed: int) -> Iterator[Floats]:
    rng = np.random.default_rng(seed)
    for size in _blocks(n, samples):
        yield rng.integers(0, 2, (size, n)).astype(np.float64)


def _all_swaps(n: int) -> Iterator[Floats]:
    yield ((np.arange(2**n)[:, None] >> np.arange(n)) & 1).astype(np.float64)


def _ratio(top: Floats, bottom: Floats) -> Floats:
    top, bottom = np.asarray(top, dtype=np.float64), np.asarray(bottom, dtype=np.float64)
    return np.divide(top, bottom, out=np.zeros_like(top), where=bottom > 0)
