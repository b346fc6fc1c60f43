"""Precision and recall: exactly, at every nil bias, and for all pairs ranked by score.

Raising nil by b adds b times the shares of the members on nil, so a bag's best score is an upper envelope of lines
(engine.tuning.envelope).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.arrays import Flags, Floats, Ints
from engine.metrics.distant import Ranking, ranked_curve
from engine.structures.bag import Labels, argmax_all
from engine.tasks.distant.deciding import confidence
from engine.tasks.distant.scored import UNLISTED, DistantScored
from engine.tuning.curve import Curve, merge_paths
from engine.tuning.envelope import Line, envelopes


@dataclass(frozen=True, eq=False)
class BagPath:
    """The members have labels[i] from bias[i] up to bias[i + 1]; the first bias is -inf."""

    bias: tuple[float, ...]
    labels: tuple[Labels, ...]


def curve(scored: DistantScored) -> Curve:
    chosen = np.flatnonzero(scored.counted)
    document_of, bias, counts = [], [], []
    for row, (bag, path) in enumerate(zip(chosen, bias_paths(scored, chosen), strict=True)):
        for at, labels in zip(path.bias, path.labels, strict=True):
            held = np.unique(labels[labels > 0]) - 1
            right = int(scored.gold[bag, held].sum())
            document_of.append(row)
            bias.append(at)
            counts.append((right, right, len(held)))
    return merge_paths(
        np.array(document_of, dtype=np.int64),
        np.array(bias, dtype=np.float64),
        np.array(counts, dtype=np.int64).reshape(-1, 3),
        scored.gold[chosen].sum(axis=1).astype(np.int64) + scored.unknown[chosen],
    )


def ranking(scored: DistantScored) -> Ranking:
    """All (bag, relation) pairs ranked by score. The bias shifts all of them alike, so it does not matter."""
    return ranked_curve(*ranked_pairs(scored))


def ranked_pairs(scored: DistantScored) -> tuple[Flags, Floats, int]:
    """Flags of the correct pairs [bags, relations], their scores, and the number of gold pairs."""
    kept = scored.counted
    gold, sure = scored.gold[kept], confidence(scored.at(0.0))[kept]
    # Pairs without a score come last and count as not found.
    return gold & (sure > UNLISTED / 2), sure, int(gold.sum() + scored.unknown.sum())


def bias_paths(scored: DistantScored, bags: Ints) -> list[BagPath]:
    """The best output of each of these bags at every bias."""
    found = envelopes(lambda which, bias: _solve(scored, bags[which], bias), _beyond(scored)[bags])
    return [BagPath(tuple(bias for bias, _ in steps), tuple(labels for _, labels in steps)) for steps in found]


def _beyond(scored: DistantScored) -> Floats:
    """For each bag, a bias beyond which no member changes its label."""
    sizes = np.diff(scored.member_offsets)
    bag_of = np.repeat(np.arange(len(sizes)), sizes)
    spread = np.zeros(len(sizes))
    highest = scored.member_scores.max(axis=1, keepdims=True)
    listed = np.where(scored.member_scores > UNLISTED, scored.member_scores, highest)
    np.maximum.at(spread, bag_of, highest[:, 0] - listed.min(axis=1))
    labels = np.abs(scored.label_scores).sum(axis=1)
    smallest = np.full(len(sizes), 1.0)
    np.minimum.at(smallest, bag_of, scored.shares)
    beyond: Floats = 1.0 + 2.0 * (spread * np.maximum(sizes, 1) + labels) / smallest
    return beyond


def _solve(scored: DistantScored, bags: Ints, bias: Floats) -> list[Line[Labels]]:
    """Best outputs of these bags, each at its own bias."""
    offsets = scored.member_offsets
    sizes = np.diff(offsets)[bags]
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    rows = np.concatenate([np.arange(offsets[b], offsets[b + 1]) for b in bags]) if len(bags) else np.zeros(0, np.int64)
    plain = scored.member_scores[rows]
    shares = scored.shares[rows]
    raised = plain.copy()
    raised[:, 0] += np.repeat(bias, sizes) * shares
    prices = scored.label_scores[bags]
    labels = argmax_all(raised, prices, starts)
    lines = []
    for k in range(len(bags)):
        here = slice(starts[k], starts[k + 1])
        mine = labels[here]
        held = np.unique(mine[mine > 0]) - 1
        base = float(plain[here][np.arange(len(mine)), mine].sum() + prices[k, held].sum())
        lines.append(Line(base, float(shares[here][mine == 0].sum()), mine))
    return lines
