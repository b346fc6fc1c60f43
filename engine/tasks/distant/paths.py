"""The best output of every bag at every nil bias, exactly.

Raising nil by b adds b times the number of mentions on nil, so a bag's best score is a convex, piecewise linear
function of b, with at most one piece per number of nil mentions. Pieces are found from both ends inwards: where the
lines of two known outputs cross, the bag is solved; either nothing beats them there, and the crossing is a breakpoint,
or a new output lies between. All bags take each step together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.learners.bags import BagScores
from engine.structures.bag import Labels, argmax_all


@dataclass(frozen=True, eq=False)
class BagPath:
    """From bias[i] on, and up to bias[i + 1], the mentions have labels[i]; the first bias is -inf."""

    bias: tuple[float, ...]
    labels: tuple[Labels, ...]


@dataclass(frozen=True, eq=False)
class _Line:
    """Score as a function of the bias: base + slope * bias."""

    base: float
    slope: float
    labels: Labels


def bias_paths(scores: BagScores, offsets: NDArray[np.int64]) -> list[BagPath]:
    """One path per bag; `scores` are those at bias 0."""
    n_bags = len(offsets) - 1
    far = _beyond(scores, offsets)
    every = np.arange(n_bags)
    left = _solve(scores, offsets, every, -far)
    right = _solve(scores, offsets, every, far)
    cuts: list[list[tuple[float, Labels]]] = [[] for _ in range(n_bags)]
    open_: list[tuple[int, _Line, _Line]] = [(b, left[b], right[b]) for b in range(n_bags)]
    while open_:
        open_ = [(b, low, high) for b, low, high in open_ if high.slope - low.slope > 1e-12]
        if not open_:
            break
        at = np.array([(low.base - high.base) / (high.slope - low.slope) for _, low, high in open_])
        found = _solve(scores, offsets, np.array([b for b, _, _ in open_]), at)
        following: list[tuple[int, _Line, _Line]] = []
        for (b, low, high), bias, line in zip(open_, at, found, strict=True):
            here = low.base + low.slope * bias
            better = line.base + line.slope * bias > here + 1e-9 * max(1.0, abs(here))
            if better and low.slope < line.slope < high.slope:
                following += [(b, low, line), (b, line, high)]
            else:
                cuts[b].append((float(bias), high.labels))
        open_ = following
    paths = []
    for b in range(n_bags):
        steps = sorted(cuts[b], key=lambda step: step[0])
        paths.append(
            BagPath((-np.inf, *(bias for bias, _ in steps)), (left[b].labels, *(labels for _, labels in steps)))
        )
    return paths


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
) -> list[_Line]:
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
        lines.append(_Line(base, float(shares[here][mine == 0].sum()), mine))
    return lines
