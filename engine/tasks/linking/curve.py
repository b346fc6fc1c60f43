"""The exact precision and recall of a corpus at every Nil bias (engine/tuning/path.py)."""

from __future__ import annotations

import numpy as np

from engine.arrays import Ints
from engine.tasks.linking.scored import LinkingScored
from engine.tuning.curve import Curve, merge_paths
from engine.tuning.path import BiasPaths, bias_paths


def curve(scored: LinkingScored) -> Curve:
    """The curve by overlap match: a part is correct if it finds a gold link, and a gold link is found once."""
    paths = bias_paths(scored.lattice, scored.score)
    correct = paths.sums(scored.right.astype(np.int64)) if scored.n_parts else np.zeros(len(paths.bias), dtype=np.int64)
    predicted = np.diff(paths.offsets)
    counts = np.stack([correct, _found(scored, paths), predicted], axis=1)
    return merge_paths(paths.document, paths.bias, counts, np.diff(scored.gold_offsets))


def _found(scored: LinkingScored, paths: BiasPaths) -> Ints:
    """The number of gold links found at each step of the paths, each link counted once."""
    step = np.repeat(np.arange(len(paths.bias)), np.diff(paths.offsets))
    n_found = np.diff(scored.find_offsets)[paths.parts]
    # The links found by the parts of all steps, laid one after the other: the first of each part, then its offset.
    begin = np.repeat(scored.find_offsets[paths.parts] - (np.cumsum(n_found) - n_found), n_found)
    links = scored.finds[begin + np.arange(int(n_found.sum()))]
    n_gold = int(scored.gold_offsets[-1])
    once = np.unique(np.repeat(step, n_found) * max(1, n_gold) + links)
    return np.bincount(once // max(1, n_gold), minlength=len(paths.bias))
