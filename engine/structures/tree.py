"""Trees over mentions: every dependent has one head; node 0 is the root.

`AntecedentTree`: heads precede their dependents, so the best head of each dependent alone gives the best tree
(best-first). `Arborescence`: any direction without cycles, by Chu-Liu-Edmonds. If all arcs point to the right, the two
are equal (Björkelund and Kuhn 2014, section 4). Among equal scores the nearest head wins, and the root comes last.

`AntecedentTree.root_path` is exact: adding b to every arc from the root changes the head of a dependent once, where b
makes the root as good as its best other head.
"""

from __future__ import annotations

from typing import Final, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.arrays import Ints
from engine.kernels import kernel
from engine.structures.base import NO_PINS, Infeasible, Mask, Parts, Pins, Scores

Number = TypeVar("Number", bound=np.generic)
ROOT: Final = 0


class _Arcs:
    """Arcs p: heads[p] -> dependents[p] over nodes 0..n; dependents are the nodes 1..n that some arc reaches."""

    def __init__(self, heads: ArrayLike, dependents: ArrayLike) -> None:
        self.heads = np.asarray(heads, dtype=np.int64)
        self.dependents = np.asarray(dependents, dtype=np.int64)
        if self.heads.shape != self.dependents.shape or self.heads.ndim != 1:
            raise ValueError("heads and dependents must be two lists of the same length")
        if len(self.heads) and (self.heads.min() < 0 or self.dependents.min() < 1):
            raise ValueError("nodes are numbered from 0, and the root 0 depends on nothing")
        if (self.heads == self.dependents).any():
            raise ValueError("an arc leads from a node to itself")
        self.nodes = _distinct(self.dependents)

    @property
    def n_parts(self) -> int:
        return len(self.heads)

    def _pinned(self, scores: Scores, pins: Pins) -> Scores:
        """Scores in which everything that contradicts the pins is forbidden."""
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

    def __init__(self, heads: ArrayLike, dependents: ArrayLike) -> None:
        super().__init__(heads, dependents)
        if (self.heads > self.dependents).any():
            raise ValueError("a head must precede its dependent; use Arborescence for arcs in both directions")
        # Within a dependent, the root first and the nearest head last: among equal scores the last in this order wins.
        # Arcs that are already in this order, as those of a document are, need no sorting.
        self._order = None if _in_order(self.heads, self.dependents) else np.lexsort((self.heads, self.dependents))
        self._starts = np.searchsorted(self._ordered(self.dependents), self.nodes)

    def argmax(self, scores: Scores, *, pins: Pins = NO_PINS) -> Parts:
        """The best arc of every dependent."""
        best = _best_arcs(self._ordered(self._pinned(scores, pins)), self._starts)
        self._check(best >= 0)
        return np.sort(self._arcs(best)).astype(np.intp)

    def marginals(self, scores: Scores, *, pins: Pins = NO_PINS) -> tuple[float, Scores]:
        """log Z and the probability of each arc: the choices of dependents are independent."""
        ordered = self._ordered(self._pinned(scores, pins))
        out = np.zeros(self.n_parts)
        if not len(self.nodes):
            return 0.0, out
        group = np.searchsorted(self._starts, np.arange(len(ordered)), side="right") - 1
        best = np.maximum.reduceat(ordered, self._starts)
        self._check(best > -np.inf)
        weight = np.exp(ordered - best[group])
        total = np.add.reduceat(weight, self._starts)
        out[self._arcs(np.arange(len(ordered)))] = weight / total[group]
        return float((best + np.log(total)).sum()), out

    def root_path(self, scores: Scores, *, pins: Pins = NO_PINS) -> tuple[Scores, Ints, Ints]:
        """For each dependent: the root bias above which it is attached to the root, its best other arc, its root arc.

        The bias is -inf without another arc and +inf without a root arc; an arc is -1 if there is none.
        """
        ordered = self._ordered(self._pinned(scores, pins))
        breaks, linked, rooted = _root_breaks(ordered, self._ordered(self.heads), self._starts)
        self._check((linked >= 0) | (rooted >= 0))
        return breaks, self._arcs(linked), self._arcs(rooted)

    def argmax_joined(self, scores: Scores, node: int, other: int) -> Parts:
        """The best tree in which two nodes are connected below the root.

        A head other than the best costs a dependent the difference of their scores. Two nodes are connected if their
        paths towards the root meet, so the best tree contains the two cheapest paths that meet; every other dependent
        keeps its best head.
        """
        ordered, heads = self._ordered(self._pinned(scores, NO_PINS)), self._ordered(self.heads)
        best = _best_arcs(ordered, self._starts)
        self._check(best >= 0)
        place = {int(dependent): at for at, dependent in enumerate(self.nodes)}
        ends = np.append(self._starts[1:], len(ordered))
        size = int(max(node, other, self.nodes.max(initial=0))) + 1

        def way_up(start: int) -> tuple[Scores, Ints]:
            """The cost of the cheapest path up to each node, and the arc by which it arrives there."""
            cost, arc = np.full(size, np.inf), np.full(size, -1, dtype=np.int64)
            cost[start] = 0.0
            for at in range(start, 0, -1):
                if at not in place or not np.isfinite(cost[at]):
                    continue
                d = place[at]
                arcs = np.arange(self._starts[d], ends[d])
                arcs = arcs[(heads[arcs] != ROOT) & (ordered[arcs] > -np.inf)]
                dearer = cost[at] + ordered[best[d]] - ordered[arcs]
                # Among equal paths, the one through the nearest head.
                better = dearer <= cost[heads[arcs]]
                cost[heads[arcs[better]]], arc[heads[arcs[better]]] = dearer[better], arcs[better]
            return cost, arc

        (cost, arcs), (other_cost, other_arcs) = way_up(node), way_up(other)
        both = cost + other_cost
        if not np.isfinite(both).any():
            raise Infeasible(f"nothing joins the nodes {node} and {other}")
        # Among equal meeting points, the last: paths that met earlier would share a node.
        meeting = int(np.flatnonzero(both == both.min())[-1])
        dependents = self._ordered(self.dependents)
        for taken in (arcs, other_arcs):
            at = meeting
            while taken[at] >= 0:
                best[place[int(dependents[taken[at]])]] = taken[at]
                at = int(dependents[taken[at]])
        return np.sort(self._arcs(best)).astype(np.intp)

    def _ordered(self, values: NDArray[Number]) -> NDArray[Number]:
        return values if self._order is None else values[self._order]

    def _arcs(self, places: Ints) -> Ints:
        """The arcs at these positions of the order; -1 remains -1."""
        return places if self._order is None else np.where(places >= 0, self._order[places], -1)

    def _check(self, placed: Mask) -> None:
        lost = np.flatnonzero(~placed)
        if len(lost):
            raise Infeasible(f"node {self.nodes[lost[0]]} has no head left")


