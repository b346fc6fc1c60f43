"""Multinomial logistic regression with an L2 penalty, over on/off features: one round, deterministic.

    min over w, b of   mean over rows of -log p(class | row)  +  |w|^2 / (2 C n)

by L-BFGS (scipy). The sums over rows come block by block (engine.workers.crews) and are added in their order. With two
classes there is one row of weights, that of the second class against the first, as scikit-learn has it.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, NamedTuple

import numpy as np

from engine.arrays import Floats, Int, Ints, ShortInts
from engine.kernels import inlined, kernel
from engine.learners.base import Round, Saved
from engine.learners.linear.onoff import Classifier, Labelled, Rows, join_labelled
from engine.learners.training import Training
from engine.settings import Settings, setting
from engine.workers.crews import ALONE, BLOCKS, Crew, spans

_LEAST_ROWS: Final = 2_000
"""Rows of a block at least: below that, adding up gradients takes longer than making them."""
_SEARCHES: Final = 50
"""Points that a step of the optimiser tries at most."""


@dataclass(frozen=True, kw_only=True)
class Logistic(Settings):
    """Multinomial logistic regression."""

    C: float = setting(0.2, "Inverse strength of the penalty.", low=1e-9)
    tolerance: float = setting(1e-3, "Stop when the gradient is this small.", low=0.0)
    most_iterations: int = setting(300, "Steps of the optimiser at most.", low=1)

    def rounds(
        self, instances: Sequence[Labelled], *, resume: Saved | None = None, crew: Crew = ALONE
    ) -> Iterator[Round[Classifier]]:
        """One round; the objective is the mean negative log-likelihood."""
        yield from _Regression(self, join_labelled(instances), crew).rounds(1, resume)


class _Regression(Training[Round[Classifier]]):
    """A training of a single round, which leaves nothing to resume."""

    kind: ClassVar[str] = "logistic"

    def __init__(self, settings: Logistic, data: Labelled, crew: Crew) -> None:
        super().__init__()
        self._settings, self._data, self._crew = settings, data, crew

    @property
    def size(self) -> tuple[int, ...]:
        return (len(self._data.rows), self._data.rows.n_columns, self._data.n_classes)

    def step(self) -> Round[Classifier]:
        """Classes that never occur keep zero weights and an intercept that all but rules them out."""
        data = self._data
        present, classes = np.unique(data.classes, return_inverse=True)
        weights = np.zeros((data.n_classes, data.rows.n_columns))
        intercepts = np.full(data.n_classes, -20.0)
        if len(present) < 2:
            intercepts[present] = 0.0
            return Round(self.done, 0.0, Classifier(weights, intercepts))
        n_free = len(present) if len(present) > 2 else 1
        fitted, unsolved = self._minimum(classes.astype(np.int64), n_free)
        if n_free == 1:
            # Half to each side gives the same probabilities.
            fitted = np.hstack([-fitted / 2, fitted / 2])
        weights[present], intercepts[present] = fitted[:-1].T, fitted[-1]
        classifier = Classifier(weights, intercepts)
        chosen = classifier.log_probabilities(data.rows)[np.arange(len(classes)), data.classes]
        return Round(self.done, float(-chosen.mean()), classifier, unsolved=unsolved)

    def _minimum(self, classes: Ints, n_free: int) -> tuple[Floats, str]:
        """The best weights [columns and a constant, classes], and what they fall short of."""
        from scipy.optimize import minimize

        settings, rows = self._settings, self._data.rows
        n, shape = len(rows), (rows.n_columns + 1, n_free)
        penalty = 1.0 / (settings.C * n)
        cuts = spans(np.arange(n + 1), max(1, min(BLOCKS, n // _LEAST_ROWS)))
        keepers = self._crew.keep([_part(rows, classes, first, last) for first, last in cuts])

        def loss(at: Floats) -> tuple[float, Floats]:
            weights = at.reshape(shape)
            told = keepers.ask(_sums_of, weights, [None] * len(cuts))
            value = sum(one.loss for one in told) / n
            gradient = functools.reduce(np.add, [one.gradient for one in told]) / n
            gradient[:-1] += penalty * weights[:-1]
            return value + 0.5 * penalty * float(np.vdot(weights[:-1], weights[:-1])), gradient.ravel()

        options = {"maxiter": settings.most_iterations, "maxls": _SEARCHES, "gtol": settings.tolerance}
        options["ftol"] = 64 * np.finfo(np.float64).eps
        found = minimize(loss, np.zeros(shape).ravel(), jac=True, method="L-BFGS-B", options=options)
        stopped = found.nit >= settings.most_iterations and not found.success
        unsolved = f"logistic regression stopped at its limit of {found.nit} steps; a stronger penalty takes fewer"
        best: Floats = found.x.reshape(shape)
        return best, unsolved if stopped else ""

    def save(self) -> Saved:
        return {}

    def restore(self, saved: Saved) -> None:
        return None


class _Block(NamedTuple):
    """Some rows, each with its class."""

    rows: Rows
    classes: Ints


class _Sums(NamedTuple):
    """Over the rows of a block: negative log-likelihood, and its gradient."""

    loss: float
    gradient: Floats


def _part(rows: Rows, classes: Ints, first: int, last: int) -> _Block:
    begin, end = int(rows.starts[first]), int(rows.starts[last])
    own = Rows(rows.starts[first : last + 1] - begin, rows.columns[begin:end], rows.n_columns)
    return _Block(own, classes[first:last])


def _sums_of(block: _Block, weights: Floats, _: None) -> _Sums:
    gradient = np.zeros_like(weights)
    loss = _add(block.rows.starts, block.rows.columns, block.classes, np.ascontiguousarray(weights), gradient)
    return _Sums(loss, gradient)


@kernel
def _add(starts: Ints, columns: ShortInts, classes: Ints, weights: Floats, gradient: Floats) -> float:
    """Add the gradient of every row; the negative log-likelihood of all. The last row of weights is on in every row."""
    n_free = weights.shape[1]
    always = weights.shape[0] - 1
    loss = 0.0
    residual = np.empty(n_free)
    for row in range(len(starts) - 1):
        for c in range(n_free):
            residual[c] = weights[always, c]
        for f in range(starts[row], starts[row + 1]):
            column = columns[f]
            for c in range(n_free):
                residual[c] += weights[column, c]
        loss += _to_residual(residual, classes[row])
        for c in range(n_free):
            gradient[always, c] += residual[c]
        for f in range(starts[row], starts[row + 1]):
            column = columns[f]
            for c in range(n_free):
                gradient[column, c] += residual[c]
    return loss


@inlined
def _to_residual(activation: Floats, right: Int) -> float:
    """Activations to probabilities, less 1 for the right class; the negative log-likelihood of the row.

    A lone activation is that of class 1 against class 0.
    """
    if len(activation) == 1:
        one = activation[0]
        rest = np.exp(-abs(one))
        p = 1.0 / (1.0 + rest) if one > 0.0 else rest / (1.0 + rest)
        activation[0] = p - right
        return float(max(one, 0.0) + np.log1p(rest) - one * right)
    top = activation[0]
    for c in range(1, len(activation)):
        top = max(top, activation[c])
    of_right = activation[right]
    total = 0.0
    for c in range(len(activation)):
        activation[c] = np.exp(activation[c] - top)
        total += activation[c]
    for c in range(len(activation)):
        activation[c] /= total
    activation[right] -= 1.0
    return float(top + np.log(total) - of_right)
