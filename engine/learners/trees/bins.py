"""Real-valued features in at most 255 ordered bins, so that growing a tree needs counts instead of sorting.

Bin b holds the values in (edges[b - 1], edges[b]]; missing values (NaN) have a code of their own. A split "bin <= b"
is the split "value <= edges[b]", so a tree grown on bins needs only raw values when it predicts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from engine.arrays import Array, Bytes, Floats, Ints
from engine.kernels import kernel

MISSING: Final = 255

# Edges are quantiles of at most this many evenly spaced rows, as in other histogram boosters.
_SAMPLE: Final = 200_000


@dataclass(frozen=True, eq=False)
class Bins:
    """Upper edges of the bins of every feature, one feature after another; the last edge of each is +inf."""

    edges: Floats
    offsets: Ints

    @staticmethod
    def fit(features: Array, max_bins: int = 255) -> Bins:
        """One bin per distinct value if these are few enough, else bins of about equal counts."""
        if not 2 <= max_bins <= 255:
            raise ValueError(f"max_bins must lie in 2..255, not {max_bins}")
        n = len(features)
        if n > _SAMPLE:
            features = features[np.arange(_SAMPLE) * n // _SAMPLE]
        columns = [_edges(features[:, f], max_bins) for f in range(features.shape[1])]
        sizes = [len(column) for column in columns]
        return Bins(np.concatenate([np.zeros(0), *columns]), np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]))

    @property
    def n_features(self) -> int:
        return len(self.offsets) - 1

    @property
    def sizes(self) -> Ints:
        """The number of bins of every feature, not counting that of missing values."""
        return np.diff(self.offsets)

    def transform(self, features: Array) -> Bytes:
        """The bin of every value, row-major."""
        if features.ndim != 2 or features.shape[1] != self.n_features:
            raise ValueError(f"features of shape {features.shape} for {self.n_features} binned columns")
        return _codes(np.ascontiguousarray(features), self.edges, self.offsets)

    def to_parts(self) -> dict[str, Array]:
        return {"edges": self.edges, "offsets": self.offsets}

    @staticmethod
    def from_parts(parts: Mapping[str, Array]) -> Bins:
        return Bins(parts["edges"], parts["offsets"])


def _edges(column: Array, max_bins: int) -> Floats:
    column = column.astype(np.float64)
    values, counts = np.unique(column[~np.isnan(column)], return_counts=True)
    if len(values) > max_bins:
        # A bin ends at the value at which each equal share of the rows is reached.
        reached = np.cumsum(counts)
        shares = np.arange(1, max_bins) * (reached[-1] / max_bins)
        closing = np.unique(np.searchsorted(reached, shares))
        closing = closing[closing < len(values) - 1]
    else:
        closing = np.arange(max(len(values) - 1, 0))
    lower, upper = values[closing], values[closing + 1]
    with np.errstate(invalid="ignore"):
        middle = (lower + upper) / 2
    # The midpoint fails between infinities and between neighbouring floats; the lower value always separates.
    middle = np.where((lower <= middle) & (middle < upper), middle, lower)
    return np.append(middle, np.inf)


@kernel
def _codes(features: Array, edges: Floats, offsets: Ints) -> Bytes:
    n, n_features = features.shape
    codes = np.empty((n, n_features), np.uint8)
    for i in range(n):
        for f in range(n_features):
            value = features[i, f]
            if np.isnan(value):
                codes[i, f] = MISSING
                continue
            first, last = offsets[f], offsets[f + 1] - 1
            low, high = first, last
            while low < high:
                middle = (low + high) // 2
                if value <= edges[middle]:
                    high = middle
                else:
                    low = middle + 1
            codes[i, f] = low - first
    return codes
