"""On/off features in rows, and linear classifiers over them: what Winnow and logistic regression share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.arrays import Array, Flags, Floats, Ints, ShortInts


@dataclass(frozen=True, eq=False)
class Rows:
    """The columns that are on in every row: row i has columns[starts[i] : starts[i + 1]], ascending."""

    starts: Ints
    columns: ShortInts
    n_columns: int

    def __len__(self) -> int:
        return len(self.starts) - 1

    def matrix(self) -> Any:
        from scipy.sparse import csr_matrix

        ones = np.ones(len(self.columns))
        return csr_matrix((ones, self.columns, self.starts), shape=(len(self), self.n_columns))

    def take(self, chosen: Flags | Ints) -> Rows:
        picked = self.matrix()[chosen]
        picked.sort_indices()
        return Rows(picked.indptr.astype(np.int64), picked.indices.astype(np.int32), self.n_columns)


@dataclass(frozen=True, eq=False)
class Labelled:
    """Rows to learn from, each with its class: a number below `n_classes`."""

    rows: Rows
    classes: Ints
    n_classes: int


def join_labelled(instances: Sequence[Labelled]) -> Labelled:
    """All rows as one instance."""
    if not instances:
        raise ValueError("there is nothing to learn from")
    if len(instances) == 1:
        return instances[0]
    sizes = np.concatenate([np.diff(one.rows.starts) for one in instances])
    rows = Rows(
        np.concatenate([[0], np.cumsum(sizes)]),
        np.concatenate([one.rows.columns for one in instances]),
        instances[0].rows.n_columns,
    )
    return Labelled(rows, np.concatenate([one.classes for one in instances]), instances[0].n_classes)


@dataclass(frozen=True, eq=False)
class Classifier:
    """Linear activations and their softmax. `sharpness` scales activations, so that probabilities can be calibrated."""

    weights: Floats
    """[classes, columns]"""
    intercepts: Floats
    sharpness: float = 1.0

    def activations(self, rows: Rows) -> Floats:
        result: Floats = rows.matrix() @ self.weights.T + self.intercepts
        return result

    def log_probabilities(self, rows: Rows) -> Floats:
        return log_softmax(self.sharpness * self.activations(rows))

    def to_parts(self) -> dict[str, Array]:
        return {"weights": self.weights, "intercepts": self.intercepts, "sharpness": np.array(self.sharpness)}

    @staticmethod
    def from_parts(parts: Mapping[str, Array]) -> Classifier:
        return Classifier(parts["weights"], parts["intercepts"], float(parts["sharpness"]))


def log_softmax(activations: Floats) -> Floats:
    if not activations.size:
        return activations
    shifted = activations - activations.max(axis=1, keepdims=True)
    result: Floats = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return result


def fit_sharpness(activations: Floats, classes: Ints) -> float:
    """The factor under which held-out classes are most probable: a one-dimensional convex problem, by bisection."""
    rows = np.arange(len(classes))
    if not len(rows):
        return 1.0
    centred = activations - activations[rows, classes][:, None]

    def slope(factor: float) -> float:
        # Derivative of the mean negative log-likelihood: the expected activation minus that of the true class.
        scaled = factor * centred
        weights = np.exp(scaled - scaled.max(axis=1, keepdims=True))
        return float(np.mean((weights * centred).sum(axis=1) / weights.sum(axis=1)))

    low, high = 1e-3, 1e3
    for _ in range(60):
        middle = float(np.sqrt(low * high))
        low, high = (middle, high) if slope(middle) < 0 else (low, middle)
    return float(np.sqrt(low * high))
