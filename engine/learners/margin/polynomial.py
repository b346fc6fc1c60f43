"""Structured SVM with the polynomial kernel of degree 2, in its explicit form.

With z the scaled features and a constant, the feature map z z' has the inner product (z . y)^2, so a linear machine on
it is the kernel machine, without a kernel matrix over half a million parts. Weights form a matrix A and a part scores
z' A z; the map itself is never stored, only sums of z z' over the few parts that are on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from engine.arrays import Array, Floats, Singles
from engine.learners.base import FeatureMatrix, Instance, Round, Saved
from engine.learners.joined import join
from engine.learners.linear.scaled import Scaling
from engine.learners.margin.ssvm import MarginSettings, MarginTraining
from engine.structures.base import Parts, Scores, Structure
from engine.workers.crews import ALONE, Crew

# Number of rows scored at a time, so that their product with the matrix stays in cache.
_BLOCK: Final = 4096


@dataclass(frozen=True, kw_only=True)
class PolynomialSSVM(MarginSettings):
    """Structured SVM on all products of two features."""

    def rounds(
        self, instances: Sequence[Instance[Structure]], *, resume: Saved | None = None, crew: Crew = ALONE
    ) -> Iterator[Round[Quadratic]]:
        """One round per plane, as for the linear machine."""
        corpus = join(instances)
        yield from MarginTraining(self, corpus, QuadraticMap.of(corpus.features), crew).all_rounds(resume)


@dataclass(frozen=True, eq=False)
class Quadratic:
    """z' A z over scaled features z with a constant."""

    matrix: Floats
    scaling: Scaling

    def scores(self, features: FeatureMatrix) -> Floats:
        return _forms(_rows(self.scaling, features), self.matrix)

    def contributions(self, features: FeatureMatrix) -> Floats:
        """What each feature adds to each score, [rows, features + 1]; a product is divided equally between its
        factors."""
        rows = _rows(self.scaling, features)
        return rows * (rows @ ((self.matrix + self.matrix.T) / 2))

    def to_parts(self) -> dict[str, Array]:
        return {"matrix": self.matrix, **self.scaling.to_parts()}

    @staticmethod
    def from_parts(parts: Mapping[str, Array]) -> Quadratic:
        return Quadratic(parts["matrix"], Scaling.from_parts(parts))


@dataclass(frozen=True, eq=False)
class QuadraticMap:
    """All products of two scaled features, the constant among them."""

    # Products of matrices round a row as their number of rows has it.
    is_by_row: ClassVar[bool] = False
    scaling: Scaling
    rows: Singles

    @classmethod
    def of(cls, features: FeatureMatrix) -> QuadraticMap:
        scaling = Scaling.fit(features)
        return cls(scaling, _rows(scaling, features))

    @property
    def dim(self) -> int:
        return int(self.rows.shape[1]) ** 2

    def part(self, first: int, last: int) -> QuadraticMap:
        return QuadraticMap(self.scaling, self.rows[first:last])

    def scores(self, weights: Floats) -> Scores:
        return _forms(self.rows, self._matrix(weights))

    def total(self, parts: Parts) -> Floats:
        chosen = self.rows[parts].astype(np.float64)
        return (chosen.T @ chosen).ravel()

    def scorer(self, weights: Floats) -> Quadratic:
        return Quadratic(self._matrix(weights), self.scaling)

    def _matrix(self, weights: Floats) -> Floats:
        width = self.rows.shape[1]
        return weights.reshape(width, width)


def _rows(scaling: Scaling, features: FeatureMatrix) -> Singles:
    """Scaled features whose squares sum to about 1, so that C means the same for any number of features, and a
    constant."""
    rows = scaling.apply(features)
    rows[:, :-1] /= np.sqrt(max(features.shape[1], 1))
    return rows


def _forms(rows: Singles, matrix: Floats) -> Scores:
    result = np.empty(len(rows))
    for start in range(0, len(rows), _BLOCK):
        block = rows[start : start + _BLOCK].astype(np.float64)
        result[start : start + _BLOCK] = np.einsum("ij,ij->i", block @ matrix, block)
    return result
