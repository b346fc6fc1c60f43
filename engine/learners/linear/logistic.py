"""Multinomial logistic regression with an L2 penalty, over on/off features.

A thin layer over scikit-learn's L-BFGS: one round, deterministic.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.learners.base import Round
from engine.learners.linear.onoff import Classifier, Rows

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Logistic:
    """Settings of the regression."""

    C: float = 0.2
    """Inverse strength of the penalty."""
    tolerance: float = 1e-3
    most_iterations: int = 300

    def rounds(self, rows: Rows, classes: Ints, n_classes: int) -> Iterator[Round]:
        """One round. Classes that never occur keep zero weights and an intercept that all but rules them out."""
        from sklearn.linear_model import LogisticRegression

        present = np.unique(classes)
        weights = np.zeros((n_classes, rows.n_columns))
        intercepts = np.full(n_classes, -20.0)
        if len(present) < 2:
            intercepts[present] = 0.0
            yield Round(0, 0.0, Classifier(weights, intercepts))
            return
        fitted = LogisticRegression(C=self.C, tol=self.tolerance, max_iter=self.most_iterations)
        fitted.fit(rows.matrix(), classes)
        if len(present) == 2:
            # scikit-learn keeps one row of weights for two classes; half to each side gives the same probabilities.
            weights[present] = np.vstack([-fitted.coef_ / 2, fitted.coef_ / 2])
            intercepts[present] = np.concatenate([-fitted.intercept_ / 2, fitted.intercept_ / 2])
        else:
            weights[present] = fitted.coef_
            intercepts[present] = fitted.intercept_
        classifier = Classifier(weights, intercepts)
        chosen = classifier.log_probabilities(rows)[np.arange(len(classes)), classes]
        yield Round(0, float(-chosen.mean()), classifier)
