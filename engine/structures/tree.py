"""Trees over mentions: every dependent takes one head, node 0 is the root.

`AntecedentTree`: heads precede their dependents, so the best head of each dependent alone gives the best tree
(best-first). `Arborescence`: any direction without cycles, by Chu-Liu-Edmonds. Where all arcs point to the right the
two are equal (Björkelund and Kuhn 2014, section 4). Of equal scores the nearest head wins, the root last.

`AntecedentTree.root_path` is exact: adding b to every arc from the root changes the head of a dependent once, where b
makes the root as good as its best other head.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.structures.base import NO_PINS, Infeasible, Parts, Pins, Scores

Ints = NDArray[np.int64]
ROOT: Final = 0


class _Arcs:
    """Arcs p: heads[p] -> dependents[p] over nodes 0..n; dependents are the nodes 1..n that some arc reaches."""

    def __init__(self, heads: Sequence[int] | Ints, dependents: Sequence[int] | Ints) -> None:
        self.heads = np.asarray(heads, dtype=np.int64)
        self.dependents = np.asarray(dependents, dtype=np.int64)
        if self.heads.shape != self.dependents.shape or self.heads.ndim != 1:
            raise ValueError("heads and dependents must be two lists of the same length")
        if len(self.heads) and (self.heads.min() < 0 or self.dependents.min() < 1):
            raise ValueError("nodes are numbered from 0, and the root 0 depends on nothing")
        if (self.heads == self.dependents).any():
            raise ValueError("an arc leads from a node to itself")
        self.nodes = np.unique(self.dependents)

    @property
    def n_parts(self) -> int:
        return len(self.heads)

    def _pinned(self, scores: Scores, pins: Pins) -> Scores:
        """Scores in which the pins are the only choice left."""
        scores = np.array(scores, dtype=np.float64)
        if scores.shape != self.heads.shape:
            raise ValueError(f"{len(scores)} scores for {self.n_parts} arcs")
        if not pins:
            return scores
        scores[list(pins.off)] = -np.inf
        if pins.on:
            on = np.array(sorted(set(pins.on)), dtype=np.intp)
            targets, counts = np.unique(self.dependents[on], return_counts=True)
            if (counts > 1).any():
                raise Infeasible(f"two heads are pinned for node {targets[counts > 1][0]}")
            rivals = np.isin(self.dependents, targets)
            rivals[on] = False
            scores[rivals] = -np.inf
        return scores


class AntecedentTree(_Arcs):
    """Trees whose heads precede their dependents."""

    def __init__(self, heads: Sequence[int] | Ints, dependents: Sequence[int] | Ints) -> None:
        super().__init__(heads, dependents)
        if (self.heads > self.dependents).any():
            raise ValueError("a head must precede its dependent; use Arborescence for arcs in both directions")
        # Nearest head last within a dependent, the root first: a scan with >= then breaks ties as documented.
        self._order = np.lexsort((self.heads, self.dependents))
        self._starts = np.searchsorted(self.dependents[self._order], self.nodes)

    def argmax(self, scores: Scores, *, pins: Pins = NO_PINS) -> Parts:
        """The best arc of every dependent."""
        ordered = self._pinned(scores, pins)[self._order]
        if not len(self.nodes):
            return np.zeros(0, dtype=np.intp)
        best = np.maximum.reduceat(ordered, self._starts)
        self._check(best)
        group = np.searchsorted(self._starts, np.arange(len(ordered)), side="right") - 1
        # Of the arcs that reach the maximum the last one in order.
        winners = np.flatnonzero(ordered == best[group])
        last = np.append(group[winners][1:] != group[winners][:-1], True)
        return np.sort(self._order[winners[last]]).astype(np.intp)

    def marginals(self, scores: Scores, *, pins: Pins = NO_PINS) -> tuple[float, Scores]:
        """log Z and the probability of each arc: the choices of dependents are independent."""
        ordered = self._pinned(scores, pins)[self._order]
        out = np.zeros(self.n_parts)
        if not len(self.nodes):
            return 0.0, out
        group = np.searchsorted(self._starts, np.arange(len(ordered)), side="right") - 1
        best = np.maximum.reduceat(ordered, self._starts)
        self._check(best)
        weight = np.exp(ordered - best[group])
        total = np.add.reduceat(weight, self._starts)
        out[self._order] = weight / total[group]
        return float((best + np.log(total)).sum()), out

    def root_path(self, scores: Scores, *, pins: Pins = NO_PINS) -> tuple[Scores, Ints, Ints]:
        """Per dependent: the root bias from which on it is attached to the root, its best other arc, its root arc.

        The bias is -inf without another arc and +inf without a root arc; the arc is -1 where there is none.
        """
        ordered = self._pinned(scores, pins)[self._order]
        ends = np.append(self._starts[1:], len(ordered))
        breaks = np.empty(len(self.nodes))
        linked, rooted = np.full(len(self.nodes), -1), np.full(len(self.nodes), -1)
        for d, (start, end) in enumerate(zip(self._starts, ends, strict=True)):
            root, other = -np.inf, -np.inf
            for at in range(start, end):
                if ordered[at] == -np.inf:
                    continue
                if self.heads[self._order[at]] == ROOT:
                    root, rooted[d] = ordered[at], self._order[at]
                elif ordered[at] >= other:
                    other, linked[d] = ordered[at], self._order[at]
            if root == other == -np.inf:
                raise Infeasible(f"node {self.nodes[d]} has no head left")
            # At the break itself the root does not win: a tie goes to the nearest head.
            breaks[d] = other - root
        return breaks, linked, rooted

    def _check(self, best: Scores) -> None:
        lost = np.flatnonzero(best == -np.inf)
        if len(lost):
            raise Infeasible(f"node {self.nodes[lost[0]]} has no head left")


class Arborescence(_Arcs):
    """Spanning trees from the root, arcs in any direction, by Chu-Liu-Edmonds."""

    def argmax(self, scores: Scores, *, pins: Pins = NO_PINS) -> Parts:
        scores = self._pinned(scores, pins)
        allowed = np.flatnonzero(scores > -np.inf)
        labels = {int(node): position + 1 for position, node in enumerate(self.nodes)}
        labels[ROOT] = 0
        kept = [int(p) for p in allowed if int(self.heads[p]) in labels]
        chosen = _contract(
            [labels[int(self.heads[p])] for p in kept],
            [labels[int(self.dependents[p])] for p in kept],
            [float(scores[p]) for p in kept],
            # Ties: the nearest preceding head, then the root, as in AntecedentTree.
            [-abs(int(self.dependents[p]) - int(self.heads[p])) for p in kept],
            len(self.nodes) + 1,
        )
        return np.array(sorted(kept[at] for at in chosen), dtype=np.intp)


def _contract(heads: list[int], dependents: list[int], scores: list[float], near: list[int], n: int) -> list[int]:
    """Positions of the arcs of a best arborescence from node 0 over nodes 0..n-1; cycles become one node in turn."""
    best = [-1] * n
    for at, d in enumerate(dependents):
        if d != ROOT and heads[at] != d:
            rival = best[d]
            if rival < 0 or (scores[at], near[at]) > (scores[rival], near[rival]):
                best[d] = at
    for d in range(1, n):
        if best[d] < 0:
            raise Infeasible("some node cannot be reached from the root")
    cycle = _find_cycle(heads, best, n)
    if not cycle:
        return best[1:]
    inside = set(cycle)
    # Nodes of the cycle merge into the last one; an arc into it pays for the cycle arc that it replaces.
    new_label: dict[int, int] = {}
    for node in range(n):
        if node not in inside:
            new_label[node] = len(new_label)
    merged = len(new_label)
    sub_heads, sub_dependents, sub_scores, sub_near, origin = [], [], [], [], []
    for at, (h, d) in enumerate(zip(heads, dependents, strict=True)):
        if d == ROOT or h == d or (h in inside and d in inside):
            continue
        sub_heads.append(new_label.get(h, merged))
        sub_dependents.append(new_label.get(d, merged))
        sub_scores.append(scores[at] - scores[best[d]] if d in inside else scores[at])
        sub_near.append(near[at])
        origin.append(at)
    chosen = [origin[at] for at in _contract(sub_heads, sub_dependents, sub_scores, sub_near, merged + 1)]
    entered = next(dependents[at] for at in chosen if dependents[at] in inside)
    return chosen + [best[node] for node in cycle if node != entered]


def _find_cycle(heads: list[int], best: list[int], n: int) -> list[int]:
    state = [0] * n
    state[ROOT] = 2
    for start in range(1, n):
        path: list[int] = []
        node = start
        while state[node] == 0:
            state[node] = 1
            path.append(node)
            node = heads[best[node]]
        if state[node] == 1:
            return path[path.index(node) :]
        for visited in path:
            state[visited] = 2
    return []
