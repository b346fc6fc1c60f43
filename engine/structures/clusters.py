"""Clusters of nodes: the subtrees below the root of a tree, and the pins on them.

Nodes are numbered from 1; a cluster is identified by its first node. Pins are closed transitively: each node of a group
that must be together must join the one before it in the group, and a node kept apart from one member is kept apart from
all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints, ShortInts
from engine.structures.base import Infeasible

Heads: TypeAlias = NDArray[np.signedinteger[Any]]
"""The head of node k + 1 at k; 0 is the root."""
Pair: TypeAlias = tuple[int, int]


def clusters_of(heads: Heads) -> list[list[int]]:
    """The clusters of a tree whose heads precede their dependents, in order of their first node."""
    at: dict[int, int] = {}
    clusters: list[list[int]] = []
    for node, head in enumerate(heads.tolist(), 1):
        if head == 0:
            at[node] = len(clusters)
            clusters.append([node])
        else:
            at[node] = at[head]
            clusters[at[head]].append(node)
    return clusters


def labels_of(heads: Heads) -> ShortInts:
    """The cluster of each node from 1; entry 0 is 0."""
    label = np.zeros(len(heads) + 1, dtype=np.int32)
    for cluster in clusters_of(heads):
        label[cluster] = cluster[0]
    return label


class TogetherAndApart(Infeasible):
    """Two nodes must be both together and apart; `index` is the number of the conflicting pair among those kept
    apart."""

    def __init__(self, index: int, pair: Pair) -> None:
        super().__init__(f"nodes {pair[0]} and {pair[1]} must be together and apart")
        self.index = index


@dataclass(frozen=True, eq=False)
class ClusterPins:
    """Nodes that must be in the same cluster, and pairs that must not."""

    together: Ints
    """For each node j, an earlier node that it must join; 0 for none."""
    apart: tuple[Pair, ...]

    @classmethod
    def of(cls, n: int, together: Sequence[Pair], apart: Sequence[Pair]) -> ClusterPins:
        """The closure of pairs of n nodes; raises TogetherAndApart if they contradict each other."""
        group = list(range(n + 1))

        def find(node: int) -> int:
            while group[node] != node:
                node = group[node]
            return node

        for one, other in together:
            a, b = find(one), find(other)
            group[max(a, b)] = min(a, b)
        members: dict[int, list[int]] = {}
        for node in range(1, n + 1):
            members.setdefault(find(node), []).append(node)
        joins = np.zeros(n + 1, dtype=np.int64)
        for same in members.values():
            for earlier, later in pairwise(same):
                joins[later] = earlier
        kept_apart: set[Pair] = set()
        for index, (one, other) in enumerate(apart):
            a, b = find(one), find(other)
            if a == b:
                raise TogetherAndApart(index, (one, other))
            kept_apart.update((min(x, y), max(x, y)) for x in members[a] for y in members[b])
        return cls(joins, tuple(sorted(kept_apart)))

    @property
    def pairs(self) -> list[Pair]:
        """The pairs (earlier, later) that must be together."""
        return [(int(self.together[later]), int(later)) for later in np.flatnonzero(self.together)]

    def hold_for(self, label: ShortInts) -> bool:
        """Whether a clustering satisfies the pins; `label` is in the form of `labels_of`."""
        return all(label[a] == label[b] for a, b in self.pairs) and all(label[a] != label[b] for a, b in self.apart)
