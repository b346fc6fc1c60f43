"""Kernels of nonoverlap.py, on its flat arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.arrays import Floats, Int, Ints, Places, ShortInts
from engine.kernels import inlined, kernel


class Lattice(NamedTuple):
    """The spans of a corpus, sorted by end, and the positions where any of them starts or ends, sorted by document.

    A `ptr` array holds the bounds of groups: `end_ptr[v]:end_ptr[v + 1]` are the spans that end at position v.
    """

    parts_by_span: Places
    part_ptr: Places
    """Bounds of the parts of each span in `parts_by_span`."""
    span_start: Ints
    end_ptr: Places
    position_ptr: Places
    """Bounds of the positions of each document."""


class FromRight(NamedTuple):
    """The same spans for reading from right to left."""

    span_end: Ints
    spans_by_start: Places
    start_ptr: Places
    """Bounds of the spans that start at each position in `spans_by_start`."""


class Prefixes(NamedTuple):
    """The best output before every position: its score, its size, and the last span and part it takes (span -1: none).

    Working space: its contents need not be initialised.
    """

    best: Floats
    size: ShortInts
    span_taken: Ints
    part_taken: Ints


@kernel
def room_for_prefixes(n_positions: Int) -> Prefixes:
    return Prefixes(
        np.zeros(n_positions),
        np.zeros(n_positions, np.int32),
        np.empty(n_positions, np.int64),
        np.empty(n_positions, np.int64),
    )


@kernel
def viterbi(
    scores: Floats, parts_by_span: Places, part_ptr: Places, span_start: Ints, end_ptr: Places, position_ptr: Places
) -> Places:
    """The parts of the best output of every document, from right to left within each.

    It is called for single documents, too, where handing over a tuple of arrays instead of the arrays of the lattice
    would take a fifth of the time.
    """
    lattice = Lattice(parts_by_span, part_ptr, span_start, end_ptr, position_ptr)
    n_positions = len(end_ptr) - 1
    prefixes = room_for_prefixes(n_positions)
    chosen = np.empty(n_positions, np.intp)
    n_chosen = 0
    for d in range(len(position_ptr) - 1):
        n_chosen += best_of_document(scores, lattice, d, prefixes, chosen[n_chosen:])
    return chosen[:n_chosen]


@kernel
def best_of_document(scores: Floats, lattice: Lattice, d: Int, prefixes: Prefixes, chosen: Places) -> int:
    """Writes the parts of the best output of document d, from right to left; returns their number.

    For compiled loops in which the scores of a document depend on those before it.
    """
    first, last = lattice.position_ptr[d], lattice.position_ptr[d + 1]
    if first == last:
        return 0
    _extend_prefixes(scores, lattice, prefixes, first, last)
    span_start = lattice.span_start
    span_taken, part_taken = prefixes.span_taken, prefixes.part_taken
    n_chosen = 0
    v = last - 1
    while v > first:
        if span_taken[v] >= 0:
            chosen[n_chosen] = part_taken[v]
            n_chosen += 1
            v = span_start[span_taken[v]]
        else:
            v -= 1
    return n_chosen


@inlined
def _extend_prefixes(scores: Floats, lattice: Lattice, prefixes: Prefixes, first: Int, last: Int) -> None:
    """Fills the prefixes of the document at positions first to last; among equals, the smaller one wins."""
    span_start, end_ptr = lattice.span_start, lattice.end_ptr
    parts_by_span, part_ptr = lattice.parts_by_span, lattice.part_ptr
    best, size = prefixes.best, prefixes.size
    span_taken, part_taken = prefixes.span_taken, prefixes.part_taken
    best[first] = 0.0
    size[first] = 0
    span_taken[first] = -1
    for v in range(first + 1, last):
        best[v] = best[v - 1]
        size[v] = size[v - 1]
        span_taken[v] = -1
        for span in range(end_ptr[v], end_ptr[v + 1]):
            top = -np.inf
            top_part = np.int64(-1)
            for i in range(part_ptr[span], part_ptr[span + 1]):
                p = parts_by_span[i]
                if scores[p] > top:
                    top = scores[p]
                    top_part = p
            u = span_start[span]
            value = best[u] + top
            if value > best[v] or (value == best[v] and size[u] + 1 < size[v]):
                best[v] = value
                size[v] = size[u] + 1
                span_taken[v] = span
                part_taken[v] = top_part


@kernel
def forward_backward(
    scores: Floats,
    parts_by_span: Places,
    part_ptr: Places,
    span_start: Ints,
    end_ptr: Places,
    position_ptr: Places,
    from_right: FromRight,
) -> tuple[Floats, Floats]:
    """log Z of every document, and the probability that each part is on. As for `viterbi`, the arrays of the lattice
    are handed over one by one."""
    lattice = Lattice(parts_by_span, part_ptr, span_start, end_ptr, position_ptr)
    span_end, spans_by_start, start_ptr = from_right
    n_positions = len(end_ptr) - 1
    probability = np.zeros(len(scores))
    weight, whole = _sum_spans(scores, lattice, probability)
    forward = np.zeros(n_positions)
    backward = np.zeros(n_positions)
    log_z = np.zeros(len(position_ptr) - 1)
    for d in range(len(position_ptr) - 1):
        first, last = position_ptr[d], position_ptr[d + 1]
        if first == last:
            continue
        # Both directions run in one loop: each waits only for its own last result.
        for step in range(1, last - first):
            v, w = first + step, last - 1 - step
            before = _sum_before(v, end_ptr[v], end_ptr[v + 1], span_start, weight, forward)
            after = _sum_after(w, start_ptr[w], start_ptr[w + 1], spans_by_start, span_end, weight, backward)
            forward[v], backward[w] = before, after
        log_z[d] = forward[last - 1]
        for span in range(end_ptr[first], end_ptr[last]):
            on = np.exp(forward[span_start[span]] + weight[span] + backward[span_end[span]] - log_z[d])
            # Rounding may push the probability of a certain part above 1.
            _scale(probability, parts_by_span, part_ptr[span], part_ptr[span + 1], min(on, 1.0) / whole[span])
    return log_z, probability


@inlined
def _sum_spans(scores: Floats, lattice: Lattice, share: Floats) -> tuple[Floats, Floats]:
    """For every span, the log of the sum over its parts, as weight = top + log(whole).

    The contribution of each part to the whole is written to `share`.
    """
    parts_by_span, part_ptr = lattice.parts_by_span, lattice.part_ptr
    n_spans = len(part_ptr) - 1
    weight = np.empty(n_spans)
    whole = np.ones(n_spans)
    for span in range(n_spans):
        begin, end = part_ptr[span], part_ptr[span + 1]
        head = parts_by_span[begin]
        in_a_row = parts_by_span[end - 1] - head == end - 1 - begin
        top = -np.inf
        for i in range(begin, end):
            score = scores[head + i - begin if in_a_row else parts_by_span[i]]
            if score > top:
                top = score
        if top == -np.inf:
            weight[span] = -np.inf
            continue
        total = 0.0
        for i in range(begin, end):
            p = head + i - begin if in_a_row else parts_by_span[i]
            added = np.exp(scores[p] - top)
            share[p] = added
            total += added
        weight[span] = top + np.log(total)
        whole[span] = total
    return weight, whole


@inlined
def _sum_before(v: Int, begin: Int, end: Int, span_start: Ints, weight: Floats, forward: Floats) -> float:
    """log of the sum over the outputs before position v: its last token is skipped, or one of the spans ends here."""
    top = forward[v - 1]
    for span in range(begin, end):
        top = max(top, forward[span_start[span]] + weight[span])
    total = np.exp(forward[v - 1] - top)
    for span in range(begin, end):
        total += np.exp(forward[span_start[span]] + weight[span] - top)
    return float(top + np.log(total))


@inlined
def _sum_after(
    w: Int, begin: Int, end: Int, spans_by_start: Places, span_end: Ints, weight: Floats, backward: Floats
) -> float:
    """log of the sum over the outputs after position w: its first token is skipped, or one of the spans starts here."""
    top = backward[w + 1]
    for i in range(begin, end):
        span = spans_by_start[i]
        top = max(top, weight[span] + backward[span_end[span]])
    total = np.exp(backward[w + 1] - top)
    for i in range(begin, end):
        span = spans_by_start[i]
        total += np.exp(weight[span] + backward[span_end[span]] - top)
    return float(top + np.log(total))


@inlined
def _scale(values: Floats, parts: Places, begin: Int, end: Int, factor: float) -> None:
    """Multiplies the values of the parts from place `begin` to `end`."""
    head = parts[begin]
    in_a_row = parts[end - 1] - head == end - 1 - begin
    for i in range(begin, end):
        values[head + i - begin if in_a_row else parts[i]] *= factor


class BestLists(NamedTuple):
    """For every position, the k best outputs before it: score, size, last part (or -1), and the entry that each
    extends."""

    values: Floats
    counts: Ints
    part: Ints
    node: Ints
    rank: Ints


class Extension(NamedTuple):
    """An entry of `BestLists`."""

    value: float
    size: Int
    part: Int
    node: Int
    rank: Int


@kernel
def k_best_lists(scores: Floats, lattice: Lattice, k: Int) -> BestLists:
    """The lists of one document."""
    end_ptr, span_start = lattice.end_ptr, lattice.span_start
    parts_by_span, part_ptr = lattice.parts_by_span, lattice.part_ptr
    n_positions = max(len(end_ptr) - 1, 1)
    ranked = BestLists(
        np.full((n_positions, k), -np.inf),
        np.zeros((n_positions, k), np.int64),
        np.full((n_positions, k), -1, np.int64),
        np.zeros((n_positions, k), np.int64),
        np.zeros((n_positions, k), np.int64),
    )
    values, counts = ranked.values, ranked.counts
    values[0, 0] = 0.0
    for v in range(1, n_positions):
        n: Int = _skip_token(ranked, v)
        for span in range(end_ptr[v], end_ptr[v + 1]):
            u = span_start[span]
            for i in range(part_ptr[span], part_ptr[span + 1]):
                p = parts_by_span[i]
                if scores[p] == -np.inf:
                    continue
                for j in range(k):
                    if values[u, j] == -np.inf:
                        break
                    value = values[u, j] + scores[p]
                    size = counts[u, j] + 1
                    if n == k and not _precedes(value, size, values[v, k - 1], counts[v, k - 1]):
                        break
                    n = min(n + 1, k)
                    _insert(ranked, v, n - 1, Extension(value, size, p, u, j))
    return ranked


@inlined
def _skip_token(ranked: BestLists, v: Int) -> int:
    """Starts the list of position v with that of the previous position; returns its length."""
    values, counts, node, rank = ranked.values, ranked.counts, ranked.node, ranked.rank
    n = 0
    while n < values.shape[1] and values[v - 1, n] > -np.inf:
        values[v, n] = values[v - 1, n]
        counts[v, n] = counts[v - 1, n]
        node[v, n] = v - 1
        rank[v, n] = n
        n += 1
    return n


@inlined
def _insert(ranked: BestLists, v: Int, place: Int, new: Extension) -> None:
    """Inserts an entry in order, starting from the last place, which is free or holds the entry that drops out."""
    values, counts, part = ranked.values, ranked.counts, ranked.part
    node, rank = ranked.node, ranked.rank
    while place > 0 and _precedes(new.value, new.size, values[v, place - 1], counts[v, place - 1]):
        values[v, place] = values[v, place - 1]
        counts[v, place] = counts[v, place - 1]
        part[v, place] = part[v, place - 1]
        node[v, place] = node[v, place - 1]
        rank[v, place] = rank[v, place - 1]
        place -= 1
    values[v, place] = new.value
    counts[v, place] = new.size
    part[v, place] = new.part
    node[v, place] = new.node
    rank[v, place] = new.rank


@kernel
def _precedes(value: float, size: Int, other_value: float, other_size: Int) -> bool:
    return value > other_value or bool(value == other_value and size < other_size)
