"""Passes over many documents: gradients for the next tree, and decoding. Compiled; resumable when the cache is full."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from engine.learners.sgtb.pools import add_trees, find, mix
from engine.learners.sgtb.search import FREE, GOLD_PATH, SKIPPED, Data, points_of_sequences, points_of_steps, search
from engine.structures.beam import NIL_ROW, Beam, log_total, read_out, room, write_sequence


class Both(NamedTuple):
    """Room for both directions: their beams, a beam of one sequence, and by row and by mention: zeros, the best scores
    that each direction found, and what alone is allowed when a given sequence is scored."""

    forward: Beam
    backward: Beam
    single: Beam
    none: Any
    none_nil: Any
    best: Any
    best_nil: Any
    back: Any
    back_nil: Any
    only: Any
    only_nil: Any


@njit(cache=True, nogil=True)
def largest(document_offsets, row_offsets):  # type: ignore[no-untyped-def]
    """Most mentions and most rows of a document."""
    n_steps = 0
    n_rows = 0
    for d in range(len(document_offsets) - 1):
        n_steps = max(n_steps, document_offsets[d + 1] - document_offsets[d])
        n_rows = max(n_rows, row_offsets[document_offsets[d + 1]] - row_offsets[document_offsets[d]])
    return n_steps, n_rows


@njit(cache=True, nogil=True)
def fits(cache, n_rows, n_mentions, width, passes):  # type: ignore[no-untyped-def]
    """Whether the cache has room for everything one document may add."""
    new_rows = (width + 1) * n_rows * passes
    new_keys = (width + 1) * n_mentions * passes
    return cache.counters[0] + new_rows <= len(cache.scores) and 2 * (cache.counters[1] + new_keys) <= len(cache.keys)


@njit(cache=True, nogil=True)
def room_for_both(document_offsets, data, width):  # type: ignore[no-untyped-def]
    most_steps, most_rows = largest(document_offsets, data.row_offsets)
    n, m = len(data.slot), len(data.gold)
    return Both(
        room(most_steps, most_rows, width),
        room(most_steps, most_rows, width),
        room(most_steps, most_rows, np.int64(1)),
        np.zeros(n),
        np.zeros(m),
        np.zeros(n),
        np.zeros(m),
        np.zeros(n),
        np.zeros(m),
        np.zeros(n, np.bool_),
        np.zeros(m, np.bool_),
    )


@njit(cache=True, nogil=True)
def score_given(  # type: ignore[no-untyped-def]
    mentions, rows, data, pairs, pair_base, n_slots, forest, cache, epoch, backward, nil, both
):
    """The score of one sequence in one direction: a search in which nothing else is allowed."""
    for t in range(len(mentions)):
        if rows[t] == NIL_ROW:
            both.only_nil[mentions[t]] = True
        else:
            both.only[rows[t]] = True
    given = Data(data.row_offsets, data.codes, data.slot, data.surface, data.gold, both.only, both.only_nil)
    search(
        mentions, given, pairs, pair_base, n_slots, forest, cache, epoch, np.int64(FREE), backward, np.int64(1), nil,
        both.none, both.none_nil, both.single, both.best, both.best_nil,
    )  # fmt: skip
    for t in range(len(mentions)):
        if rows[t] == NIL_ROW:
            both.only_nil[mentions[t]] = False
        else:
            both.only[rows[t]] = False
    return both.single.scores[len(mentions) - 1, 0]


@njit(cache=True, nogil=True)
def best_of_both(  # type: ignore[no-untyped-def]
    mentions, reverse, data, pairs, pair_base, n_slots, forest, cache, epoch, weight, nil, both, chosen, confidence
):
    """Write the best of all sequences that either direction ended with, by forward plus weighted backward score.

    Confidence is the share of these sequences' probability that agrees. Returns the best one's score.
    """
    forward, backward = np.int64(0), np.int64(1)
    n = len(mentions)
    n_forward, n_backward = both.forward.n_kept[n - 1], both.backward.n_kept[n - 1]
    sequences = np.empty((n_forward + n_backward, n), np.int64)
    scores = np.empty(n_forward + n_backward)
    n_found = 0
    for k in range(n_forward + n_backward):
        rows = sequences[n_found]
        if k < n_forward:
            write_sequence(both.forward, n, k, rows)
        else:
            write_sequence(both.backward, n, k - n_forward, rows)
            rows[:] = rows[::-1].copy()
            known = False
            for other in range(min(n_found, n_forward)):
                known = known or np.array_equal(sequences[other], rows)
            if known:
                continue
        if k < n_forward:
            one = both.forward.scores[n - 1, k]
            other_way = score_given(
                reverse, rows[::-1].copy(), data, pairs, pair_base, n_slots, forest, cache, epoch, backward, nil, both
            )
        else:
            one = score_given(mentions, rows, data, pairs, pair_base, n_slots, forest, cache, epoch, forward, nil, both)
            other_way = both.backward.scores[n - 1, k - n_forward]
        scores[n_found] = one + weight * other_way
        n_found += 1
    top = np.argmax(scores[:n_found])
    log_z = log_total(scores[:n_found])
    for t in range(n):
        chosen[mentions[t]] = sequences[top, t]
        agreeing = 0.0
        for k in range(n_found):
            if sequences[k, t] == sequences[top, t]:
                agreeing += np.exp(scores[k] - log_z)
        confidence[mentions[t]] = agreeing
    return scores[top]


@njit(cache=True, nogil=True)
def gradients(  # type: ignore[no-untyped-def]
    documents,
    begin,
    document_offsets,
    order,
    data,
    pairs,
    pair_offsets,
    n_slots,
    forest,
    cache,
    epoch,
    mode,
    both_ways,
    width,
    out_rows,
    out_codes,
    out_residuals,
    out_counts,
):
    """Gradient points of documents[begin:]; returns the position to go on from once the cache has more room.

    `both_ways` also searches backward and adds the points of that search.
    `out_counts` receives the points per document and, scaled, the loss.
    """
    row_offsets, gold = data.row_offsets, data.gold
    both = room_for_both(document_offsets, data, width)
    n_out = np.int64(0)
    for i in range(begin):
        n_out += int(out_counts[i, 0])
    for i in range(begin, len(documents)):
        d = documents[i]
        m0, m1 = document_offsets[d], document_offsets[d + 1]
        if not fits(cache, row_offsets[m1] - row_offsets[m0], m1 - m0, width, 2 if both_ways else 1):
            return i
        mentions = np.empty(m1 - m0, dtype=np.int64)
        n = 0
        for j in range(m0, m1):
            if gold[order[j]] != SKIPPED:
                mentions[n] = order[j]
                n += 1
        mentions = mentions[:n]
        started = n_out
        n_steps = search(
            mentions, data, pairs, pair_offsets[d], n_slots[d], forest, cache, epoch, mode, np.int64(0), width,
            both.none_nil, both.none, both.none_nil, both.forward, both.best, both.best_nil,
        )  # fmt: skip
        if mode == GOLD_PATH:
            n_out, loss = points_of_steps(
                mentions, data, cache, both.forward, n_steps, out_rows, out_codes, out_residuals, n_out
            )
        else:
            n_out, loss = points_of_sequences(
                mentions, data, cache, both.forward, n_steps, out_rows, out_codes, out_residuals, n_out
            )
        if both_ways:
            reverse = mentions[::-1].copy()
            search(
                reverse, data, pairs, pair_offsets[d], n_slots[d], forest, cache, epoch, mode, np.int64(1), width,
                both.none_nil, both.none, both.none_nil, both.backward, both.back, both.back_nil,
            )  # fmt: skip
            n_out, backward_loss = points_of_steps(
                reverse, data, cache, both.backward, len(reverse), out_rows, out_codes, out_residuals, n_out
            )
            loss = (loss + backward_loss) / 2
        out_counts[i, 0] = n_out - started
        out_counts[i, 1] = loss
    return len(documents)


@njit(cache=True, nogil=True)
def alone(m, data, forest, cache):  # type: ignore[no-untyped-def]
    """Where the cache holds the scores of a mention's candidates, brought up to date, when nothing else matters."""
    first, last = data.row_offsets[m], data.row_offsets[m + 1]
    n = last - first
    key = mix(np.uint64(1), np.uint64(m + 1)) | np.uint64(1)
    at = find(cache.keys, key)
    if cache.keys[at] == 0:
        cache.keys[at] = key
        cache.starts[at] = cache.counters[0]
        cache.counters[0] += max(n, 1)
        cache.counters[1] += 1
    block = cache.starts[at]
    cache.versions[at] = add_trees(
        cache.scores[block : block + n],
        data.codes[first:last],
        cache.codes[block : block + n],
        forest,
        cache.versions[at],
    )
    return block


