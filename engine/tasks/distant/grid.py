"""The (FP, FN) grid over whole outputs of the bags: an upper bound of loss plus score for each pair of counts.

Equation 14 of Haffari et al. (2015) searches over counts for labels that are scored independently. In a bag, labels
share mentions and so depend on each other; therefore the grid is computed from whole bags. Each pass at prices (p, q)
finds the output with the largest score + p FP + q FN; hence no output with counts (fp, fn) scores more than that value
minus p fp + q fn. The smallest of these limits plus the loss bounds every cell, and the outputs found by the passes
attain the bound.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.learners.bags import BagCorpus, BagScores, held
from engine.learners.margin.bag_loss import Loss
from engine.structures.bag import argmax_all

PRICES: Final = (-1.0, 0.0, 0.25, 0.5, 0.75, 1.0, 2.0)
"""In units of the steepest slopes of the loss; larger prices only refine the bound at the grid's edges."""


@dataclass(frozen=True, eq=False)
class Ceiling:
    """An upper bound of loss plus score for every pair of counts."""

    loss: Loss
    limits: NDArray[np.float64]
    """[passes, 3]: value, p, q"""
    most_fp: int

    def value(self, fp: int, fn: int) -> float:
        least = (self.limits[:, 0] - self.limits[:, 1] * fp - self.limits[:, 2] * fn).min()
        return float(self.loss(fp, fn) + least)

    def values(self, fps: NDArray[np.int64], fns: NDArray[np.int64]) -> NDArray[np.float64]:
        """[fn, fp]"""
        return np.array([[self.value(int(fp), int(fn)) for fp in fps] for fn in fns])


def ceiling_of(corpus: BagCorpus, scores: BagScores, loss: Loss) -> Ceiling:
    """The bound from one exact pass over the bags for every pair of prices."""
    steepest = loss.beta, loss.mix * (1.0 - loss.beta) + (1.0 - loss.mix)
    limits = [
        _limit(corpus, scores, along * steepest[0], across * steepest[1]) for along in PRICES for across in PRICES
    ]
    most_fp = int(min((~corpus.gold).sum(), len(scores.mentions)))
    return Ceiling(loss, np.array(limits), most_fp)


def _limit(corpus: BagCorpus, scores: BagScores, p: float, q: float) -> tuple[float, float, float]:
    labels = argmax_all(scores.mentions, scores.labels + np.where(corpus.gold, -q, p), corpus.offsets)
    on = held(corpus, labels)
    fp, fn = counts(corpus, on)
    return scores.total(labels, on) + p * fp + q * fn, p, q


def counts(corpus: BagCorpus, on: NDArray[np.bool_]) -> tuple[int, int]:
    """False positives, and false negatives beyond those that no output could avoid."""
    return int((on & ~corpus.gold).sum()), int((corpus.gold & ~on).sum()) - corpus.unexplained


def climb(
    value: Callable[[int, int], float], most_fp: int, most_fn: int, start: tuple[int, int]
) -> tuple[tuple[int, int], ...]:
    """The paper's search (Algorithm 3): move to the best of the points at doubling distances in all eight directions,
    until none is better. It may end in a local maximum."""
    path = [start]
    while True:
        fp, fn = path[-1]
        near = [
            (fp + along * distance, fn + across * distance)
            for distance in _doubling(max(most_fp, most_fn))
            for along in (-1, 0, 1)
            for across in (-1, 0, 1)
        ]
        inside = [point for point in near if 0 <= point[0] <= most_fp and 0 <= point[1] <= most_fn]
        best = max(inside, key=lambda point: value(*point), default=path[-1])
        if value(*best) <= value(fp, fn):
            return tuple(path)
        path.append(best)


def _doubling(most: int) -> list[int]:
    return [1 << k for k in range(max(most, 1).bit_length())]
