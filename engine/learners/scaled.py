"""Linear scorers on dense features of any scale.

Perceptrons, margins and networks need features of one size, and Nil at score 0 needs a constant to stand against. So
learners see standardised features with a column of ones at the end; a scorer carries the scaling and takes raw rows.
A missing value (NaN) counts as the feature's mean.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Scaling:
    """Mean and spread of every feature as seen in training."""

    mean: Floats
    spread: Floats

    @staticmethod
    def fit(features: NDArray[Any]) -> Scaling:
        present = np.isfinite(features)
        count = np.maximum(present.sum(axis=0), 1)
        known = np.where(present, features, 0.0).astype(np.float64)
        mean = known.sum(axis=0) / count
        variance = np.where(present, (known - mean) ** 2, 0.0).sum(axis=0) / count
        spread = np.sqrt(variance)
        # A constant feature says nothing; dividing by its spread must not make it shout.
        return Scaling(mean, np.where(spread > 1e-6 * (1.0 + np.abs(mean)), spread, np.inf))

    @staticmethod
    def none(n_features: int) -> Scaling:
        """Features as they are."""
        return Scaling(np.zeros(n_features), np.ones(n_features))

    def apply(self, features: NDArray[Any], *, constant: bool = True) -> NDArray[np.float32]:
        """Rows in units of the spread, with a last column of ones unless told otherwise."""
        scaled = np.ones((len(features), features.shape[1] + constant), np.float32)
        rows = (np.asarray(features, dtype=np.float64) - self.mean) / self.spread
        scaled[:, : features.shape[1]] = np.where(np.isfinite(rows), rows, 0.0)
        return scaled

    def to_parts(self) -> dict[str, NDArray[Any]]:
        return {"mean": self.mean, "spread": self.spread}

    @staticmethod
    def from_parts(parts: Mapping[str, NDArray[Any]]) -> Scaling:
        return Scaling(parts["mean"], parts["spread"])


@dataclass(frozen=True, eq=False)
class Linear:
    """weights . scaled features; where there is one weight more than features, the last belongs to the constant."""

    weights: Floats
    scaling: Scaling

    def scores(self, features: NDArray[Any]) -> Floats:
        constant = len(self.weights) > features.shape[1]
        return self.scaling.apply(features, constant=constant) @ self.weights

    def contributions(self, features: NDArray[Any]) -> Floats:
        """What each feature adds to each score, [rows, features + 1]; the last column is the constant."""
        constant = len(self.weights) > features.shape[1]
        added = np.zeros((len(features), features.shape[1] + 1))
        added[:, : len(self.weights)] = self.scaling.apply(features, constant=constant) * self.weights
        return added

    def to_parts(self) -> dict[str, NDArray[Any]]:
        return {"weights": self.weights, **self.scaling.to_parts()}

    @staticmethod
    def from_parts(parts: Mapping[str, NDArray[Any]]) -> Linear:
        return Linear(parts["weights"], Scaling.from_parts(parts))
