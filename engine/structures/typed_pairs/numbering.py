"""The numbering of nodes, pairs and parts: ordered pairs (i, j) of a sentence are i-major, and parts are consecutive.

Parts are "node takes type", node by node, then "pair takes label", pair by pair. An output has exactly one part of
every node and of every pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.arrays import Floats, Ints
from engine.structures.base import Scores


def pair_index(n: int) -> Ints:
    """[n(n-1), 2]: the nodes of each ordered pair."""
    first, second = np.divmod(np.arange(n * n), n) if n else (np.zeros(0, np.int64), np.zeros(0, np.int64))
    keep = first != second
    return np.stack([first[keep], second[keep]], axis=1)


def position(n: int, i: int, j: int) -> int:
    """The index of the ordered pair (i, j)."""
    return i * (n - 1) + j - (1 if j > i else 0)


@dataclass(frozen=True)
class Numbering:
    """The numbers of parts, of one sentence or of a corpus."""

    n_nodes: int
    n_pairs: int
    n_types: int
    n_labels: int

    @classmethod
    def of_sentence(cls, n_nodes: int, n_types: int, n_labels: int) -> Numbering:
        return cls(n_nodes, n_nodes * (n_nodes - 1), n_types, n_labels)

    @property
    def n_type_parts(self) -> int:
        return self.n_nodes * self.n_types

    @property
    def n_parts(self) -> int:
        return self.n_type_parts + self.n_pairs * self.n_labels

    def node(self, node: int, type: int) -> int:
        """The part "node takes type"."""
        return node * self.n_types + type

    def pair(self, pair: int, label: int) -> int:
        """The part "pair takes label"."""
        return self.n_type_parts + pair * self.n_labels + label

    def rivals(self, part: int) -> range:
        """All parts of the same node or pair, itself included."""
        if part < self.n_type_parts:
            first = part - part % self.n_types
            return range(first, first + self.n_types)
        first = part - (part - self.n_type_parts) % self.n_labels
        return range(first, first + self.n_labels)

    def split(self, scores: Scores) -> tuple[Floats, Floats]:
        """Scores of parts as [nodes, T] and [pairs, L]."""
        types, labels = scores[: self.n_type_parts], scores[self.n_type_parts : self.n_parts]
        return types.reshape(self.n_nodes, self.n_types), labels.reshape(self.n_pairs, self.n_labels)

    def joined(self, types: Floats, labels: Floats) -> Scores:
        """[nodes, T] and [pairs, L] as scores of parts."""
        return np.concatenate([types.ravel(), labels.ravel()])

    def pinned(self, scores: Scores, *, on: Sequence[int] = (), off: Sequence[int] = ()) -> Scores:
        """Scores in which everything that pins rule out is -inf.

        A part that is pinned on keeps its score; if another pin rules it out, its node or pair has no option left.
        """
        out = scores.copy()
        out[list(off)] = -np.inf
        for part in on:
            rivals = self.rivals(part)
            keep = out[part]
            out[rivals.start : rivals.stop] = -np.inf
            out[part] = keep
        return out

    def chosen(self, types: Ints, labels: Ints) -> Ints:
        """The parts of an output, ascending."""
        nodes, pairs = np.arange(self.n_nodes), np.arange(self.n_pairs)
        return np.concatenate([nodes * self.n_types + types, self.n_type_parts + pairs * self.n_labels + labels])
