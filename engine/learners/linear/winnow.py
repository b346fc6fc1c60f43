"""Winnow in the manner of SNoW: a sparse network of linear units with multiplicative updates.

Every class is a linear unit over the same on/off features with positive weights. A unit whose class is right but whose
activation stays below the threshold promotes the weights of the active features; one whose class is wrong but reaches
the threshold demotes them. The threshold is thick: examples within its margin count as mistakes too. Activations become
probabilities by a softmax (Roth and Yih 2004, section 4), sharpened by a factor that the caller fits out of fold.
Mistakes on a k-literal disjunction over n features grow with k log n, not with n (Littlestone 1988).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from engine.learners.base import Round
from engine.learners.linear.onoff import Classifier, Rows

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Winnow:
    """Settings of the network."""

    promotion: float = 1.1
    demotion: float = 0.9
    thickness: float = 0.1
    """Half the width of the threshold, which stands at 1."""
    epochs: int = 25
    seed: int = 0

    def __post_init__(self) -> None:
        if not (self.promotion > 1.0 > self.demotion > 0.0):
            raise ValueError("promotion must be above 1 and demotion between 0 and 1")

    def rounds(self, rows: Rows, classes: Ints, n_classes: int) -> Iterator[Round]:
        """One round per pass; each round's classifier has the weights averaged over all updates so far."""
        rng = np.random.default_rng(self.seed)
        n = len(rows)
        active = max(float(np.diff(rows.starts).mean()), 1.0) if n else 1.0
        # A unit starts so that a typical example stands at the threshold.
        weights = np.full((n_classes, rows.n_columns + 1), 1.0 / active)
        total = np.zeros_like(weights)
        stamp = np.zeros(weights.shape, dtype=np.int64)
        step = 0
        for index in range(self.epochs):
            order = rng.permutation(n)
            mistakes = _epoch(
                rows.starts,
                rows.columns,
                np.asarray(classes, dtype=np.int64),
                order,
                weights,
                total,
                stamp,
                step,
                self.promotion,
                self.demotion,
                self.thickness,
            )
            step += n
            average = (total + (step - stamp) * weights) / max(step, 1)
            yield Round(index, float(mistakes), Classifier(average[:, :-1], average[:, -1]))


@njit(cache=True, nogil=True)
def _epoch(
    starts: Any, columns: Any, classes: Any, order: Any, weights: Any, total: Any, stamp: Any, step: int,
    promotion: float, demotion: float, thickness: float,
) -> int:  # fmt: skip
    """One pass; the last column is a feature that is always on. `total` sums each weight over steps, lazily."""
    n_classes, always = weights.shape[0], weights.shape[1] - 1
    mistakes = 0
    for k in range(len(order)):
        row = order[k]
        a, b = starts[row], starts[row + 1]
        for c in range(n_classes):
            activation = weights[c, always]
            for f in range(a, b):
                activation += weights[c, columns[f]]
            is_right = classes[row] == c
            if is_right and activation < 1.0 + thickness:
                factor = promotion
            elif not is_right and activation > 1.0 - thickness:
                factor = demotion
            else:
                continue
            if (activation >= 1.0) != is_right:
                mistakes += 1
            for f in range(a, b + 1):
                column = columns[f] if f < b else always
                total[c, column] += (step + k - stamp[c, column]) * weights[c, column]
                stamp[c, column] = step + k
                weights[c, column] *= factor
    return mistakes
