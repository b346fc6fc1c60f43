"""Splits a corpus into train, dev and test: by document, with a seed, and without near-duplicates across splits.

Two documents are near-duplicates if at least `ALIKE` of their word triples are common (Jaccard). Candidates are found
by MinHash in bands (Broder 1997), which avoids comparing all pairs; every candidate pair is then checked exactly.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from engine.arrays import Ints
from engine.data.document import Document
from engine.data.errors import InputError

ALIKE: Final = 0.7
_HASHES, _BANDS = 64, 16
_PRIME: Final = (1 << 61) - 1
_NOISE: Final = re.compile(r"https?://\S+|@\w+|\b\d+\b")
"""Parts that differ between copies of one tweet: links, user names, numbers."""

SHARES: Final[Mapping[str, float]] = {"train": 0.8, "dev": 0.1, "test": 0.1}


def split(
    documents: Sequence[Document], shares: Mapping[str, float] = SHARES, *, seed: int = 0
) -> dict[str, list[Document]]:
    """Split -> its documents, in their original order. A group of near-duplicates goes to the split that lacks most."""
    total = sum(shares.values())
    if not shares or min(shares.values()) < 0 or total <= 0:
        raise InputError("shares must be positive numbers")
    groups = near_duplicates(documents)
    wanted = {name: share / total * len(documents) for name, share in shares.items() if share > 0}
    dealt: dict[str, list[int]] = {name: [] for name in wanted}
    order = np.random.default_rng(seed).permutation(len(groups))
    # Large groups first, because they would not fit anywhere at the end.
    for number in sorted(order.tolist(), key=lambda g: -len(groups[g])):
        name = max(wanted, key=lambda one: (wanted[one] - len(dealt[one])) / wanted[one])
        dealt[name] += groups[number]
    return {name: [documents[i] for i in sorted(dealt[name])] for name in wanted}


def near_duplicates(documents: Sequence[Document]) -> list[list[int]]:
    """Positions of documents in groups connected by similarity; most groups have one member."""
    shingles = [_shingles(document.text) for document in documents]
    parent = list(range(len(documents)))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    buckets: dict[tuple[int, bytes], list[int]] = {}
    for i, signature in enumerate(_signatures(shingles)):
        for band, piece in enumerate(np.split(signature, _BANDS)):
            first = buckets.setdefault((band, piece.tobytes()), [])
            for other in first[:_HASHES]:
                if root(other) != root(i) and _likeness(shingles[other], shingles[i]) >= ALIKE:
                    parent[root(i)] = root(other)
            first.append(i)
    groups: dict[int, list[int]] = {}
    for i in range(len(documents)):
        groups.setdefault(root(i), []).append(i)
    return list(groups.values())


def _shingles(text: str) -> frozenset[int]:
    words = re.findall(r"\w+", _NOISE.sub(" ", text.casefold())) or [text]
    pieces = [" ".join(words[i : i + 3]) for i in range(max(1, len(words) - 2))]
    return frozenset(
        int.from_bytes(hashlib.blake2b(one.encode(errors="replace"), digest_size=7).digest(), "big") for one in pieces
    )


def _signatures(shingles: Sequence[frozenset[int]]) -> list[Ints]:
    rng = np.random.default_rng(0)
    scale = rng.integers(1, _PRIME, _HASHES, dtype=np.uint64) | np.uint64(1)
    shift = rng.integers(0, _PRIME, _HASHES, dtype=np.uint64)
    # Products wrap around; multiplication by an odd number is a permutation of 64-bit numbers.
    return [
        (np.array(sorted(one), dtype=np.uint64)[:, None] * scale + shift).min(axis=0).astype(np.int64)
        for one in shingles
    ]


def _likeness(a: frozenset[int], b: frozenset[int]) -> float:
    return len(a & b) / len(a | b)
