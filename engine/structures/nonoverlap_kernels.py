"""The loops of nonoverlap.py, on its flat arrays.

Spans are sorted by end and positions by document: `end_ptr[v]:end_ptr[v + 1]` are the spans that end at position v,
`part_ptr[s]:part_ptr[s + 1]` the places in `parts_by_span` of the parts of span s, and `position_ptr[d]` the first
position of document d.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def viterbi(scores, parts_by_span, part_ptr, span_start, end_ptr, position_ptr):  # type: ignore[no-untyped-def]
    n_positions = len(end_ptr) - 1
    best = np.zeros(n_positions)
    count = np.zeros(n_positions, np.int32)
    span_taken = np.empty(n_positions, np.int64)
    part_taken = np.empty(n_positions, np.int64)
    chosen = np.empty(n_positions, np.intp)
    n_chosen = 0
    for d in range(len(position_ptr) - 1):
        n_chosen += best_of_document(
            scores,
            parts_by_span,
            part_ptr,
            span_start,
            end_ptr,
            position_ptr[d],
            position_ptr[d + 1],
            best,
            count,
            span_taken,
            part_taken,
            chosen[n_chosen:],
        )
    return chosen[:n_chosen]


@njit(cache=True, nogil=True)
def best_of_document(  # type: ignore[no-untyped-def]
    scores,
    parts_by_span,
    part_ptr,
    span_start,
    end_ptr,
    first,
    last,
    best,
    count,
    span_taken,
    part_taken,
    chosen,
):
    """Writes the parts of the best output, from right to left, and says how many; the four arrays are room to work in.

    For compiled loops in which the scores of a document depend on those before it.
    """
    if first == last:
        return 0
    best[first] = 0.0
    count[first] = 0
    span_taken[first] = -1
    for v in range(first + 1, last):
        best[v] = best[v - 1]
        count[v] = count[v - 1]
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
            if value > best[v] or (value == best[v] and count[u] + 1 < count[v]):
                best[v] = value
                count[v] = count[u] + 1
                span_taken[v] = span
                part_taken[v] = top_part
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


@njit(cache=True, nogil=True)
def forward_backward(  # type: ignore[no-untyped-def]
    scores, parts_by_span, part_ptr, span_start, span_end, end_ptr, spans_by_start, start_ptr, position_ptr
):
    n_spans = len(span_start)
    n_positions = len(end_ptr) - 1
    probability = np.zeros(len(scores))
    weight = np.empty(n_spans)
    whole = np.ones(n_spans)
    # log of the sum over the parts of a span; what each part adds to the sum is kept for the end.
    for span in range(n_spans):
        begin, end = part_ptr[span], part_ptr[span + 1]
        first = parts_by_span[begin]
        in_a_row = parts_by_span[end - 1] - first == end - 1 - begin
        top = -np.inf
        for i in range(begin, end):
            score = scores[first + i - begin if in_a_row else parts_by_span[i]]
            if score > top:
                top = score
        if top == -np.inf:
            weight[span] = -np.inf
            continue
        total = 0.0
        for i in range(begin, end):
            p = first + i - begin if in_a_row else parts_by_span[i]
            share = np.exp(scores[p] - top)
            probability[p] = share
            total += share
        weight[span] = top + np.log(total)
        whole[span] = total

    forward = np.zeros(n_positions)
    backward = np.zeros(n_positions)
    log_z = np.zeros(len(position_ptr) - 1)
    for d in range(len(position_ptr) - 1):
        first, last = position_ptr[d], position_ptr[d + 1]
        if first == last:
            continue
        # Both directions in one loop: each waits for its own last result, not for the other's.
        for step in range(1, last - first):
            v, w = first + step, last - 1 - step
            top = forward[v - 1]
            for span in range(end_ptr[v], end_ptr[v + 1]):
                top = max(top, forward[span_start[span]] + weight[span])
            total = np.exp(forward[v - 1] - top)
            for span in range(end_ptr[v], end_ptr[v + 1]):
                total += np.exp(forward[span_start[span]] + weight[span] - top)
            other_top = backward[w + 1]
            for i in range(start_ptr[w], start_ptr[w + 1]):
                span = spans_by_start[i]
                other_top = max(other_top, weight[span] + backward[span_end[span]])
            other_total = np.exp(backward[w + 1] - other_top)
            for i in range(start_ptr[w], start_ptr[w + 1]):
                span = spans_by_start[i]
                other_total += np.exp(weight[span] + backward[span_end[span]] - other_top)
            forward[v] = top + np.log(total)
            backward[w] = other_top + np.log(other_total)
        log_z[d] = forward[last - 1]
        for span in range(end_ptr[first], end_ptr[last]):
            on = np.exp(forward[span_start[span]] + weight[span] + backward[span_end[span]] - log_z[d])
            # Rounding may carry a certain part past 1.
            factor = min(on, 1.0) / whole[span]
            begin, end = part_ptr[span], part_ptr[span + 1]
            head = parts_by_span[begin]
            in_a_row = parts_by_span[end - 1] - head == end - 1 - begin
            for i in range(begin, end):
                probability[head + i - begin if in_a_row else parts_by_span[i]] *= factor
    return log_z, probability


@njit(cache=True, nogil=True)
def k_best_lists(scores, parts_by_span, part_ptr, span_start, end_ptr, k):  # type: ignore[no-untyped-def]
    """For every position the k best outputs before it: value, last part (or -1), and the entry they extend."""
    n_positions = max(len(end_ptr) - 1, 1)
    values = np.full((n_positions, k), -np.inf)
    counts = np.zeros((n_positions, k), np.int64)
    part = np.full((n_positions, k), -1, np.int64)
    node = np.zeros((n_positions, k), np.int64)
    rank = np.zeros((n_positions, k), np.int64)
    values[0, 0] = 0.0
    for v in range(1, n_positions):
        n = 0
        while n < k and values[v - 1, n] > -np.inf:
            values[v, n] = values[v - 1, n]
            counts[v, n] = counts[v - 1, n]
            node[v, n] = v - 1
            rank[v, n] = n
            n += 1
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
                    if n < k:
                        n += 1
                    place = n - 1
                    while place > 0 and _precedes(value, size, values[v, place - 1], counts[v, place - 1]):
                        values[v, place] = values[v, place - 1]
                        counts[v, place] = counts[v, place - 1]
                        part[v, place] = part[v, place - 1]
                        node[v, place] = node[v, place - 1]
                        rank[v, place] = rank[v, place - 1]
                        place -= 1
                    values[v, place] = value
                    counts[v, place] = size
                    part[v, place] = p
                    node[v, place] = u
                    rank[v, place] = j
    return values, part, node, rank


@njit(cache=True, nogil=True)
def _precedes(value, size, other_value, other_size):  # type: ignore[no-untyped-def]
    return value > other_value or (value == other_value and size < other_size)
