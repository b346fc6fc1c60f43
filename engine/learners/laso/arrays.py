"""The arrays of latent-tree learning, in named tuples that are passed to compiled code as a whole."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Bytes, Flags, Floats, Ints, ShortInts, Words
from engine.structures.beam import Kept

TABLE: Final = 1 << 22
"""The number of weights; feature numbers are below this, and 0 means no feature."""
KIND, PLACE = 0, 4
"""Columns of `facts`: the kind of mention, and a position that increases along the document."""
TRAITS: Final = (1, 2, 3)
"""Columns of `facts` whose values a cluster collects; 0 is unknown."""
N_FACTS: Final = 15
"""The number of facts about a cluster that templates may read (clusters.cluster_facts)."""


class TreeInstance(NamedTuple):
    """One document: arcs of mention j (from 1) are rows [offsets[j - 1], offsets[j]), the root's first.

    `right` marks the arcs that the gold clusters allow. The rest is for non-local features: `bits` are flags of every
    pair of mentions, four kinds of match and four of clash; `codes` are attributes of each mention that are hashed as
    they are; `facts` are attributes that clusters summarise.
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
    """How a cluster interprets the flags and kinds of its mentions."""

    alike: int = 0
    """Two mentions are alike if they have at least one of these flags; the number of alike mentions is counted."""
    named: int = -1
    """A kind of mention for which it matters whether any is known to be the same or different ..."""
    same: int = 0
    """... by one of these flags."""


class ClusterTemplates(NamedTuple):
    """Non-local templates in the form that the search reads; empty for a local model."""

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
    """Clusterings of the mentions read so far, one per row; a cluster is identified by its first mention."""

    label: ShortInts
    previous: ShortInts
    """The mention before this one in its cluster."""
    last: ShortInts
    """The last mention of a cluster."""
    signature: Words
    """A number that identifies the set of mentions in a cluster."""


class Agenda(NamedTuple):
    """The beam: scores of the kept states, the expansions of one step, and the origin of each state."""

    score: Floats
    kept: Kept
    """The best expansions: value and parent, the arc's score as tie, its row as option. The note is the position of the
    expansion's non-local features in the memo, -1 without any."""
    origin: ShortInts
    """The position of a state's path in the previous step; the width of the beam stands for the gold path."""
    parents: ShortInts
    choices: Ints
    extras: ShortInts
    slots: Ints
    """The row of `States` that holds each state of the beam."""
    children: Ints
    best_row: Ints
    touched: Ints


class Memo(NamedTuple):
    """Non-local features and their score for each cluster, as seen by mention `stamp`."""

    keys: Words
    stamp: ShortInts
    score: Floats
    rows: ShortInts


class Beam(NamedTuple):
    """A search in progress: its states, the beam over them, and cached features of their clusters."""

    states: States
    agenda: Agenda
    memo: Memo
    scratch: Ints
    """Working space for the facts about one cluster."""


class Scoring(NamedTuple):
    """What clusters are scored with."""

    templates: ClusterTemplates
    weights: Floats


class Path(NamedTuple):
    """A tree, or the beginning of one: the row of every mention's arc, and its non-local feature numbers."""

    rows: Ints
    extra: ShortInts


class Model(NamedTuple):
    """Weights in training, the sums for averaging, and a sparse vector in which a difference is collected."""

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
    """The model being trained, the step size, and the number of the document, counted over all passes."""

    model: Model
    size: StepSize
    time: float


class Record(NamedTuple):
    """What one pass did with a document: the latent tree, and the mentions at which updates were made."""

    gold_rows: Ints
    updated_at: Ints
