"""Every best output of a lattice as the bias on declining goes from -inf to +inf.

Adding b to declining takes b from every chosen part, so an output with k parts scores V - k b and only the best output
of each size matters. V[k], the best score of exactly k parts, is one dynamic program; the sizes on its upper hull are
optimal somewhere, and size k gives way to the next smaller one j at the bias (V[k] - V[j]) / (k - j). There the
two are equal and the smaller one is taken, as `argmax` does.

At -inf the output is the largest set there is, the best of those. Forbidden parts (score -inf) never take part.
Holds as long as the bias enters each part alike and nothing else depends on it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from engine.structures.base import NO_PINS, Parts, Pins, Scores
from engine.structures.nonoverlap import NonOverlap, NonOverlapBatch

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class BiasPaths:
    """The paths of a corpus: step i says that from bias[i] on, document[i] has parts[offsets[i]:offsets[i + 1]].

    Steps of a document follow each other and ascend in bias; its first bias is -inf. Part ids run over the corpus.
    """

    document: Ints
    bias: Scores
    offsets: Ints
    parts: Ints

    def steps(self, document: int) -> list[tuple[float, Parts]]:
        """The path of one document: bias, and the parts that are best from there on."""
        first, last = np.searchsorted(self.document, [document, document + 1])
        return [(float(self.bias[i]), self.parts[self.offsets[i] : self.offsets[i + 1]]) for i in range(first, last)]

    def sums(self, values: NDArray[np.int64]) -> Ints:
        """Per step the sum of the values of its parts; `values` has a row (or a number) per part."""
        picked = values[self.parts]
        running = np.concatenate([np.zeros((1, *picked.shape[1:]), picked.dtype), np.cumsum(picked, axis=0)])
        return running[self.offsets[1:]] - running[self.offsets[:-1]]


def bias_path(lattice: NonOverlap, scores: Scores, *, pins: Pins = NO_PINS) -> list[tuple[float, Parts]]:
    """[(bias, parts), ...] ascending: parts is best from this bias up to the next. Pinned parts stay as pinned."""
    return bias_paths(lattice, scores, pins=pins).steps(0)


def bias_paths(batch: NonOverlapBatch, scores: Scores, *, pins: Pins = NO_PINS) -> BiasPaths:
    """The exact paths of all documents."""
    document, bias, offsets, parts = _paths(
        batch.free(scores, pins),
        batch.parts_by_span,
        batch.part_ptr,
        batch.span_start,
        batch.end_ptr,
        batch.position_ptr,
    )
    paths = BiasPaths(document, bias, offsets, parts)
    return _with_parts(paths, batch, np.unique(np.array(pins.on, dtype=np.int64))) if pins.on else paths


def _with_parts(paths: BiasPaths, batch: NonOverlapBatch, on: Ints) -> BiasPaths:
    """The pinned parts of a document added to each of its steps."""
    sets = []
    for i, d in enumerate(paths.document):
        own = on[batch.document[on] == d]
        sets.append(np.union1d(paths.parts[paths.offsets[i] : paths.offsets[i + 1]], own))
    offsets = np.concatenate([[0], np.cumsum([len(s) for s in sets], dtype=np.int64)])
    return BiasPaths(paths.document, paths.bias, offsets, np.concatenate(sets))


@njit(cache=True, nogil=True)
def _most_parts(allowed, span_start, end_ptr, first, last):  # type: ignore[no-untyped-def]
    """The size of the largest set in a document: always the span that ends first."""
    size = 0
    free_from = first
    for v in range(first, last):
        for span in range(end_ptr[v], end_ptr[v + 1]):
            if allowed[span] and span_start[span] >= free_from:
                size += 1
                free_from = v
                break
    return size


@njit(cache=True, nogil=True)
def _paths(scores, parts_by_span, part_ptr, span_start, end_ptr, position_ptr):  # type: ignore[no-untyped-def]
    n_spans = len(span_start)
    n_documents = len(position_ptr) - 1
    weight = np.empty(n_spans)
    part = np.empty(n_spans, np.int64)
    allowed = np.empty(n_spans, np.bool_)
    for span in range(n_spans):
        top = -np.inf
        top_part = np.int64(-1)
        for i in range(part_ptr[span], part_ptr[span + 1]):
            p = parts_by_span[i]
            if scores[p] > top:
                top = scores[p]
                top_part = p
        weight[span] = top
        part[span] = top_part
        allowed[span] = top > -np.inf

    most = np.empty(n_documents, np.int64)
    n_steps, n_parts, largest = 0, 0, 1
    for d in range(n_documents):
        k = _most_parts(allowed, span_start, end_ptr, position_ptr[d], position_ptr[d + 1])
        most[d] = k
        n_steps += k + 1
        n_parts += k * (k + 1) // 2
        largest = max(largest, (position_ptr[d + 1] - position_ptr[d]) * (k + 1))
    document = np.empty(n_steps, np.int64)
    bias = np.empty(n_steps)
    offsets = np.zeros(n_steps + 1, np.int64)
    parts = np.empty(n_parts, np.int64)
    value = np.empty(largest)
    taken = np.empty(largest, np.int32)

    step, written = 0, 0
    for d in range(n_documents):
        first, last = position_ptr[d], position_ptr[d + 1]
        n_positions = last - first
        width = most[d] + 1
        if n_positions == 0 or width == 1:
            document[step] = d
            bias[step] = -np.inf
            step += 1
            offsets[step] = written
            continue
        # value[v, k]: best score of exactly k parts before position v; taken: the last of them.
        for k in range(width):
            value[k] = -np.inf
            taken[k] = -1
        value[0] = 0.0
        for v in range(1, n_positions):
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
        end_row = (n_positions - 1) * width
        k = width - 1
        bias[step] = -np.inf
        while True:
            document[step] = d
            row, written = end_row, written + k
            for left in range(k, 0, -1):
                span = end_ptr[first] + taken[row + left]
                # Spans come from right to left; ids of parts mostly follow, but need not.
                at = offsets[step] + left - 1
                while at + 1 < written and parts[at + 1] < part[span]:
                    parts[at] = parts[at + 1]
                    at += 1
                parts[at] = part[span]
                row = (span_start[span] - first) * width
            step += 1
            offsets[step] = written
            if k == 0:
                break
            # The next size on the hull is the first to catch up; of equals the smallest.
            next_k, next_bias = k, np.inf
            for j in range(k - 1, -1, -1):
                even = (value[end_row + k] - value[end_row + j]) / (k - j)
                if even <= next_bias:
                    next_k, next_bias = j, even
            bias[step] = next_bias
            k = next_k
    return document[:step], bias[:step], offsets[: step + 1], parts[:written]
