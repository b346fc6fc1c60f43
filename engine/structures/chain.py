"""Paths through a line of nodes, and the two structures built on them: label chains and segmentations.

Part p leads from node tails[p] to node heads[p] > tails[p]; an output is a path from the first node to the last. So the
parts of an output tile the line of nodes, and a part is pinned on by forbidding every other part that overlaps it.
Linear chain: nodes are (position, label), parts are transitions, one per position (Lafferty et al. 2001; boosted trees
on it are the TreeCRF of Dietterich et al. 2004). Semi-Markov: parts are labelled segments (Sarawagi and Cohen 2004).

Among equal paths, the one whose last differing part, from the right, has the lower id wins.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from engine.arrays import Floats, Int, Ints, Places
from engine.kernels import inlined, kernel
from engine.structures.base import NO_PINS, Infeasible, Mask, Parts, Pins, Scores, restrict


class _Links(NamedTuple):
    """The parts on one side of every node v: `parts[bounds[v]:bounds[v + 1]]`, each from or to the node `other[p]`."""

    other: Ints
    parts: Places
    bounds: Places


class PathsBatch:
    """Paths of many documents as one structure; part and node ids are numbered across the corpus.

    `offsets` bound the parts and `node_offsets` the nodes of each document.
    """

    def __init__(self, tails: ArrayLike, heads: ArrayLike, offsets: ArrayLike, node_offsets: ArrayLike) -> None:
        self.tails = np.ascontiguousarray(tails, dtype=np.int64)
        self.heads = np.ascontiguousarray(heads, dtype=np.int64)
        self.offsets = np.ascontiguousarray(offsets, dtype=np.int64)
        self.node_offsets = np.ascontiguousarray(node_offsets, dtype=np.int64)
        self._document = np.repeat(np.arange(self.n_documents), np.diff(self.offsets))
        wrong = np.flatnonzero(
            (self.tails >= self.heads)
            | (self.tails < self.node_offsets[self._document])
            | (self.heads >= self.node_offsets[self._document + 1])
        )
        if len(wrong):
            p = wrong[0]
            raise ValueError(f"part {p} must lead forward within its document: {self.tails[p]} -> {self.heads[p]}")
        nodes = np.arange(int(self.node_offsets[-1]) + 1)
        by_head = np.argsort(self.heads, kind="stable")
        by_tail = np.argsort(self.tails, kind="stable")
        self._into = _Links(self.tails, by_head, np.searchsorted(self.heads[by_head], nodes))
        self._out_of = _Links(self.heads, by_tail, np.searchsorted(self.tails[by_tail], nodes))

    @staticmethod
    def of(paths: Sequence[PathsBatch]) -> PathsBatch:
        """Several documents, or batches of them, side by side."""
        none = np.zeros(0, np.int64)
        before = np.cumsum([0, *(int(p.node_offsets[-1]) for p in paths)])
        sizes = np.concatenate([none, *(np.diff(p.offsets) for p in paths)])
        lengths = np.concatenate([none, *(np.diff(p.node_offsets) for p in paths)])
        return PathsBatch(
            np.concatenate([none, *(p.tails + shift for p, shift in zip(paths, before, strict=False))]),
            np.concatenate([none, *(p.heads + shift for p, shift in zip(paths, before, strict=False))]),
            np.concatenate([[0], np.cumsum(sizes)]),
            np.concatenate([[0], np.cumsum(lengths)]),
        )

    @property
    def n_parts(self) -> int:
        return len(self.tails)

    @property
    def n_documents(self) -> int:
        return len(self.offsets) - 1

    def part(self, first: int, last: int) -> PathsBatch:
        """The paths of documents [first, last), with part and node ids of their own."""
        begin, end = self.offsets[first], self.offsets[last]
        node = self.node_offsets[first]
        return PathsBatch(
            self.tails[begin:end] - node,
            self.heads[begin:end] - node,
            self.offsets[first : last + 1] - begin,
            self.node_offsets[first : last + 1] - node,
        )

    def argmax(self, scores: Scores, *, pins: Pins = NO_PINS) -> Parts:
        chosen, stuck = _best_paths(self._pinned(scores, pins), self._into, self.node_offsets)
        self._refuse(stuck, pins)
        return np.sort(chosen)

    def marginals(self, scores: Scores, *, pins: Pins = NO_PINS) -> tuple[float, Scores]:
        """log Z of the corpus, and the probability that each part is on."""
        log_z, probabilities = self.marginals_by_document(scores, pins=pins)
        return float(log_z.sum()), probabilities

    def marginals_by_document(self, scores: Scores, *, pins: Pins = NO_PINS) -> tuple[Scores, Scores]:
        pinned = self._pinned(scores, pins)
        log_z, probabilities = _forward_backward(pinned, self._into, self._out_of, self.node_offsets, self.offsets)
        stuck = np.flatnonzero(log_z == -np.inf)
        self._refuse(int(stuck[0]) if len(stuck) else -1, pins)
        return log_z, probabilities

    def completion(self, scores: Scores, consistent: Mask) -> Parts:
        return self.argmax(restrict(scores, consistent))

    def completion_marginals(self, scores: Scores, consistent: Mask) -> tuple[Scores, Scores]:
        return self.marginals_by_document(restrict(scores, consistent))

    def _pinned(self, scores: Scores, pins: Pins) -> Scores:
        scores = np.ascontiguousarray(scores, dtype=np.float64)
        if scores.shape != self.tails.shape:
            raise ValueError(f"{scores.shape} scores for {self.n_parts} parts")
        if len(scores) and not scores.max() < np.inf:
            raise ValueError("a score is infinite or not a number")
        if not pins:
            return scores
        pinned = scores.copy()
        for part in (*pins.on, *pins.off):
            if not 0 <= part < self.n_parts:
                raise Infeasible(f"part {part} is pinned, but there are only {self.n_parts} parts")
        pinned[list(pins.off)] = -np.inf
        for part in pins.on:
            first, last = self.offsets[self._document[part]], self.offsets[self._document[part] + 1]
            covers = (self.tails[first:last] < self.heads[part]) & (self.tails[part] < self.heads[first:last])
            covers[part - first] = False
            pinned[first:last][covers] = -np.inf
        return pinned

    def _refuse(self, stuck: int, pins: Pins) -> None:
        if stuck < 0:
            return
        if pins:
            names = ", ".join(map(str, sorted({*pins.on, *pins.off})))
            raise Infeasible(f"no path of document {stuck} respects the pins on parts {names}")
        raise Infeasible(f"every path of document {stuck} is forbidden")


class Paths(PathsBatch):
    """Paths of one document from node 0 to node n_nodes - 1."""

    def __init__(self, tails: ArrayLike, heads: ArrayLike, n_nodes: int) -> None:
        tails = np.asarray(tails, dtype=np.int64)
        super().__init__(tails, heads, [0, len(tails)], [0, n_nodes])


class Chain(Paths):
    """One label for each of `length` positions.

    Parts 0..n_labels - 1 start with a label; part n_labels + (t - 1) n_labels^2 + a n_labels + b has label a at
    position t - 1 and b at t. So every output has exactly one part per position.
    """

    def __init__(self, length: int, n_labels: int) -> None:
        if length < 1 or n_labels < 1:
            raise ValueError("a chain needs a position and a label")
        self.length, self.n_labels = length, n_labels
        # Nodes: a start, one per label of each position but the last, an end. A path cannot end in several nodes, so
        # transitions into the last position lead directly to the end.
        labels = np.arange(n_labels)
        end = 1 + (length - 1) * n_labels
        position = np.repeat(np.arange(1, length), n_labels * n_labels)
        before = np.tile(np.repeat(labels, n_labels), length - 1)
        after = np.tile(labels, (length - 1) * n_labels)
        first = np.full(n_labels, end) if length == 1 else 1 + labels
        tails = np.concatenate([np.zeros(n_labels, np.int64), 1 + (position - 1) * n_labels + before])
        heads = np.concatenate([first, np.where(position == length - 1, end, 1 + position * n_labels + after)])
        super().__init__(tails, heads, end + 1)

    def parts_of(self, labels: Sequence[int] | Ints) -> Parts:
        """The parts of a labelling."""
        y = np.asarray(labels, dtype=np.int64)
        later = self.n_labels + np.arange(self.length - 1) * self.n_labels**2 + y[:-1] * self.n_labels + y[1:]
        return np.concatenate([y[:1], later]).astype(np.intp)

    def labels_of(self, parts: Parts) -> Ints:
        """The labelling that corresponds to a set of parts."""
        return np.where(parts < self.n_labels, parts, (parts - self.n_labels) % self.n_labels)


class Segments(Paths):
    """Labelled segments that cover `length` positions without gap or overlap, none longer than `longest`.

    Part p is the segment [starts[p], ends[p]) with label labels[p].
    """

    def __init__(self, length: int, longest: int, n_labels: int = 1) -> None:
        if length < 1 or longest < 1 or n_labels < 1:
            raise ValueError("a segmentation needs a position, a longest segment and a label")
        pairs = [(s, e) for s in range(length) for e in range(s + 1, min(s + longest, length) + 1)]
        self.starts = np.repeat([s for s, _ in pairs], n_labels)
        self.ends = np.repeat([e for _, e in pairs], n_labels)
        self.labels = np.tile(np.arange(n_labels), len(pairs))
        super().__init__(self.starts, self.ends, length + 1)


@kernel
def _best_paths(scores: Floats, into: _Links, node_offsets: Ints) -> tuple[Places, int]:
    """Parts of the best paths, and a document without any (or -1)."""
    tails, by_head, head_ptr = into.other, into.parts, into.bounds
    n_nodes = node_offsets[-1]
    best = np.full(n_nodes, -np.inf)
    taken = np.full(n_nodes, -1, np.int64)
    chosen = np.empty(n_nodes, np.intp)
    n_chosen = 0
    for d in range(len(node_offsets) - 1):
        first, last = node_offsets[d], node_offsets[d + 1]
        if first == last:
            continue
        best[first] = 0.0
        for v in range(first + 1, last):
            for i in range(head_ptr[v], head_ptr[v + 1]):
                p = by_head[i]
                value = best[tails[p]] + scores[p]
                if value > best[v]:
                    best[v] = value
                    taken[v] = p
        v = last - 1
        if best[v] == -np.inf:
            return chosen[:0], d
        while v > first:
            chosen[n_chosen] = taken[v]
            n_chosen += 1
            v = tails[taken[v]]
    return chosen[:n_chosen], -1


@kernel
def _forward_backward(
    scores: Floats, into: _Links, out_of: _Links, node_offsets: Ints, offsets: Ints
) -> tuple[Floats, Floats]:
    """log Z of every document, and the probability that each part is on."""
    tails, by_head, head_ptr = into.other, into.parts, into.bounds
    heads, by_tail, tail_ptr = out_of.other, out_of.parts, out_of.bounds
    n_nodes = node_offsets[-1]
    forward = np.full(n_nodes, -np.inf)
    backward = np.full(n_nodes, -np.inf)
    probability = np.zeros(len(scores))
    log_z = np.zeros(len(node_offsets) - 1)
    for d in range(len(node_offsets) - 1):
        first, last = node_offsets[d], node_offsets[d + 1]
        if first == last:
            continue
        forward[first] = 0.0
        for v in range(first + 1, last):
            forward[v] = _sum_over(scores, tails, by_head, head_ptr[v], head_ptr[v + 1], forward)
        log_z[d] = forward[last - 1]
        if log_z[d] == -np.inf:
            continue
        backward[last - 1] = 0.0
        for v in range(last - 2, first - 1, -1):
            backward[v] = _sum_over(scores, heads, by_tail, tail_ptr[v], tail_ptr[v + 1], backward)
        for p in range(offsets[d], offsets[d + 1]):
            inside = forward[tails[p]] + scores[p] + backward[heads[p]]
            if inside > -np.inf:
                probability[p] = min(np.exp(inside - log_z[d]), 1.0)
    return log_z, probability


@inlined
def _sum_over(scores: Floats, other: Ints, parts: Places, first: Int, last: Int, sums: Floats) -> float:
    """The log of the sum over the paths that continue from these parts; -inf if all are forbidden."""
    top = -np.inf
    for i in range(first, last):
        p = parts[i]
        top = max(top, sums[other[p]] + scores[p])
    if top == -np.inf:
        return top
    total = 0.0
    for i in range(first, last):
        p = parts[i]
        total += np.exp(sums[other[p]] + scores[p] - top)
    return float(top + np.log(total))