def _distinct(nodes: Ints) -> Ints:
    """The distinct nodes, in order. Nodes already in order are not sorted again."""
    if (nodes[1:] < nodes[:-1]).any():
        return np.unique(nodes)
    return nodes[np.flatnonzero(np.append(True, nodes[1:] > nodes[:-1])[: len(nodes)])]


def _in_order(heads: Ints, dependents: Ints) -> bool:
    """Whether arcs are sorted by dependent, then by head."""
    later, same = dependents[1:] > dependents[:-1], dependents[1:] == dependents[:-1]
    return bool((later | (same & (heads[1:] >= heads[:-1]))).all())


@kernel
def _best_arcs(scores: Scores, starts: Ints) -> Ints:
    """Position of the best arc of each group beginning at `starts`; -1 if all are forbidden."""
    out = np.full(len(starts), -1, np.int64)
    for d in range(len(starts)):
        end = starts[d + 1] if d + 1 < len(starts) else len(scores)
        best = -np.inf
        for at in range(starts[d], end):
            if scores[at] >= best and scores[at] > -np.inf:
                best, out[d] = scores[at], at
    return out


@kernel
def _root_breaks(scores: Scores, heads: Ints, starts: Ints) -> tuple[Scores, Ints, Ints]:
    """For each group, the root bias at which its best other arc ties with the root's, and the positions of the two."""
    breaks = np.empty(len(starts))
    linked, rooted = np.full(len(starts), -1, np.int64), np.full(len(starts), -1, np.int64)
    for d in range(len(starts)):
        end = starts[d + 1] if d + 1 < len(starts) else len(scores)
        root, other = -np.inf, -np.inf
        for at in range(starts[d], end):
            if scores[at] == -np.inf:
                continue
            if heads[at] == ROOT:
                root, rooted[d] = scores[at], at
            elif scores[at] >= other:
                other, linked[d] = scores[at], at
        # At the tie itself the root does not win: ties go to the nearest head.
        breaks[d] = other - root
    return breaks, linked, rooted


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
    """Positions of the arcs of a best arborescence from node 0 over nodes 0..n-1; cycles are contracted one by one."""
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
    # The nodes of the cycle are merged into the last one; an arc into it pays for the cycle arc that it replaces.
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
