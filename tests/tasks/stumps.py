"""Trees small enough to know by heart."""

from __future__ import annotations

import numpy as np

from engine.learners.trees.forest import Tree


def stump(feature: int, at: int, low: float, high: float) -> Tree:
    """Codes up to `at` are worth `low`, larger ones `high`."""
    return Tree(
        feature=np.array([feature, -1, -1], dtype=np.int32),
        threshold=np.zeros(3),
        bin=np.array([at, 0, 0], dtype=np.uint8),
        missing_left=np.zeros(3, dtype=np.bool_),
        left=np.array([1, -1, -1], dtype=np.int32),
        right=np.array([2, -1, -1], dtype=np.int32),
        value=np.array([0.0, low, high]),
        n=np.ones(3, dtype=np.int64),
    )
