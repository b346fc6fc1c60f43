"""Multinomial logistic regression with an L2 penalty, over on/off features.

A thin layer over scikit-learn's L-BFGS: one round, deterministic.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.learners.base import Round, Saved
from engine.learners.linear.onoff import Classifier, Labelled, join_labelled
from engine.learners.training import Training
from engine.settings import Settings, setting


@dataclass(frozen=True, kw_only=True)
class Logistic(Settings):
    """Multinomial logistic regression."""

    C: float = setting(0.2, "Inverse strength of the penalty.", low=1e-9)
    tolerance: float = setting(1e-3, "Stop when the gradient is this small.", low=0.0)
    most_iterations: int = setting(300, "Steps of the optimiser at most.", low=1)

    def rounds(self, instances: Sequence[Labelled], *, resume: Saved | None = None) -> Iterator[Round[Classifier]]:
        """One round; the objective is the mean negative log-likelihood."""
        yield from _Regression(self, join_labelled(instances)).rounds(1, resume)


class _Regression(Training[Round[Classifier]]):
    """A training of a single round, which leaves nothing to resume."""

    kind: ClassVar[str] = "logistic"

    def __init__(self, settings: Logistic, data: Labelled) -> None:
        super().__init__()
        self._settings, self._data = settings, data

    @property
    def size(self) -> tuple[int, ...]:
        return (len(self._data.rows), self._data.rows.n_columns, self._data.n_classes)

    def step(self) -> Round[Classifier]:
        rows, classes = self._data.rows, self._data.classes
        classifier = self._fit()
        if len(np.unique(classes)) < 2:
            return Round(self.done, 0.0, classifier)
        chosen = classifier.log_probabilities(rows)[np.arange(len(classes)), classes]
        return Round(self.done, float(-chosen.mean()), classifier)

    def _fit(self) -> Classifier:
        """Classes that never occur keep zero weights and an intercept that all but rules them out."""
        from sklearn.linear_model import LogisticRegression

        settings, rows, classes = self._settings, self._data.rows, self._data.classes
        present = np.unique(classes)
        weights = np.zeros((self._data.n_classes, rows.n_columns))
        intercepts = np.full(self._data.n_classes, -20.0)
        if len(present) < 2:
            intercepts[present] = 0.0
            return Classifier(weights, intercepts)
        fitted = LogisticRegression(C=settings.C, tol=settings.tolerance, max_iter=settings.most_iterations)
        fitted.fit(rows.matrix(), classes)
        if len(present) == 2:
            # scikit-learn keeps one row of weights for two classes; half to each side gives the same probabilities.
            weights[present] = np.vstack([-fitted.coef_ / 2, fitted.coef_ / 2])
            intercepts[present] = np.concatenate([-fitted.intercept_ / 2, fitted.intercept_ / 2])
        else:
            weights[present] = fitted.coef_
            intercepts[present] = fitted.intercept_
        return Classifier(weights, intercepts)

    def save(self) -> Saved:
        return {}

    def restore(self, saved: Saved) -> None:
        return None
