"""Losses of an output against the annotation as functions of the score of every part, with their gradients.

The mean over documents is reported; residuals are the negative gradient of the sum (Yang and Chang 2015, section 3.1).
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from engine.learners.base import Instance
from engine.structures.base import Batch, Mask, Scores, as_mask


class Gradient(NamedTuple):
    """The loss, its negative gradient, and its second derivatives if it has any."""

    loss: float
    residuals: Scores
    curvature: Scores | None


class Loss(Protocol):
    def gradient(self, scores: Scores) -> Gradient: ...


def log_loss(batch: Batch, consistent: Mask, scores: Scores) -> float:
    """Mean over documents of log Z - log Z(consistent)."""
    return Logistic(batch, consistent).gradient(scores).loss


class Logistic:
    """loss = log Z - log Z(consistent), residual = P(part | consistent) - P(part)."""

    def __init__(self, batch: Batch, consistent: Mask) -> None:
        self._batch, self._consistent = batch, consistent
        self._n = max(batch.n_documents, 1)
        # With one consistent output per document, which is the rule, its marginals never change.
        at_zero = batch.completion_marginals(np.zeros(batch.n_parts), consistent)[1]
        rounded = np.rint(at_zero)
        self._gold = rounded if np.abs(at_zero - rounded).max(initial=0.0) < 1e-9 else None
        self._gold_parts = np.flatnonzero(rounded)

    def gradient(self, scores: Scores) -> Gradient:
        log_z, on = self._batch.marginals_by_document(scores)
        if self._gold is not None:
            # Not a dot product: the threads that BLAS keeps spinning for it would take a core from the fold learners.
            gold, gold_log_z = self._gold, float(scores[self._gold_parts].sum())
        else:
            by_document, gold = self._batch.completion_marginals(scores, self._consistent)
            gold_log_z = float(by_document.sum())
        return Gradient((float(log_z.sum()) - gold_log_z) / self._n, gold - on, on * (1.0 - on))


class Hinge:
    """loss = max(score + cost) - score(gold) - cost(gold), residual = gold - most violating output."""

    def __init__(self, batch: Batch, corpus: Instance[Batch]) -> None:
        self._batch, self._consistent, self._cost = batch, corpus.consistent, corpus.cost
        self._n = max(batch.n_documents, 1)

    def gradient(self, scores: Scores) -> Gradient:
        raised = scores + self._cost
        good = self._batch.completion(scores, self._consistent)
        bad = self._batch.argmax(raised)
        residuals = as_mask(good, len(scores)).astype(np.float64)
        residuals[bad] -= 1.0
        return Gradient(float(raised[bad].sum() - raised[good].sum()) / self._n, residuals, None)


def best_constant(batch: Batch, consistent: Mask) -> float:
    """The score that, given to every part, has the least log loss: by Newton's method with halved steps."""
    if not batch.n_parts:
        return 0.0
    problem = Logistic(batch, consistent)
    at = 0.0
    value, residuals, curvature = problem.gradient(np.full(batch.n_parts, at))
    for _ in range(50):
        assert curvature is not None
        step = float(residuals.sum()) / (float(curvature.sum()) + 1e-9)
        step = float(np.clip(step, -2.0, 2.0))
        while abs(step) > 1e-7:
            candidate, new_residuals, new_curvature = problem.gradient(np.full(batch.n_parts, at + step))
            if candidate <= value:
                break
            step /= 2
        if abs(step) <= 1e-7 or abs(at + step) > 20.0:
            break
        at, value, residuals, curvature = at + step, candidate, new_residuals, new_curvature
    return at
