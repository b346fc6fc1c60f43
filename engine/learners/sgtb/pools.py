"""Scores of candidates after a prefix of decisions, remembered with the number of trees they contain.

A factor F(x, y_t, y_1:t-1) is a sum of trees over the candidate's own codes and codes pooled over the prefix (mean,
maximum and mean of the last few, per pair channel; Yang, Irsoy and Rahman 2018, section 4.2). Prefixes come back epoch
after epoch, so a block of scores per (decision, prefix) is kept with its version: only trees added since are
evaluated, and the cost of an epoch does not grow with the number of trees. Trees are added in order, so a remembered
score and a fresh one are the same number.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numba import njit

NEAR: Final = 4
"""How many of the latest decisions the `near` pool averages."""
EXTRA: Final = 3
"""Pooled columns that are no channel: agreement with an equal surface, the number of decisions, and last the direction
of the search (0 forward, 1 backward)."""


class Trees(NamedTuple):
    """All trees so far, one after another; a row goes left where its code is at most the split."""

    feature: Any
    split: Any
    left: Any
    right: Any
    value: Any
    offsets: Any


class Remembered(NamedTuple):
    """Blocks of scores: a hash table of keys with start, number of trees and last use, and the rows they point to."""

    keys: Any
    starts: Any
    versions: Any
    stamps: Any
    scores: Any
    codes: Any
    counters: Any
    """Rows used, keys used."""


def pooled_width(n_channels: int) -> int:
    """Columns of pooled codes: mean, maximum, near mean of every channel, and the extra ones; none without channels."""
    return 3 * n_channels + EXTRA if n_channels else 0


def code_values() -> np.ndarray:
    """The mean (0..1) that each code of a pooled column stands for: codes are finer near zero, where links are."""
    return (np.arange(255) / 254.0) ** 2


@njit(cache=True, nogil=True)
def mix(a, b):  # type: ignore[no-untyped-def]
    """A hash of two 64-bit numbers; order matters."""
    x = np.uint64(a) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(b)
    x ^= x >> np.uint64(30)
    x *= np.uint64(0xBF58476D1CE4E5B9)
    x ^= x >> np.uint64(27)
    x *= np.uint64(0x94D049BB133111EB)
    x ^= x >> np.uint64(31)
    return x


@njit(cache=True, nogil=True)
def find(keys, key):  # type: ignore[no-untyped-def]
    """Where the key is, or the free place where it belongs; 0 marks a free place."""
    mask = np.uint64(len(keys) - 1)
    at = key & mask
    while keys[at] != 0 and keys[at] != key:
        at = (at + np.uint64(1)) & mask
    return np.int64(at)


@njit(cache=True, nogil=True)
def pool(codes, first, last, slot, own_surface, history, surfaces, n_history, pairs, base, n_slots, backward):  # type: ignore[no-untyped-def]
    """Write the pooled codes of candidates [first, last) after the given decisions (slots, in order)."""
    n_channels = pairs.shape[1]
    if n_channels == 0:
        return
    near_from = max(0, n_history - NEAR)
    sums = np.zeros(n_channels)
    near = np.zeros(n_channels)
    highest = np.zeros(n_channels)
    for c in range(last - first):
        for k in range(n_channels):
            sums[k] = 0.0
            near[k] = 0.0
            highest[k] = 0.0
        mine = slot[first + c]
        agreement = 0
        row = base + mine * n_slots
        for i in range(n_history):
            other = history[i]
            at = row + other
            for k in range(n_channels):
                value = np.float64(pairs[at, k])
                sums[k] += value
                if value > highest[k]:
                    highest[k] = value
            if i >= near_from:
                for k in range(n_channels):
                    near[k] += pairs[at, k]
            if surfaces[i] == own_surface:
                agreement = 2 if other == mine else 1
        for k in range(n_channels):
            if n_history > 0:
                codes[c, k] = np.uint8(np.rint(254.0 * np.sqrt(sums[k] / (255.0 * n_history))))
                codes[c, n_channels + k] = np.uint8(np.rint(254.0 * np.sqrt(highest[k] / 255.0)))
                n_near = n_history - near_from
                codes[c, 2 * n_channels + k] = np.uint8(np.rint(254.0 * np.sqrt(near[k] / (255.0 * n_near))))
            else:
                codes[c, k] = 0
                codes[c, n_channels + k] = 0
                codes[c, 2 * n_channels + k] = 0
        codes[c, 3 * n_channels] = agreement
        codes[c, 3 * n_channels + 1] = min(n_history, 254)
        codes[c, 3 * n_channels + 2] = backward


@njit(cache=True, nogil=True)
def add_trees(scores, own, pooled, forest, version):  # type: ignore[no-untyped-def]
    """Add the trees from `version` on to the scores of a block; returns the new version."""
    n_own = own.shape[1]
    n_trees = len(forest.offsets) - 1
    for tree in range(version, n_trees):
        root = forest.offsets[tree]
        for c in range(len(scores)):
            node = root
            f = forest.feature[node]
            while f >= 0:
                code = own[c, f] if f < n_own else pooled[c, f - n_own]
                node = root + (forest.left[node] if code <= forest.split[node] else forest.right[node])
                f = forest.feature[node]
            scores[c] += forest.value[node]
    return n_trees
