"""Precision and recall of relations at every bias on "none", from the exact paths of the sentences."""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.tasks.joint.deciding import explained
from engine.tasks.joint.inference import Decoder
from engine.tasks.joint.scored import JointScored
from engine.tuning.curve import Curve, merge_paths

STEP: Final = 0.02
WIDTH: Final = 0.25
"""The bias is chosen by F1 smoothed with a bell curve of this width, as single steps of a held-out curve are noise."""


def curve(scored: JointScored, within: float = np.inf) -> Curve:
    """The corpus curve, for biases from -within to within; gold relations that no pair can reach are always missed."""
    with explained():
        paths = Decoder.of(scored).paths(scored, within)
    documents, biases, counts = [np.zeros(0, dtype=np.int64)], [np.zeros(0)], [np.zeros((0, 3), dtype=np.int64)]
    for s, path in enumerate(paths):
        gold = scored.gold_label[scored.pair_offsets[s] : scored.pair_offsets[s + 1]]
        correct = ((path.labels == gold) & (path.labels > 0)).sum(axis=1)
        predicted = (path.labels > 0).sum(axis=1)
        documents.append(np.full(len(path.bias), s, dtype=np.int64))
        biases.append(path.bias)
        counts.append(np.stack([correct, correct, predicted], axis=1))
    return merge_paths(
        np.concatenate(documents), np.concatenate(biases), np.concatenate(counts).astype(np.int64), scored.n_gold
    )


def steady_bias(curve: Curve) -> float:
    """The bias with the best smoothed F1; the middle of the best step if the curve has no extent."""
    finite = curve.bias[np.isfinite(curve.bias)]
    if len(finite) < 2:
        return curve.best_bias()
    grid = np.arange(finite[0] - 4 * WIDTH, finite[-1] + 4 * WIDTH, STEP)
    f1 = curve.f()[np.searchsorted(curve.bias, grid, side="right") - 1]
    reach = int(4 * WIDTH / STEP)
    bell = np.exp(-0.5 * (np.arange(-reach, reach + 1) * STEP / WIDTH) ** 2)
    smooth = np.convolve(np.pad(f1, reach, mode="edge"), bell / bell.sum(), mode="valid")
    return float(grid[int(smooth.argmax())])
