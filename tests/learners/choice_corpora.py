"""Documents as sequences of choices, for tests of the learners that search over them."""

from __future__ import annotations

import numpy as np

from engine.learners.sgtb.choices import Choices
from engine.learners.trees.bins import Bins
from engine.structures.beam import NIL_ROW

N_OWN = 3
N_CHANNELS = 2


def random_choices(seed: int, n_documents: int = 3, *, nil: bool = False, most: int = 4) -> Choices:
    """Small documents with ties: few distinct codes, equal surfaces, entities shared between mentions."""
    rng = np.random.default_rng(seed)
    mentions = rng.integers(1, most + 1, n_documents)
    rows = rng.integers(1, 4, mentions.sum())
    n_slots = rng.integers(3, 6, n_documents)
    row_offsets = np.concatenate([[0], np.cumsum(rows)]).astype(np.int64)
    document_offsets = np.concatenate([[0], np.cumsum(mentions)]).astype(np.int64)
    owner = np.repeat(np.repeat(np.arange(n_documents), mentions), rows)
    pair_offsets = np.concatenate([[0], np.cumsum(n_slots**2)]).astype(np.int64)
    gold = row_offsets[:-1] + rng.integers(0, rows)
    if nil:
        gold = np.where(rng.random(len(rows)) < 0.3, NIL_ROW, gold)
    return Choices(
        document_offsets=document_offsets,
        row_offsets=row_offsets,
        order=np.arange(len(rows)),
        codes=rng.integers(0, 4, (row_offsets[-1], N_OWN)).astype(np.uint8),
        slot=rng.integers(0, n_slots[owner]).astype(np.int64),
        surface=rng.integers(0, 3, len(rows)).astype(np.int64),
        gold=gold.astype(np.int64),
        allowed=np.ones(row_offsets[-1], dtype=np.bool_),
        nil_allowed=np.full(len(rows), nil),
        n_slots=n_slots.astype(np.int64),
        pair_offsets=pair_offsets,
        pairs=rng.integers(0, 256, (pair_offsets[-1], N_CHANNELS)).astype(np.uint8)
        * rng.integers(0, 2, (pair_offsets[-1], N_CHANNELS)).astype(np.uint8),
    )


def own_bins() -> Bins:
    return Bins(np.tile(np.append(np.arange(3) + 0.5, np.inf), N_OWN), np.arange(N_OWN + 1) * 4)


def learnable(n: int, seed: int) -> Choices:
    """The right candidate is the one whose slot is linked to the slot chosen before: only pairs can tell."""
    rng = np.random.default_rng(seed)
    mentions = 5
    rows = np.full(n * mentions, 2)
    row_offsets = np.concatenate([[0], np.cumsum(rows)]).astype(np.int64)
    # Slots 2t and 2t + 1 are the candidates of mention t; the even ones link to each other, and so do the odd ones.
    parity = np.arange(10) % 2
    pairs = np.where(parity[:, None] == parity[None, :], 255, 0).astype(np.uint8).reshape(-1, 1)
    side = rng.integers(0, 2, n)
    gold = row_offsets[:-1] + np.repeat(side, mentions)
    codes = np.zeros((row_offsets[-1], N_OWN), dtype=np.uint8)
    # The first mention's own features say which side it is.
    firsts = row_offsets[:-1][::mentions]
    codes[firsts + side, 0] = 3
    return Choices(
        document_offsets=np.arange(n + 1) * mentions,
        row_offsets=row_offsets,
        order=np.arange(n * mentions),
        codes=codes,
        slot=np.tile(np.arange(10), n).astype(np.int64),
        surface=np.arange(n * mentions),
        gold=gold.astype(np.int64),
        allowed=np.ones(row_offsets[-1], dtype=np.bool_),
        nil_allowed=np.zeros(n * mentions, dtype=np.bool_),
        n_slots=np.full(n, 10),
        pair_offsets=np.arange(n + 1) * 100,
        pairs=np.tile(pairs, (n, 1)),
    )
