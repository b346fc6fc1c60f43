"""Losses of an output against the annotation as functions of the score of every part, with their gradients.

The mean over documents is reported; residuals are the negative gradient of the sum (Yang and Chang 2015, section 3.1).
"""

from __future__ import annotations

from typing import Final, NamedTuple, Protocol

import numpy as np

from engine.arrays import Ints
from engine.structures.base import Batch, Mask, Parts, Scores, as_mask
from engine.workers.crews import Crew, spans

_NOTHING: Final[Scores] = np.zeros(0)
_NO_PARTS: Final[Parts] = np.zeros(0, np.intp)


class Gradient(NamedTuple):
    """The loss, its negative gradient, and its second derivatives if it has any."""

    loss: float
    residuals: Scores
    curvature: Scores | None


class Told(NamedTuple):
    """What the loss of some documents comes to: by document, and by part.

    `log_z` and `gold_log_z` are by document, the latter empty where it follows from the scores; `good` and `bad` are
    parts.
    """

    log_z: Scores
    gold_log_z: Scores
    residuals: Scores
    curvature: Scores
    good: Parts
    bad: Parts


class Loss(Protocol):
    def gradient(self, scores: Scores) -> Gradient: ...


class Divisible(Loss, Protocol):
    """A loss that can be asked for block by block: `together` of what blocks tell, in their order, is `gradient`."""

    @property
    def bounds(self) -> Ints:
        """Where the parts of every document begin, and the last ones end."""
        ...

    def part(self, first: int, last: int) -> Divisible:
        """The loss of documents [first, last)."""
        ...

    def told(self, scores: Scores) -> Told: ...

    def together(self, scores: Scores, told: Told) -> Gradient: ...


def log_loss(batch: Batch, consistent: Mask, scores: Scores) -> float:
    """Mean over documents of log Z - log Z(consistent)."""
    return Logistic(batch, consistent).gradient(scores).loss


class Logistic:
    """loss = log Z - log Z(consistent), residual = P(part | consistent) - P(part)."""

    def __init__(self, batch: Batch, consistent: Mask) -> None:
        # With one consistent output per document, which is the rule, its marginals never change.
        at_zero = batch.completion_marginals(np.zeros(batch.n_parts), consistent)[1]
        rounded = np.rint(at_zero)
        known = np.abs(at_zero - rounded).max(initial=0.0) < 1e-9
        self._set(batch, consistent, rounded if known else None)

    def _set(self, batch: Batch, consistent: Mask, gold: Scores | None) -> None:
        self._batch, self._consistent, self._gold = batch, consistent, gold
        self._n = max(batch.n_documents, 1)
        self._gold_parts = np.zeros(0, np.intp) if gold is None else np.flatnonzero(gold)

    @property
    def bounds(self) -> Ints:
        return self._batch.offsets

    def part(self, first: int, last: int) -> Logistic:
        rows = slice(int(self.bounds[first]), int(self.bounds[last]))
        found = Logistic.__new__(Logistic)
        gold = None if self._gold is None else self._gold[rows]
        found._set(self._batch.part(first, last), self._consistent[rows], gold)
        return found

    def gradient(self, scores: Scores) -> Gradient:
        return self.together(scores, self.told(scores))

    def told(self, scores: Scores) -> Told:
        log_z, on = self._batch.marginals_by_document(scores)
        gold, gold_log_z = self._gold, _NOTHING
        if gold is None:
            gold_log_z, gold = self._batch.completion_marginals(scores, self._consistent)
        return Told(log_z, gold_log_z, gold - on, on * (1.0 - on), _NO_PARTS, _NO_PARTS)

    def together(self, scores: Scores, told: Told) -> Gradient:
        # Not a dot product: the threads that BLAS keeps spinning for it would take a core from the fold learners.
        gold_log_z = float((told.gold_log_z if self._gold is None else scores[self._gold_parts]).sum())
        return Gradient((float(told.log_z.sum()) - gold_log_z) / self._n, told.residuals, told.curvature)


class Hinge:
    """loss = max(score + cost) - score(gold) - cost(gold), residual = gold - most violating output."""

    def __init__(self, batch: Batch, consistent: Mask, cost: Scores) -> None:
        self._batch, self._consistent, self._cost = batch, consistent, cost
        self._n = max(batch.n_documents, 1)

    @property
    def bounds(self) -> Ints:
        return self._batch.offsets

    def part(self, first: int, last: int) -> Hinge:
        rows = slice(int(self.bounds[first]), int(self.bounds[last]))
        return Hinge(self._batch.part(first, last), self._consistent[rows], self._cost[rows])

    def gradient(self, scores: Scores) -> Gradient:
        return self.together(scores, self.told(scores))

    def told(self, scores: Scores) -> Told:
        good = self._batch.completion(scores, self._consistent)
        return Told(_NOTHING, _NOTHING, _NOTHING, _NOTHING, good, self._batch.argmax(scores + self._cost))

    def together(self, scores: Scores, told: Told) -> Gradient:
        raised = scores + self._cost
        residuals = as_mask(told.good, len(scores)).astype(np.float64)
        residuals[told.bad] -= 1.0
        return Gradient(float(raised[told.bad].sum() - raised[told.good].sum()) / self._n, residuals, None)


class Divided:
    """A loss whose blocks others keep. What they tell by document and by part follows each other, so that the cut and
    their number do not show in the result."""

    def __init__(self, loss: Divisible, crew: Crew) -> None:
        cuts = spans(loss.bounds, crew.blocks)
        self._loss = loss
        self._rows = [slice(int(loss.bounds[first]), int(loss.bounds[last])) for first, last in cuts]
        self._keepers = crew.keep([loss.part(first, last) for first, last in cuts])

    def gradient(self, scores: Scores) -> Gradient:
        found = self._keepers.ask(_told, None, [scores[rows] for rows in self._rows])
        begins = [rows.start for rows in self._rows]
        numbers = [np.concatenate(arrays) for arrays in list(zip(*found, strict=True))[:4]]
        good, bad = (
            np.concatenate([parts + begin for parts, begin in zip(arrays, begins, strict=True)])
            for arrays in list(zip(*found, strict=True))[4:]
        )
        return self._loss.together(scores, Told(numbers[0], numbers[1], numbers[2], numbers[3], good, bad))


def _told(block: Divisible, _: None, scores: Scores) -> Told:
    return block.told(scores)


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
