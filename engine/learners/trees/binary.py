"""Boosting of yes-or-no questions: trees whose sum is the log-odds of yes (Friedman 2001, section 4.5)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.learners.trees.forest import Bins, Forest, grow_tree


def boost_binary(
    codes: NDArray[np.uint8],
    labels: NDArray[np.bool_],
    bins: Bins,
    *,
    trees: int = 80,
    rate: float = 0.15,
    depth: int = 3,
    min_leaf: int = 10,
    columns: float = 0.3,
    seed: int = 0,
) -> Forest:
    """Log-odds of yes; with one answer only, a constant that leans to it as far as the number of rows allows."""
    rng = np.random.default_rng(seed)
    yes = float(labels.sum()) + 0.5
    start = float(np.log(yes / (len(labels) - labels.sum() + 0.5)))
    scores = np.full(len(labels), start)
    grown = []
    n_columns = max(1, round(columns * bins.n_features))
    for _ in range(trees if labels.any() and not labels.all() else 0):
        p = 1.0 / (1.0 + np.exp(-scores))
        tree, leaf = grow_tree(
            codes,
            labels - p,
            bins=bins,
            max_depth=depth,
            min_leaf=min_leaf,
            columns=rng.choice(bins.n_features, n_columns, replace=False),
            hessians=p * (1 - p),
            l2=1.0,
        )
        tree = tree.scaled(rate)
        scores += tree.value[leaf]
        grown.append(tree)
    return Forest(tuple(grown), start)
