"""The lattice: sets of spans, no two of which share a token.

Part p covers the tokens [starts[p], ends[p]); several parts may cover the same tokens (one mention, many entities). An
output is a set of parts with pairwise disjoint spans; its score is the sum of theirs. Read from left to right, every
output is one path of skipped tokens and chosen parts, so prefix sums over positions count each output once, even if
spans nest or cross. Parts of one span are summed first, so that there is one weight per span. Only positions where a
span starts or ends matter, so a run takes O(number of parts).

Among outputs with equal scores, the one with the fewest parts wins (a part that scores exactly 0 stays off), then the
one found first from left to right, then the lower id.

Yang and Chang, S-MART (ACL 2015), equations 4 to 7, read as prefix and suffix sums.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from engine.arrays import Ints
from engine.structures.base import NO_PINS, Infeasible, Mask, Parts, Pins, Scores
from engine.structures.nonoverlap_kernels import FromRight, Lattice, forward_backward, k_best_lists, viterbi


class NonOverlapBatch:
    """The lattices of a whole corpus as one structure; part ids are numbered across the corpus.

    `offsets[d]:offsets[d + 1]` are the parts of document d; parts of different documents never exclude each other.
    """

    def __init__(self, starts: ArrayLike, ends: ArrayLike, offsets: ArrayLike) -> None:
        self.starts = _whole_numbers("starts", starts)
        self.ends = _whole_numbers("ends", ends)
        self.offsets = _whole_numbers("offsets", offsets)
        _check_spans(self.starts, self.ends, self.offsets)
        n = len(self.starts)
        self.document = np.repeat(np.arange(self.n_documents), np.diff(self.offsets))
        # The positions of the corpus at which something starts or ends, in order.
        low = int(self.starts.min()) if n else 0
        width = (int(self.ends.max()) if n else 0) - low + 1
        base = self.document * width - low
        positions, rank = np.unique(np.concatenate([base + self.starts, base + self.ends]), return_inverse=True)
        n_positions = np.int64(len(positions))
        keys, self.span_of_part = np.unique(rank[n:] * n_positions + rank[:n], return_inverse=True)
        # Spans in order of their end, then of their start; documents follow each other.
        span_start = keys % n_positions if n else keys
        span_end = keys // n_positions if n else keys
        parts_by_span = np.argsort(self.span_of_part, kind="stable")
        spans_by_start = np.argsort(span_start, kind="stable")
        self.lattice = Lattice(
            parts_by_span=parts_by_span,
            part_ptr=np.searchsorted(self.span_of_part[parts_by_span], np.arange(len(keys) + 1)),
            span_start=span_start,
            end_ptr=np.searchsorted(span_end, np.arange(len(positions) + 1)),
            position_ptr=np.searchsorted(positions, np.arange(self.n_documents + 1) * width),
        )
        self._from_right = FromRight(
            span_end=span_end,
            spans_by_start=spans_by_start,
            start_ptr=np.searchsorted(span_start[spans_by_start], np.arange(len(positions) + 1)),
        )

    @staticmethod
    def of(lattices: Sequence[NonOverlapBatch]) -> NonOverlapBatch:
        """Several lattices, or batches of them, side by side."""
        sizes = [np.diff(lattice.offsets) for lattice in lattices]
        return NonOverlapBatch(
            np.concatenate([np.zeros(0, np.int64), *(lattice.starts for lattice in lattices)]),
            np.concatenate([np.zeros(0, np.int64), *(lattice.ends for lattice in lattices)]),
            np.concatenate([[0], np.cumsum(np.concatenate([np.zeros(0, np.int64), *sizes]))]),
        )

    @property
    def n_parts(self) -> int:
        return len(self.starts)

    @property
    def n_documents(self) -> int:
        return len(self.offsets) - 1

    def part(self, first: int, last: int) -> NonOverlapBatch:
        """The lattices of documents [first, last), with part ids of their own."""
        begin, end = self.offsets[first], self.offsets[last]
        return NonOverlapBatch(self.starts[begin:end], self.ends[begin:end], self.offsets[first : last + 1] - begin)

    def single(self, document: int) -> NonOverlap:
        """The lattice of one document, with part ids of its own."""
        rows = slice(self.offsets[document], self.offsets[document + 1])
        return NonOverlap(self.starts[rows], self.ends[rows])

    def by_span(self) -> NonOverlapBatch:
        """The same parts, of which only those of one span exclude each other: one choice per mention, no structure."""
        return NonOverlapBatch(self.span_of_part, self.span_of_part + 1, self.offsets)

    def apart(self) -> NonOverlapBatch:
        """The same parts, none of which excludes another: one yes-or-no decision each."""
        places = np.arange(self.n_parts)
        return NonOverlapBatch(places, places + 1, self.offsets)

    def argmax(self, scores: Scores, *, pins: Pins = NO_PINS) -> Parts:
        free = self.free(scores, pins)
        chosen = viterbi(free, *self.lattice)
        return np.union1d(chosen, np.array(pins.on, dtype=np.intp)) if pins.on else np.sort(chosen)

    def marginals(self, scores: Scores, *, pins: Pins = NO_PINS) -> tuple[float, Scores]:
        """log Z of the corpus, and the probability that each part is on."""
        log_z, probabilities = self.marginals_by_document(scores, pins=pins)
        return float(log_z.sum()), probabilities

    def marginals_by_document(self, scores: Scores, *, pins: Pins = NO_PINS) -> tuple[Scores, Scores]:
        """log Z of every document, and the probability that each part is on."""
        free = self.free(scores, pins)
        log_z, probabilities = forward_backward(free, *self.lattice, self._from_right)
        if pins.on:
            on = np.array(pins.on, dtype=np.intp)
            probabilities[on] = 1.0
            np.add.at(log_z, self.document[on], scores[on])
        return log_z, probabilities

    def completion(self, scores: Scores, consistent: Mask) -> Parts:
        """The best output among those with as many consistent parts as possible: an annotation states what is there."""
        return self.argmax(self._raised(scores, consistent)[0])

    def completion_marginals(self, scores: Scores, consistent: Mask) -> tuple[Scores, Scores]:
        """log Z of every document and marginals, over the outputs with as many consistent parts as possible and no
        others."""
        raised, lift = self._raised(scores, consistent)
        log_z, probabilities = self.marginals_by_document(raised)
        count = np.bincount(self.document, probabilities, self.n_documents)
        return log_z - lift * np.rint(count), probabilities

    def _raised(self, scores: Scores, consistent: Mask) -> tuple[Scores, Scores]:
        """Consistent scores lifted so far that no output with fewer of them matters (exp(-800) is 0), and the lift of
        every document: by its own scores, so that no document depends on those beside it."""
        scores = self._checked(scores)
        usable = consistent & np.isfinite(scores)
        spread = np.bincount(self.document, np.where(usable, np.abs(scores), 0.0), self.n_documents)
        lift: Scores = (800.0 + 2.0 * spread).astype(np.float64)
        return np.where(usable, scores + lift[self.document], -np.inf), lift

    def _checked(self, scores: Scores) -> Scores:
        scores = np.ascontiguousarray(scores, dtype=np.float64)
        if scores.shape != self.starts.shape:
            raise ValueError(f"{scores.shape} scores for {self.n_parts} parts")
        if len(scores) and not scores.max() < np.inf:
            raise ValueError("a score is infinite or not a number")
        return scores

    def free(self, scores: Scores, pins: Pins) -> Scores:
        """Scores in which every part decided by pins is forbidden: those pinned off or on, and those excluded by one
        pinned on."""
        scores = self._checked(scores)
        if not pins:
            return scores
        for part in (*pins.on, *pins.off):
            if not 0 <= part < self.n_parts:
                raise Infeasible(f"part {part} is pinned, but there are only {self.n_parts} parts")
        free = scores.copy()
        free[list(pins.off)] = -np.inf
        decided: dict[int, int] = {}
        for part in sorted(set(pins.on)):
            if scores[part] == -np.inf:
                raise Infeasible(f"part {part} is pinned on, but its score forbids it")
            first, last = self.offsets[self.document[part]], self.offsets[self.document[part] + 1]
            blocked = first + np.flatnonzero(
                (self.starts[first:last] < self.ends[part]) & (self.starts[part] < self.ends[first:last])
            )
            for other in blocked:
                if other in decided:
                    raise Infeasible(f"parts {decided[other]} and {part} are both pinned on, but share a token")
            free[blocked] = -np.inf
            decided[part] = part
        return free


class NonOverlap(NonOverlapBatch):
    """The lattice of one document."""

    def __init__(self, starts: ArrayLike, ends: ArrayLike) -> None:
        starts = _whole_numbers("starts", starts)
        super().__init__(starts, ends, [0, len(starts)])

    def k_best(self, scores: Scores, k: int, *, pins: Pins = NO_PINS) -> list[tuple[float, Parts]]:
        """The k best outputs, best first; fewer if there are not that many."""
        if k < 1:
            return []
        free = self.free(scores, pins)
        on = np.array(sorted(set(pins.on)), dtype=np.intp)
        fixed = float(np.sum(np.asarray(scores, dtype=np.float64)[on]))
        values, _, part, node, rank = k_best_lists(free, self.lattice, k)
        outputs = []
        for place in range(k):
            if values[-1, place] == -np.inf:
                break
            chosen = list(on)
            at, which = len(values) - 1, place
            while at > 0:
                if part[at, which] >= 0:
                    chosen.append(part[at, which])
                at, which = node[at, which], rank[at, which]
            outputs.append((float(values[-1, place]) + fixed, np.array(sorted(chosen), dtype=np.intp)))
        return outputs


def _whole_numbers(name: str, values: ArrayLike) -> Ints:
    array = np.asarray(values)
    if array.ndim != 1 or (len(array) and not np.issubdtype(array.dtype, np.integer)):
        raise ValueError(f"{name} must be a list of whole numbers")
    return np.ascontiguousarray(array, dtype=np.int64)


def _check_spans(starts: Ints, ends: Ints, offsets: Ints) -> None:
    if len(starts) != len(ends):
        raise ValueError(f"{len(starts)} starts but {len(ends)} ends")
    if not len(offsets) or offsets[0] != 0 or offsets[-1] != len(starts) or (np.diff(offsets) < 0).any():
        raise ValueError(f"offsets must rise from 0 to the number of parts, {len(starts)}")
    empty = np.flatnonzero(starts >= ends)
    if len(empty):
        p = empty[0]
        raise ValueError(f"part {p} covers no token: [{starts[p]}, {ends[p]})")
