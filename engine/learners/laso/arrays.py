"""The arrays that latent-tree learning works on, in named bundles that compiled code takes whole."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

TABLE: Final = 1 << 22
"""Weights there are; feature numbers are below this, and 0 is no feature."""
N_FACTS: Final = 15
"""Facts about a cluster that templates may read."""


class TreeInstance(NamedTuple):
    """One document: arcs of mention j (from 1) are rows [offsets[j - 1], offsets[j]), the root's first.

    `right` marks the arcs that the gold clusters allow. `bits`, `codes` and `facts` serve non-local features.
    """

    n: int
    offsets: NDArray[np.int64]
    heads: NDArray[np.int32]
    rows: NDArray[np.int32]
    right: NDArray[np.bool_]
    bits: NDArray[np.uint8]
    codes: NDArray[np.uint64]
    facts: NDArray[np.int32]


class ClusterTemplates(NamedTuple):
    """Non-local templates as the search reads them; none at all for a local model."""

    sources: NDArray[np.int8] = np.zeros((0, 4), np.int8)
    columns: NDArray[np.int16] = np.zeros((0, 4), np.int16)
    seeds: NDArray[np.uint64] = np.zeros(0, np.uint64)

    @property
    def used(self) -> bool:
        return len(self.seeds) > 0


class Bonds(NamedTuple):
    """Pins: `together[j]` is an earlier mention that j must join (0: none), those j must avoid are
    apart[apart_offsets[j]:apart_offsets[j + 1]]."""

    together: NDArray[np.int64]
    apart_offsets: NDArray[np.int64]
    apart: NDArray[np.int64]


class States(NamedTuple):
    """Clusterings of the mentions read so far, one a row; a cluster is named by its first mention."""

    label: NDArray[np.int32]
    previous: NDArray[np.int32]
    """The mention before this one in its cluster."""
    last: NDArray[np.int32]
    """The last mention of a cluster."""
    signature: NDArray[np.uint64]
    """A number that identifies the set of mentions in a cluster."""


class Agenda(NamedTuple):
    """The beam: scores of the states kept, the expansions of one step, and the way each state came about."""

    score: NDArray[np.float64]
    total: NDArray[np.float64]
    parent: NDArray[np.int64]
    arc: NDArray[np.float64]
    row: NDArray[np.int64]
    memo: NDArray[np.int64]
    """Where the non-local features of an expansion stand in the memo, -1 without any."""
    origin: NDArray[np.int32]
    """Where the path of a state goes on in the step before; the width of the beam stands for the gold path."""
    parents: NDArray[np.int32]
    choices: NDArray[np.int64]
    extras: NDArray[np.int32]
    slots: NDArray[np.int64]
    """Row of `States` in which each state of the beam stands."""
    children: NDArray[np.int64]
    best_row: NDArray[np.int64]
    touched: NDArray[np.int64]
    scratch: NDArray[np.int64]


class Memo(NamedTuple):
    """Non-local features and their score by cluster, as mention `stamp` would find it."""

    keys: NDArray[np.uint64]
    stamp: NDArray[np.int32]
    score: NDArray[np.float64]
    rows: NDArray[np.int32]


class Model(NamedTuple):
    """Weights in training, what averaging needs, and a sparse vector to collect a difference in."""

    weights: NDArray[np.float64]
    sums: NDArray[np.float64]
    delta: NDArray[np.float64]
    touched: NDArray[np.int32]
    marked: NDArray[np.bool_]

    @classmethod
    def empty(cls) -> Model:
        return cls(
            np.zeros(TABLE), np.zeros(TABLE), np.zeros(TABLE), np.zeros(TABLE, np.int32), np.zeros(TABLE, np.bool_)
        )


class StepSize(NamedTuple):
    """Losses and the size of a step."""

    false_new: float
    augment: float
    passive_aggressive: bool
    cap: float
