"""Linear scorers on dense features of any scale.

Perceptrons, margins and networks need features of similar size, and since Nil scores 0, parts need a constant. So
learners see standardised features with a column of ones at the end; a scorer contains the scaling and takes raw rows. A
missing value (NaN) counts as the feature's mean.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from engine.arrays import Array, Floats, Singles
from engine.kernels import kernel


@dataclass(frozen=True, eq=False)
class Scaling:
    """Mean and spread of every feature as seen in training."""

    mean: Floats
    spread: Floats

    @staticmethod
    def fit(features: Array) -> Scaling:
        n_features = features.shape[1]
        mean, spread = np.zeros(n_features), np.zeros(n_features)
        for f in range(n_features):
            column = features[:, f].astype(np.float64)
            known = column[np.isfinite(column)]
            if len(known):
                mean[f], spread[f] = known.mean(), known.std()
        # A constant feature carries no information; dividing by its tiny spread must not blow it up.
        return Scaling(mean, np.where(spread > 1e-6 * (1.0 + np.abs(mean)), spread, np.inf))

    @staticmethod
    def none(n_features: int) -> Scaling:
        """Features as they are."""
        return Scaling(np.zeros(n_features), np.ones(n_features))

    def apply(self, features: Array, *, constant: bool = True) -> Singles:
        """Rows in units of the spread, with a last column of ones unless `constant` is False."""
        n, n_features = features.shape
        scaled = np.ones((n, n_features + constant), np.float32)
        _scale(features, self.mean, self.spread, scaled)
        return scaled

    def to_parts(self) -> dict[str, Array]:
        return {"mean": self.mean, "spread": self.spread}

    @staticmethod
    def from_parts(parts: Mapping[str, Array]) -> Scaling:
        return Scaling(parts["mean"], parts["spread"])


@dataclass(frozen=True, eq=False)
class Linear:
    """weights . scaled features; if there is one weight more than features, the last is that of the constant."""

    weights: Floats
    scaling: Scaling

    def scores(self, features: Array) -> Floats:
        constant = len(self.weights) > features.shape[1]
        return dot_rows(self.scaling.apply(features, constant=constant), self.weights)

    def contributions(self, features: Array) -> Floats:
        """What each feature adds to each score, [rows, features + 1]; the last column is the constant."""
        constant = len(self.weights) > features.shape[1]
        added = np.zeros((len(features), features.shape[1] + 1))
        added[:, : len(self.weights)] = self.scaling.apply(features, constant=constant) * self.weights
        return added

    def to_parts(self) -> dict[str, Array]:
        return {"weights": self.weights, **self.scaling.to_parts()}

    @staticmethod
    def from_parts(parts: Mapping[str, Array]) -> Linear:
        return Linear(parts["weights"], Scaling.from_parts(parts))


@kernel
def _scale(features: Array, mean: Floats, spread: Floats, scaled: Singles) -> None:
    """Features in units of the spread, computed in double precision; NaN counts as the mean."""
    n, n_features = features.shape
    for i in range(n):
        for f in range(n_features):
            value = (features[i, f] - mean[f]) / spread[f] if spread[f] != 0.0 else 0.0
            scaled[i, f] = value if np.isfinite(value) else 0.0


@kernel
def dot_rows(rows: Singles, weights: Floats) -> Floats:
    """rows . weights with single-precision rows summed in double precision, without a copy of the rows."""
    n, n_features = rows.shape
    result = np.empty(n)
    for i in range(n):
        # Four independent sums, because each addition to a single sum would wait for the one before.
        a, b, c, d = 0.0, 0.0, 0.0, 0.0
        f = 0
        while f + 4 <= n_features:
            a += rows[i, f] * weights[f]
            b += rows[i, f + 1] * weights[f + 1]
            c += rows[i, f + 2] * weights[f + 2]
            d += rows[i, f + 3] * weights[f + 3]
            f += 4
        while f < n_features:
            a += rows[i, f] * weights[f]
            f += 1
        result[i] = (a + b) + (c + d)
    return result
