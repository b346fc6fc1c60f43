"""The arrays that latent-tree learning works on, in named bundles that compiled code takes whole."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Bytes, Flags, Floats, Ints, ShortInts, Words
from engine.structures.beam import Kept

TABLE: Final = 1 << 22
"""Weights there are; feature numbers are below this, and 0 is no feature."""
KIND, PLACE = 0, 4
"""Columns of `facts`: what kind of mention it is, and a place that grows along the document."""
TRAITS: Final = (1, 2, 3)
"""Columns of `facts` whose values a cluster collects; 0 is unknown."""
N_FACTS: Final = 15
"""Facts about a cluster that templates may read (clusters.cluster_facts)."""


class TreeInstance(NamedTuple):
    """One document: arcs of mention j (from 1) are rows [offsets[j - 1], offsets[j]), the root's first.

    `right` marks the arcs that the gold clusters allow. The rest serves non-local features: `bits` are flags of every
    two mentions, four ways to match and four to clash, `codes` attributes of each mention to be hashed as they are,
    `facts` attributes that clusters make something of.
    """

    n: int
    offsets: Ints
    heads: ShortInts
    rows: ShortInts
    right: Flags
    bits: Bytes
    codes: Words
    facts: ShortInts


class Rules(NamedTuple):
    """What the flags and kinds mean to a cluster."""

    alike: int = 0
    """Flags of two mentions of which one is enough for them to be alike: how many are is counted."""
    named: int = -1
    """A kind of mention of which it matters whether any is known to be the same or another one ..."""
    same: int = 0
    """... by one of these flags."""


class ClusterTemplates(NamedTuple):
    """Non-local templates as the search reads them; none at all for a local model."""

    sources: NDArray[np.int8] = np.zeros((0, 4), np.int8)
    columns: NDArray[np.int16] = np.zeros((0, 4), np.int16)
    seeds: Words = np.zeros(0, np.uint64)
    rules: Rules = Rules()

    @property
    def used(self) -> bool:
        return len(self.seeds) > 0


class Bonds(NamedTuple):
    """Pins: `together[j]` is an earlier mention that j must join (0: none), those j must avoid are
    apart[apart_offsets[j]:apart_offsets[j + 1]]."""

    together: Ints
    apart_offsets: Ints
    apart: Ints


class States(NamedTuple):
    """Clusterings of the mentions read so far, one a row; a cluster is named by its first mention."""

    label: ShortInts
    previous: ShortInts
    """The mention before this one in its cluster."""
    last: ShortInts
    """The last mention of a cluster."""
    signature: Words
    """A number that identifies the set of mentions in a cluster."""


class Agenda(NamedTuple):
    """The beam: scores of the states kept, the expansions of one step, and the way each state came about."""

    score: Floats
    kept: Kept
    """The best expansions: value and parent, the arc's score as tie, its row as option. The note says where the
    non-local features of an expansion stand in the memo, -1 without any."""
    origin: ShortInts
    """Where the path of a state goes on in the step before; the width of the beam stands for the gold path."""
    parents: ShortInts
    choices: Ints
    extras: ShortInts
    slots: Ints
    """Row of `States` in which each state of the beam stands."""
    children: Ints
    best_row: Ints
    touched: Ints


class Memo(NamedTuple):
    """Non-local features and their score by cluster, as mention `stamp` would find it."""

    keys: Words
    stamp: ShortInts
    score: Floats
    rows: ShortInts


class Beam(NamedTuple):
    """A search under way: its states, the beam over them, and what is known of their clusters."""

    states: States
    agenda: Agenda
    memo: Memo
    scratch: Ints
    """Room for the facts about one cluster."""


class Scoring(NamedTuple):
    """What clusters are scored with."""

    templates: ClusterTemplates
    weights: Floats


class Path(NamedTuple):
    """A tree, or the beginning of one: the row of every mention's arc, and its non-local feature numbers."""

    rows: Ints
    extra: ShortInts


class Model(NamedTuple):
    """Weights in training, what averaging needs, and a sparse vector to collect a difference in."""

    weights: Floats
    sums: Floats
    delta: Floats
    touched: ShortInts
    marked: Flags

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


class Learning(NamedTuple):
    """What is learnt, how far steps go, and the number of the document, over all passes."""

    model: Model
    size: StepSize
    time: float


class Record(NamedTuple):
    """What one pass did with a document: the latent tree, and the mentions at which it was learnt from."""

    gold_rows: Ints
    updated_at: Ints
