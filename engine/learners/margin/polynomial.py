"""Structured SVM with the polynomial kernel of degree 2, in its explicit form.

With z the scaled features and a constant, the feature map z z' has the inner product (z . y)^2, so a linear machine on
it is the kernel machine, without a kernel matrix over half a million parts. Weights form a matrix A and a part scores
z' A z; the map itself is never stored, only sums of z z' over the few parts that are on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.learners.linear.scaled import Scaling
from engine.learners.margin.ssvm import SSVM, FeatureMap
from engine.structures.base import Parts, Scores

Floats = NDArray[np.float64]
# Rows scored at a time: their product with the matrix should stay in cache.
_BLOCK = 4096


@dataclass(frozen=True, kw_only=True)
class PolynomialSSVM(SSVM):
    """Structured SVM on all products of two features."""

    def _map(self, features: NDArray[Any]) -> FeatureMap:
        return QuadraticMap(features)


@dataclass(frozen=True, eq=False)
class Quadratic:
    """z' A z over scaled features z with a constant."""

    matrix: Floats
    scaling: Scaling

    def scores(self, features: NDArray[Any]) -> Floats:
        return _forms(_rows(self.scaling, features), self.matrix)

    def contributions(self, features: NDArray[Any]) -> Floats:
        """What each feature adds to each score, [rows, features + 1]; products are shared evenly by both factors."""
        rows = _rows(self.scaling, features)
        return rows * (rows @ ((self.matrix + self.matrix.T) / 2))

    def to_parts(self) -> dict[str, NDArray[Any]]:
        return {"matrix": self.matrix, **self.scaling.to_parts()}

    @staticmethod
    def from_parts(parts: Mapping[str, NDArray[Any]]) -> Quadratic:
        return Quadratic(parts["matrix"], Scaling.from_parts(parts))


class QuadraticMap:
    """All products of two scaled features, the constant among them."""

    def __init__(self, features: NDArray[Any]) -> None:
        self._scaling = Scaling.fit(features)
        self._rows = _rows(self._scaling, features)
        self._width = self._rows.shape[1]
        self.dim = self._width**2

    def scores(self, weights: Floats) -> Scores:
        return _forms(self._rows, weights.reshape(self._width, self._width))

    def total(self, parts: Parts) -> Floats:
        chosen = self._rows[parts].astype(np.float64)
        return (chosen.T @ chosen).ravel()

    def scorer(self, weights: Floats) -> Quadratic:
        return Quadratic(weights.reshape(self._width, self._width), self._scaling)


def _rows(scaling: Scaling, features: NDArray[Any]) -> NDArray[np.float32]:
    """Scaled features whose squares sum to about 1, so that C means the same whatever their number, and a constant."""
    rows = scaling.apply(features)
    rows[:, :-1] /= np.sqrt(max(features.shape[1], 1))
    return rows


def _forms(rows: NDArray[np.float32], matrix: Floats) -> Scores:
    result = np.empty(len(rows))
    for start in range(0, len(rows), _BLOCK):
        block = rows[start : start + _BLOCK].astype(np.float64)
        result[start : start + _BLOCK] = np.einsum("ij,ij->i", block @ matrix, block)
    return result
