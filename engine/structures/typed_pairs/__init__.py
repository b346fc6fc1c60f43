"""Typed nodes and labelled ordered pairs of them: exact search, batched over a corpus.

A sentence has n nodes, each taking one of T types, and n(n-1) ordered pairs (i, j), i-major, each taking one of L
labels; label 0 declines. An output scores the sum of its types' and labels' scores, plus `fit[l, t, u]` for every pair
labelled l between types t and u, plus `both[l, m]` for labels l, m in the two directions of a pair, plus `tie` for tied
nodes that differ in type; -inf forbids. This is the program of Roth and Yih (2004) with its rows folded into tables.

Given the types, labels are decided pair by pair, so the search is over types only (`search`): the best labels of an
unordered pair form one T x T table, tables are shifted until their bound is tight, and branch and bound does the rest,
usually without branching.
"""

from __future__ import annotations

from engine.structures.typed_pairs.numbering import Numbering, pair_index, position
from engine.structures.typed_pairs.structure import Decoded, Tables, TypedPairs, rows_of

__all__ = [
    "Decoded",
    "Numbering",
    "Tables",
    "TypedPairs",
    "pair_index",
    "position",
    "rows_of",
]
