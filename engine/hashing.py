"""Hashes of 64-bit numbers for kernels.

Hashes decide which weight a feature has, so a change of any constant here makes saved models read the wrong weights.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from engine.kernels import kernel

_GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)


ANAPHOR, ANTECEDENT, PAIR, FIRST, LAST, CLUSTER = range(6)
"""Where an atom of a template comes from: one of two mentions, both of them, the first or last mention of a cluster, or
the cluster as a whole."""


class Way(NamedTuple):
    """How a value joins a hash."""

    multiplier: np.uint64
    shift: np.uint64


TWO_MENTIONS: Final = Way(np.uint64(0x9E3779B97F4A7C15), np.uint64(29))
"""Features of two mentions of coreference."""
CLUSTERS: Final = Way(np.uint64(0xBF58476D1CE4E5B9), np.uint64(27))
"""Features of a mention and a cluster."""


@kernel
def mix(a: np.uint64, b: np.uint64) -> np.uint64:
    """A hash of two numbers; order matters (the finalizer of SplitMix64: Steele, Lea and Flood 2014)."""
    x = np.uint64(a) * _GOLDEN + np.uint64(b)
    x ^= x >> np.uint64(30)
    x *= np.uint64(0xBF58476D1CE4E5B9)
    x ^= x >> np.uint64(27)
    x *= np.uint64(0x94D049BB133111EB)
    x ^= x >> np.uint64(31)
    return x


@kernel
def join(h: np.uint64, value: np.uint64, way: Way) -> np.uint64:
    """The hash of a template with the value of one more of its atoms."""
    h = (h ^ value) * way.multiplier
    return h ^ (h >> way.shift)


@kernel
def feature_number(h: np.uint64, mask: np.uint64) -> np.int32:
    """The index of the weight that a hash stands for. 0 is reserved for "no feature"; `mask` is the last index."""
    return np.int32(max(h & mask, np.uint64(1)))
