"""The best output of every bag at every nil bias, exactly.

Raising nil by b adds b times what the mentions on nil count, so a bag's best score is an upper envelope of lines
(engine.tuning.envelope).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.learners.bags import BagScores
from engine.structures.bag import Labels, argmax_all
from engine.tuning.envelope import Line, envelopes


@dataclass(frozen=True, eq=False)
class BagPath:
    """From bias[i] on, and up to bias[i + 1], the mentions have labels[i]; the first bias is -inf."""

    bias: tuple[float, ...]
    labels: tuple[Labels, ...]


def bias_paths(scores: BagScores, offsets: NDArray[np.int64]) -> list[BagPath]:
    """One path per bag; `scores` are those at bias 0."""
    found = envelopes(lambda bags, bias: _solve(scores, offsets, bags, bias), _beyond(scores, offsets))
    return [BagPath(tuple(bias for bias, _ in steps), tuple(labels for _, labels in steps)) for steps in found]


def _beyond(scores: BagScores, offsets: NDArray[np.int64]) -> NDArray[np.float64]:
    """Per bag a bias so large that no mention changes its mind beyond it."""
    sizes = np.diff(offsets)
    spread = np.zeros(len(sizes))
    if len(scores.mentions):
        by_mention = scores.mentions.max(axis=1) - scores.mentions.min(axis=1)
        np.maximum.at(spread, np.repeat(np.arange(len(sizes)), sizes), by_mention)
    labels = np.abs(scores.labels).sum(axis=1)
    smallest = np.full(len(sizes), 1.0)
    np.minimum.at(smallest, np.repeat(np.arange(len(sizes)), sizes), scores.shares)
    return 1.0 + 2.0 * (spread * np.maximum(sizes, 1) + labels) / smallest


def _solve(
    scores: BagScores, offsets: NDArray[np.int64], bags: NDArray[np.int64], bias: NDArray[np.float64]
) -> list[Line[Labels]]:
    """Best outputs of these bags, each at its own bias."""
    sizes = np.diff(offsets)[bags]
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    rows = np.concatenate([np.arange(offsets[b], offsets[b + 1]) for b in bags]) if len(bags) else np.zeros(0, np.int64)
    plain = scores.mentions[rows]
    shares = scores.shares[rows]
    raised = plain.copy()
    raised[:, 0] += np.repeat(bias, sizes) * shares
    prices = scores.labels[bags]
    labels = argmax_all(raised, prices, starts)
    lines = []
    for k in range(len(bags)):
        here = slice(starts[k], starts[k + 1])
        mine = labels[here]
        held = np.unique(mine[mine > 0]) - 1
        base = float(plain[here][np.arange(len(mine)), mine].sum() + prices[k, held].sum())
        lines.append(Line(base, float(shares[here][mine == 0].sum()), mine))
    return lines
