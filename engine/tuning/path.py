"""Every best output of a lattice as the bias on declining goes from -inf to +inf.

Adding b to declining subtracts b from every chosen part, so an output with k parts scores V - k b and only the best
output of each size matters. V[k], the best score of exactly k parts, is computed by one dynamic program; the sizes on
its upper hull are optimal at some bias, and size k is replaced by the next smaller one j at the bias (V[k] - V[j]) / (k
- j). There the two are equal and the smaller one is taken, as in `argmax`.

At -inf the output is the best of the largest sets. Forbidden parts (score -inf) are never chosen. All this holds as
long as the bias affects every part equally and nothing else depends on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from engine.arrays import Floats, Int, Ints, ShortInts
from engine.kernels import kernel
from engine.structures.base import NO_PINS, Mask, Parts, Pins, Scores
from engine.structures.nonoverlap import NonOverlap, NonOverlapBatch
from engine.structures.nonoverlap_kernels import Lattice


@dataclass(frozen=True, eq=False)
class BiasPaths:
    """The paths of a corpus: from bias[i] on (step i), document[i] has parts[offsets[i]:offsets[i + 1]].

    Steps of a document are consecutive and ascend in bias; its first bias is -inf. Part ids are numbered across the
    corpus.
    """

    document: Ints
    bias: Scores
    offsets: Ints
    parts: Ints

    def steps(self, document: int) -> list[tuple[float, Parts]]:
        """The path of one document: bias, and the parts that are best from there on."""
        first, last = np.searchsorted(self.document, [document, document + 1])
        return [(float(self.bias[i]), self.parts[self.offsets[i] : self.offsets[i + 1]]) for i in range(first, last)]

    def sums(self, values: Ints) -> Ints:
        """For each step, the sum of the values of its parts; `values` has a row (or a number) per part."""
        picked = values[self.parts]
        running = np.concatenate([np.zeros((1, *picked.shape[1:]), picked.dtype), np.cumsum(picked, axis=0)])
        sums: Ints = running[self.offsets[1:]] - running[self.offsets[:-1]]
        return sums


def bias_path(lattice: NonOverlap, scores: Scores, *, pins: Pins = NO_PINS) -> list[tuple[float, Parts]]:
    """[(bias, parts), ...] ascending: parts is best from this bias up to the next. Pinned parts remain pinned."""
    return bias_paths(lattice, scores, pins=pins).steps(0)


def bias_paths(batch: NonOverlapBatch, scores: Scores, *, pins: Pins = NO_PINS) -> BiasPaths:
    """The exact paths of all documents."""
    paths = BiasPaths(*_paths(batch.free(scores, pins), batch.lattice))
    return _with_parts(paths, batch, np.unique(np.array(pins.on, dtype=np.int64))) if pins.on else paths


def _with_parts(paths: BiasPaths, batch: NonOverlapBatch, on: Ints) -> BiasPaths:
    """The pinned parts of a document added to each of its steps."""
    sets = []
    for i, d in enumerate(paths.document):
        own = on[batch.document[on] == d]
        sets.append(np.union1d(paths.parts[paths.offsets[i] : paths.offsets[i + 1]], own))
    offsets = np.concatenate([[0], np.cumsum([len(s) for s in sets], dtype=np.int64)])
    return BiasPaths(paths.document, paths.bias, offsets, np.concatenate(sets))


class _Spans(NamedTuple):
    """The best part of every span: no other part of it is ever chosen."""

    weight: Scores
    part: Ints
    allowed: Mask


class _Table(NamedTuple):
    """Working space for one document's dynamic program; rows are positions, columns are sizes.

    value: best score of exactly k parts before a position; taken: the last span of these, counted from the document's
    first, or -1.
    """

    value: Scores
    taken: ShortInts


class _Steps(NamedTuple):
    """Working space for the paths of all documents, as in `BiasPaths`."""

    document: Ints
    bias: Scores
    offsets: Ints
    parts: Ints


@kernel
def _paths(scores: Floats, lattice: Lattice) -> tuple[Ints, Floats, Ints, Ints]:
    """The fields of `BiasPaths`."""
    spans = _best_parts(scores, lattice)
    n_documents = len(lattice.position_ptr) - 1
    most = np.empty(n_documents, np.int64)
    n_steps, n_parts, largest = 0, 0, 1
    for d in range(n_documents):
        first, last = lattice.position_ptr[d], lattice.position_ptr[d + 1]
        k = _most_parts(spans.allowed, lattice, first, last)
        most[d] = k
        n_steps += k + 1
        n_parts += k * (k + 1) // 2
        largest = max(largest, (last - first) * (k + 1))
    out = _Steps(
        np.empty(n_steps, np.int64),
        np.empty(n_steps),
        np.zeros(n_steps + 1, np.int64),
        np.empty(n_parts, np.int64),
    )
    table = _Table(np.empty(largest), np.empty(largest, np.int32))
    step: Int = 0
    written: Int = 0
    for d in range(n_documents):
        first, last = lattice.position_ptr[d], lattice.position_ptr[d + 1]
        if first == last or most[d] == 0:
            out.document[step] = d
            out.bias[step] = -np.inf
            step += 1
            out.offsets[step] = written
        else:
            _fill(table, spans, lattice, first, last, most[d] + 1)
            step, written = _hull(out, table, spans, lattice, d, most[d], step, written)
    return out.document[:step], out.bias[:step], out.offsets[: step + 1], out.parts[:written]


@kernel
def _best_parts(scores: Floats, lattice: Lattice) -> _Spans:
    parts_by_span, part_ptr = lattice.parts_by_span, lattice.part_ptr
    n_spans = len(lattice.span_start)
    spans = _Spans(np.empty(n_spans), np.empty(n_spans, np.int64), np.empty(n_spans, np.bool_))
    for span in range(n_spans):
        top = -np.inf
        top_part = np.int64(-1)
        for i in range(part_ptr[span], part_ptr[span + 1]):
            p = parts_by_span[i]
            if scores[p] > top:
                top = scores[p]
                top_part = p
        spans.weight[span] = top
        spans.part[span] = top_part
        spans.allowed[span] = top > -np.inf
    return spans


@kernel
def _most_parts(allowed: Mask, lattice: Lattice, first: Int, last: Int) -> int:
    """The size of the largest set in a document, found by always taking the span that ends first."""
    size = 0
    free_from = first
    for v in range(first, last):
        for span in range(lattice.end_ptr[v], lattice.end_ptr[v + 1]):
            if allowed[span] and lattice.span_start[span] >= free_from:
                size += 1
                free_from = v
                break
    return size


@kernel
def _fill(table: _Table, spans: _Spans, lattice: Lattice, first: Int, last: Int, width: Int) -> None:
    """The dynamic program of the document at positions first to last."""
    value, taken = table.value, table.taken
    weight, allowed = spans.weight, spans.allowed
    end_ptr, span_start = lattice.end_ptr, lattice.span_start
    for k in range(width):
        value[k] = -np.inf
        taken[k] = -1
    value[0] = 0.0
    for v in range(1, last - first):
        row = v * width
        for k in range(width):
            value[row + k] = value[row - width + k]
            taken[row + k] = taken[row - width + k]
        for span in range(end_ptr[first + v], end_ptr[first + v + 1]):
            if not allowed[span]:
                continue
            before = (span_start[span] - first) * width
            gain = weight[span]
            local = np.int32(span - end_ptr[first])
            for k in range(1, width):
                candidate = value[before + k - 1] + gain
                if candidate > value[row + k]:
                    value[row + k] = candidate
                    taken[row + k] = local


@kernel
def _hull(
    out: _Steps, table: _Table, spans: _Spans, lattice: Lattice, d: Int, most: Int, step: Int, written: Int
) -> tuple[Int, Int]:
    """Writes the steps of document d, from its largest set down to none; returns where the next document's steps
    begin."""
    value = table.value
    first, last = lattice.position_ptr[d], lattice.position_ptr[d + 1]
    width = most + 1
    end_row = (last - first - 1) * width
    k = most
    out.bias[step] = -np.inf
    while True:
        out.document[step] = d
        written += k
        own = out.parts[written - k : written]
        _write_parts(own, table.taken[: end_row + width], spans, lattice, first, width, k)
        step += 1
        out.offsets[step] = written
        if k == 0:
            return step, written
        # The next size on the hull is the first to catch up; among equals, the smallest.
        next_k, next_bias = k, np.inf
        for j in range(k - 1, -1, -1):
            even = (value[end_row + k] - value[end_row + j]) / (k - j)
            if even <= next_bias:
                next_k, next_bias = j, even
        out.bias[step] = next_bias
        k = next_k


@kernel
def _write_parts(
    parts: Ints, taken: ShortInts, spans: _Spans, lattice: Lattice, first: Int, width: Int, k: Int
) -> None:
    """Fills `parts` with the k parts of the best set of size k, in ascending order."""
    part, span_start = spans.part, lattice.span_start
    first_span = lattice.end_ptr[first]
    row = len(taken) - width
    for left in range(k, 0, -1):
        span = first_span + taken[row + left]
        # Spans come from right to left; part ids are mostly in the same order, but need not be.
        at = left - 1
        while at + 1 < k and parts[at + 1] < part[span]:
            parts[at] = parts[at + 1]
            at += 1
        parts[at] = part[span]
        row = (span_start[span] - first) * width
