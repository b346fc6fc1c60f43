"""All features of a corpus of mentions: own columns of every candidate row, and channels of every pair of entities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np

from engine.arrays import Singles
from engine.features.disambiguation import text_vectors
from engine.features.disambiguation.graph import graph_features
from engine.features.disambiguation.knowledge import Knowledge, similarities
from engine.features.disambiguation.local import Named, local_features, portable_features
from engine.features.disambiguation.pairs import CHANNELS, PairTable, no_pairs, pair_features
from engine.features.disambiguation.table import Table
from engine.features.disambiguation.text_vectors import text_similarities
from engine.features.disambiguation.vectors import Vectors

FeatureSet: TypeAlias = Literal["local", "graph", "portable"]
POOLS: Final = (
    ("mean", "over all earlier decisions"),
    ("max", "of the best earlier decision"),
    ("near", "over the last four decisions"),
)
AGREEMENT: Final = (
    Named("same surface", "global", "An earlier mention with this surface took this entity (2) or another one (1)."),
    Named("decided", "global", "How many decisions were made before."),
    Named("direction", "global", "Whether the search runs forward (0) or backward (1)."),
)


@dataclass(frozen=True, eq=False)
class Features:
    names: tuple[Named, ...]
    own: Singles
    pairs: PairTable


def pooled_names(channels: tuple[int, ...]) -> tuple[Named, ...]:
    """The pooled columns of these channels, in the order of engine.learners.sgtb.pools."""
    names = [
        Named(f"{CHANNELS[c][0]}, {pool}", "global", f"{CHANNELS[c][1]} {what.capitalize()}.")
        for pool, what in POOLS
        for c in channels
    ]
    return (*names, *AGREEMENT)


def extract(
    table: Table,
    knowledge: Knowledge,
    features: FeatureSet,
    *,
    own: bool,
    leave_out: int,
    vectors: Vectors | None = None,
    text: bool = False,
    paired: bool = True,
) -> Features:
    """All features that the learners use. `own`: the table is the one from which the knowledge was learnt; `text`: the
    vectors are also compared with the text; without `paired`, no features of pairs are computed."""
    if features == "portable":
        names, columns = portable_features(table, knowledge)
    else:
        names, columns = local_features(table, knowledge, similarities(table, knowledge, own=own, leave_out=leave_out))
    if features == "graph":
        rate = [named.name for named in names].index("entity rate nearby")
        more, extra = graph_features(table, np.ascontiguousarray(columns[:, rate]))
        names, columns = [*names, *more], np.hstack([columns, extra])
    if text and vectors is not None:
        names, columns = [*names, *text_vectors.NAMES], np.hstack([columns, text_similarities(table, vectors)])
    pairs = (
        pair_features(table, knowledge, own=own, leave_out=leave_out, vectors=vectors) if paired else no_pairs(table)
    )
    return Features(tuple(names), columns, pairs)
