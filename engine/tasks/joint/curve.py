"""Precision and recall of relations at every bias on "none", from the exact paths of the sentences."""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.tasks.joint.compile import Ints
from engine.tasks.joint.inference import Decoder, Scored
from engine.tuning.curve import Curve, merge_paths

STEP: Final = 0.02
WIDTH: Final = 0.25
"""The bias is chosen on F1 smoothed by a bell curve of this width: single steps of a held-out curve are luck."""


def steady_bias(curve: Curve) -> float:
    """The bias with the best smoothed F1; the middle of the best step where the curve has no extent."""
    finite = curve.bias[np.isfinite(curve.bias)]
    if len(finite) < 2:
        return curve.best_bias()
    grid = np.arange(finite[0] - 4 * WIDTH, finite[-1] + 4 * WIDTH, STEP)
    f1 = curve.f()[np.searchsorted(curve.bias, grid, side="right") - 1]
    reach = int(4 * WIDTH / STEP)
    bell = np.exp(-0.5 * (np.arange(-reach, reach + 1) * STEP / WIDTH) ** 2)
    smooth = np.convolve(np.pad(f1, reach, mode="edge"), bell / bell.sum(), mode="valid")
    return float(grid[int(smooth.argmax())])


def curve_of(decoder: Decoder, scored: Scored, gold_labels: Ints, n_gold: int | Ints) -> Curve:
    """The corpus curve; `gold_labels` flat as the corpus' pairs, `n_gold` counts also what no pair can reach.

    Given per sentence, `n_gold` lets the curve be resampled.
    """
    documents, biases, counts = [], [], []
    starts = scored.corpus.pair_starts
    for s, path in enumerate(decoder.paths(scored)):
        gold = gold_labels[starts[s] : starts[s + 1]]
        correct = ((path.labels == gold) & (path.labels > 0)).sum(axis=1)
        predicted = (path.labels > 0).sum(axis=1)
        documents.append(np.full(len(path.bias), s, dtype=np.int64))
        biases.append(path.bias)
        counts.append(np.stack([correct, correct, predicted], axis=1))
    if not documents:
        empty = np.zeros(0)
        return merge_paths(empty.astype(np.int64), empty, np.zeros((0, 3), dtype=np.int64), n_gold)
    return merge_paths(
        np.concatenate(documents), np.concatenate(biases), np.concatenate(counts).astype(np.int64), n_gold
    )
