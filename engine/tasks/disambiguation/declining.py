"""The log-odds that a mention is NIL, whatever its candidates compete for among themselves.

A mention's columns are the largest value that any of its candidates has in each own column: a surface that training
never linked, with no candidate whose title or neighbourhood fits, is likely to name nothing in the knowledge base. The
bias is added to these odds; the sequence model itself never sees NIL (training it with NIL as a rival costs in-KB
accuracy).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.features.disambiguation.table import Table
from engine.learners.trees.binary import boost_binary
from engine.learners.trees.forest import Bins, Forest

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Declining:
    """Trees over mention columns."""

    forest: Forest

    def log_odds(self, table: Table, own: NDArray[np.float32]) -> Floats:
        """One value per mention."""
        return self.forest.scores(mention_columns(table, own))


def mention_columns(table: Table, own: NDArray[np.float32]) -> NDArray[np.float32]:
    """The largest value of every own column over the mention's candidates; zeros where it has none."""
    columns = np.zeros((table.n_mentions, own.shape[1]), dtype=np.float32)
    some = np.diff(table.row_offsets) > 0
    if some.any():
        columns[some] = np.maximum.reduceat(own, table.row_offsets[:-1][some], axis=0)
    return columns


def learn_declining(table: Table, own: NDArray[np.float32], seed: int) -> Declining:
    """From mentions that gold links or calls NIL, where they have candidates."""
    rows = np.flatnonzero((table.nil | (table.gold >= 0)) & (np.diff(table.row_offsets) > 0))
    columns = mention_columns(table, own)[rows]
    bins = Bins.fit(columns, 254)
    return Declining(boost_binary(bins.transform(columns), table.nil[rows], bins, seed=seed))