@njit(cache=True, nogil=True)
def local_gradients(documents, document_offsets, data, forest, cache, out_rows, out_residuals, out_counts):  # type: ignore[no-untyped-def]
    """Points of decisions that stand alone: every candidate, normalised over the candidates of its mention."""
    n_out = 0
    for i in range(len(documents)):
        d = documents[i]
        started = n_out
        loss = 0.0
        for m in range(document_offsets[d], document_offsets[d + 1]):
            first, last = data.row_offsets[m], data.row_offsets[m + 1]
            gold = data.gold[m]
            if gold < 0:
                continue
            block = alone(m, data, forest, cache)
            log_z = log_total(cache.scores[block : block + last - first])
            loss += log_z - cache.scores[block + gold - first]
            for r in range(first, last):
                out_rows[n_out] = r
                out_residuals[n_out] = (1.0 if r == gold else 0.0) - np.exp(cache.scores[block + r - first] - log_z)
                n_out += 1
        out_counts[i, 0] = n_out - started
        out_counts[i, 1] = loss


@njit(cache=True, nogil=True)
def local_decode(document_offsets, data, forest, cache, nil, chosen, confidence, thresholds, totals):  # type: ignore[no-untyped-def]
    """The best candidate of every mention by itself, or declining; probabilities are within the mention."""
    for d in range(len(document_offsets) - 1):
        for m in range(document_offsets[d], document_offsets[d + 1]):
            first, last = data.row_offsets[m], data.row_offsets[m + 1]
            block = alone(m, data, forest, cache)
            together = log_total(cache.scores[block : block + last - first]) if last > first else 0.0
            top = nil[m] + together if data.nil_allowed[m] else -np.inf
            chosen[m] = NIL_ROW
            log_z = top
            for r in range(first, last):
                if not data.allowed[r]:
                    continue
                score = cache.scores[block + r - first]
                log_z = np.logaddexp(log_z, score)
                # Of equal scores the earlier candidate stays, and any candidate before declining.
                if score > top or (score == top and chosen[m] == NIL_ROW):
                    top = score
                    chosen[m] = r
            thresholds[m] = top - together
            confidence[m] = np.exp(top - log_z)
            totals[d] += top


