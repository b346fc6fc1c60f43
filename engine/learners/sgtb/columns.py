"""The columns of a factor (the candidate's own, then the pooled ones), and the trees that use them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.arrays import ShortInts
from engine.learners.sgtb.pools import EXTRA, HIGHEST_CODE, code_values
from engine.learners.trees.bins import Bins
from engine.learners.trees.regression import Growth, Target, Tree, grow_tree


def all_bins(own: Bins, n_pooled: int) -> Bins:
    """Bins of the candidates' own columns followed by those of the pooled ones, whose codes are fixed."""
    if not n_pooled:
        return own
    values = code_values()
    means = np.append((values[:-1] + values[1:]) / 2, np.inf)
    counts = np.append(np.arange(HIGHEST_CODE) + 0.5, np.inf)
    columns = [means] * (n_pooled - EXTRA) + [counts] * EXTRA
    offsets = own.offsets[-1] + np.cumsum([len(column) for column in columns])
    return Bins(np.concatenate([own.edges, *columns]), np.concatenate([own.offsets, offsets]))


def grow_by_direction(target: Target, bins: Bins, growth: Growth) -> tuple[Tree, ShortInts]:
    """A tree for each direction of the search, joined by a first split on the direction, which is the last column."""
    backward = target.codes[:, -1] > 0
    one, leaf = grow_tree(replace(target, rows=np.flatnonzero(~backward)), bins, growth)
    other, other_leaf = grow_tree(replace(target, rows=np.flatnonzero(backward)), bins, growth)
    tree = Tree.asking(bins.n_features - 1, bins, 0, one, other)
    return tree, np.where(backward, tree.right[0] + other_leaf, tree.left[0] + leaf)
