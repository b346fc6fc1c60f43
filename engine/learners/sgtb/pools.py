"""Scores of candidates given a prefix of decisions, cached with the number of trees they contain.

A factor F(x, y_t, y_1:t-1) is a sum of trees over the candidate's own codes and codes pooled over the prefix (mean,
maximum and mean of the last few, per pair channel; Yang, Irsoy and Rahman 2018, section 4.2). The same prefixes recur
epoch after epoch, so a block of scores per (decision, prefix) is cached with its version: only trees added since then
are evaluated, and the cost of an epoch does not grow with the number of trees. Trees are added in order, so a cached
score equals a newly computed one exactly.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from engine.arrays import Bytes, Floats, Int, Ints, ShortInts, Words
from engine.kernels import inlined, kernel, part

NEAR: Final = 4
"""The number of latest decisions over which the `near` pool averages."""
EXTRA: Final = 3
"""The number of pooled columns besides the channels: agreement with an equal surface, the number of decisions, and last
the direction of the search (0 forward, 1 backward)."""
AGREEMENT, N_DECISIONS, DIRECTION = range(EXTRA)
HIGHEST_CODE: Final = 254

ROWS_USED, KEYS_USED = range(2)
"""Places in `Remembered.counters`."""


class Trees(NamedTuple):
    """All trees so far, consecutively; a row goes left if its code is at most the split."""

    feature: ShortInts
    split: Bytes
    left: ShortInts
    right: ShortInts
    value: Floats
    offsets: Ints


class Remembered(NamedTuple):
    """Blocks of scores: a hash table of keys with start, number of trees and last use, and the rows they point to."""

    keys: Words
    starts: Ints
    versions: Ints
    stamps: Ints
    scores: Floats
    codes: Bytes
    counters: Ints


class Links(NamedTuple):
    """The features of every pair of slots of a document: pairs[base + a * n_slots + b] are the channels of a and b."""

    pairs: Bytes
    base: Int
    n_slots: Int


class Past(NamedTuple):
    """Slots and surfaces of the earlier decisions, in order."""

    slots: Ints
    surfaces: Ints


def pooled_width(n_channels: int) -> int:
    """Columns of pooled codes: mean, maximum, near mean of every channel, and the extra ones; none without channels."""
    return 3 * n_channels + EXTRA if n_channels else 0


def code_values() -> Floats:
    """The mean (0..1) that each code of a pooled column stands for: codes are finer near zero, where links are."""
    return (np.arange(HIGHEST_CODE + 1) / float(HIGHEST_CODE)) ** 2


@kernel
def find(keys: Words, key: np.uint64) -> int:
    """The position of the key, or the free position where it belongs; 0 marks a free position."""
    mask = np.uint64(len(keys) - 1)
    at = key & mask
    while keys[at] != 0 and keys[at] != key:
        at = (at + np.uint64(1)) & mask
    return int(at)


@inlined
def take_place(cache: Remembered, key: np.uint64, at: Int, n: Int) -> None:
    """Begin a block of n candidates for a key, at its free position."""
    cache.keys[at] = key
    cache.starts[at] = cache.counters[ROWS_USED]
    cache.versions[at] = 0
    # Empty blocks take a row too, so that no two blocks start at the same position.
    cache.counters[ROWS_USED] += max(n, 1)
    cache.counters[KEYS_USED] += 1
    for row in range(cache.starts[at], cache.starts[at] + n):
        cache.scores[row] = 0.0


@inlined
def code_of_mean(share: float) -> np.uint8:
    """The code of a mean in 0..1."""
    return np.uint8(np.rint(float(HIGHEST_CODE) * np.sqrt(share)))


@part
def pool(codes: Bytes, slots: Ints, surface: Int, past: Past, links: Links, backward: Int) -> None:
    """Write the pooled codes of candidates (their slots) of a mention (its surface) after the given decisions."""
    pairs, past_slots, past_surfaces = links.pairs, past.slots, past.surfaces
    n_channels = pairs.shape[1]
    n_past = len(past_slots)
    near_from = max(0, n_past - NEAR)
    sums, near, highest = np.zeros(n_channels), np.zeros(n_channels), np.zeros(n_channels)
    for c in range(len(slots)):
        for k in range(n_channels):
            sums[k] = 0.0
            near[k] = 0.0
            highest[k] = 0.0
        agreement = 0
        row = links.base + slots[c] * links.n_slots
        for i in range(n_past):
            other = past_slots[i]
            at = row + other
            for k in range(n_channels):
                value = np.float64(pairs[at, k])
                sums[k] += value
                if value > highest[k]:
                    highest[k] = value
            if i >= near_from:
                for k in range(n_channels):
                    near[k] += pairs[at, k]
            if past_surfaces[i] == surface:
                agreement = 2 if other == slots[c] else 1
        # Before the first decision all sums are 0, so the divisor does not matter.
        n_all, n_near = max(n_past, 1), max(n_past - near_from, 1)
        for k in range(n_channels):
            codes[c, k] = code_of_mean(sums[k] / (255.0 * n_all))
            codes[c, n_channels + k] = code_of_mean(highest[k] / 255.0)
            codes[c, 2 * n_channels + k] = code_of_mean(near[k] / (255.0 * n_near))
        codes[c, 3 * n_channels + AGREEMENT] = agreement
        codes[c, 3 * n_channels + N_DECISIONS] = min(n_past, HIGHEST_CODE)
        codes[c, 3 * n_channels + DIRECTION] = backward


@kernel
def add_trees(scores: Floats, own: Bytes, pooled: Bytes, forest: Trees, version: Int) -> int:
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