@njit(cache=True, nogil=True)
def decode(  # type: ignore[no-untyped-def]
    documents,
    begin,
    document_offsets,
    order,
    data,
    pairs,
    pair_offsets,
    n_slots,
    forest,
    cache,
    epoch,
    weight,
    width,
    nil,
    chosen,
    confidence,
    totals,
):
    """The best sequence of documents[begin:]: a row per mention (or NIL) and its probability within the final beam.

    With a weight on the backward direction, that one searches too, looking ahead to the best forward scores.
    """
    row_offsets = data.row_offsets
    mode = np.int64(FREE)
    both = room_for_both(document_offsets, data, width)
    for i in range(begin, len(documents)):
        d = documents[i]
        m0, m1 = document_offsets[d], document_offsets[d + 1]
        # Scoring the sequences of one direction in the other takes as much room as another search.
        if not fits(cache, row_offsets[m1] - row_offsets[m0], m1 - m0, width, 4 if weight > 0 else 1):
            return i
        n = m1 - m0
        if n == 0:
            continue
        mentions = order[m0:m1].copy()
        search(
            mentions, data, pairs, pair_offsets[d], n_slots[d], forest, cache, epoch, mode, np.int64(0), width, nil,
            both.none, both.none_nil, both.forward, both.best, both.best_nil,
        )  # fmt: skip
        if weight == 0:
            totals[d] = read_out(mentions, both.forward, n, chosen, confidence)
            continue
        reverse = mentions[::-1].copy()
        search(
            reverse, data, pairs, pair_offsets[d], n_slots[d], forest, cache, epoch, mode, np.int64(1), width, nil,
            both.best, both.best_nil, both.backward, both.back, both.back_nil,
        )  # fmt: skip
        totals[d] = best_of_both(
            mentions, reverse, data, pairs, pair_offsets[d], n_slots[d], forest, cache, epoch, weight, nil, both,
            chosen, confidence,
        )  # fmt: skip
    return len(documents)
