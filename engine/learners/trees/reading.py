"""A tree that reproduces one column, from which boosting can start if the column is already a good score."""

from __future__ import annotations

import numpy as np

from engine.arrays import Floats, Ints
from engine.learners.trees.bins import Bins
from engine.learners.trees.regression import Tree


def column_tree(bins: Bins, column: int, values: Floats, counts: Ints) -> Tree:
    """The tree that gives a row the value of its bin in the column, by halving the bins; `counts` are the numbers of
    rows in each, which determine the average prediction."""
    if not len(values) == len(counts) == bins.sizes[column]:
        raise ValueError(f"{len(values)} values and {len(counts)} counts for {bins.sizes[column]} bins")

    def over(first: int, last: int) -> Tree:
        """The subtree for bins [first, last]."""
        if first == last:
            return _leaf(float(values[first]), int(counts[first]))
        middle = (first + last) // 2
        return Tree.asking(column, bins, middle, over(first, middle), over(middle + 1, last))

    return over(0, len(values) - 1)


def _leaf(value: float, n: int) -> Tree:
    nowhere = np.full(1, -1, dtype=np.int32)
    return Tree(
        feature=nowhere,
        threshold=np.zeros(1),
        bin=np.zeros(1, dtype=np.uint8),
        missing_left=np.zeros(1, dtype=np.bool_),
        left=nowhere,
        right=nowhere,
        value=np.array([value]),
        n=np.array([n], dtype=np.int64),
    )
