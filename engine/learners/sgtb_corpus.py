"""Passes over many documents: gradients for the next tree, and decoding. Compiled; resumable when the cache is full."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from engine.learners.sgtb_pools import add_trees, find, mix
from engine.learners.sgtb_search import (
    FREE,
    GOLD_PATH,
    SKIPPED,
    points_of_sequences,
    points_of_steps,
    search,
)
from engine.structures.beam import NIL_ROW, Beam, log_total, read_out, room, top_probability


class Both(NamedTuple):
    """Where both directions keep their beams and, by row and by mention, the best scores that the other one adds."""

    forward: Beam
    backward: Beam
    none: Any
    none_nil: Any
    best: Any
    best_nil: Any
    back: Any
    back_nil: Any


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
        np.zeros(n),
        np.zeros(m),
        np.zeros(n),
        np.zeros(m),
        np.zeros(n),
        np.zeros(m),
    )


@njit(cache=True, nogil=True)
def search_both(  # type: ignore[no-untyped-def]
    mentions, reverse, data, pairs, pair_base, n_slots, forest, cache, epoch, mode, rounds, width, nil, both
):
    """Forward, then `rounds` times backward with forward's best as its future, and between those forward again.

    Returns the number of steps that the last forward search made.
    """
    n_steps = search(
        mentions, data, pairs, pair_base, n_slots, forest, cache, epoch, mode, 0, width, nil,
        both.none, both.none_nil, both.forward, both.best, both.best_nil,
    )  # fmt: skip
    for r in range(rounds):
        if r > 0:
            n_steps = search(
                mentions, data, pairs, pair_base, n_slots, forest, cache, epoch, mode, 0, width, nil,
                both.back, both.back_nil, both.forward, both.best, both.best_nil,
            )  # fmt: skip
        search(
            reverse, data, pairs, pair_base, n_slots, forest, cache, epoch, mode, 1, width, nil,
            both.best, both.best_nil, both.backward, both.back, both.back_nil,
        )  # fmt: skip
    return n_steps


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
    rounds,
    width,
    out_rows,
    out_codes,
    out_residuals,
    out_counts,
):
    """Gradient points of documents[begin:]; returns the position to go on from once the cache has more room.

    `rounds` 0 searches forward only; n searches n times in both directions and takes the points of the last two passes.
    `out_counts` receives the points per document and, scaled, the loss.
    """
    row_offsets, gold = data.row_offsets, data.gold
    both = room_for_both(document_offsets, data, width)
    # Typed, so that what it is passed to is compiled for one type and not for the literal as well.
    n_out = np.int64(0)
    for i in range(begin):
        n_out += int(out_counts[i, 0])
    for i in range(begin, len(documents)):
        d = documents[i]
        m0, m1 = document_offsets[d], document_offsets[d + 1]
        if not fits(cache, row_offsets[m1] - row_offsets[m0], m1 - m0, width, max(1, 2 * rounds)):
            return i
        mentions = np.empty(m1 - m0, dtype=np.int64)
        n = 0
        for j in range(m0, m1):
            if gold[order[j]] != SKIPPED:
                mentions[n] = order[j]
                n += 1
        mentions = mentions[:n]
        reverse = mentions[::-1].copy()
        started = n_out
        n_steps = search_both(
            mentions, reverse, data, pairs, pair_offsets[d], n_slots[d], forest, cache, epoch, mode, rounds, width,
            both.none_nil, both,
        )  # fmt: skip
        if mode == GOLD_PATH:
            n_out, loss = points_of_steps(
                mentions, data, cache, both.forward, n_steps, out_rows, out_codes, out_residuals, n_out
            )
        else:
            n_out, loss = points_of_sequences(
                mentions, data, cache, both.forward, n_steps, out_rows, out_codes, out_residuals, n_out
            )
        if rounds > 0:
            n_out, backward_loss = points_of_steps(
                reverse, data, cache, both.backward, n, out_rows, out_codes, out_residuals, n_out
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
    rounds,
    width,
    nil,
    chosen,
    confidence,
    totals,
):
    """The best sequence of documents[begin:]: a row per mention (or NIL) and its probability within the final beam."""
    row_offsets = data.row_offsets
    mode = np.int64(FREE)
    both = room_for_both(document_offsets, data, width)
    for i in range(begin, len(documents)):
        d = documents[i]
        m0, m1 = document_offsets[d], document_offsets[d + 1]
        if not fits(cache, row_offsets[m1] - row_offsets[m0], m1 - m0, width, max(1, 2 * rounds)):
            return i
        n = m1 - m0
        if n == 0:
            continue
        mentions = order[m0:m1].copy()
        reverse = mentions[::-1].copy()
        search_both(
            mentions, reverse, data, pairs, pair_offsets[d], n_slots[d], forest, cache, epoch, mode, rounds, width,
            nil, both,
        )  # fmt: skip
        # The sequence with the higher conditional probability within its own beam (end of section 3.2).
        if rounds > 0 and top_probability(both.backward, n) > top_probability(both.forward, n):
            totals[d] = read_out(reverse, both.backward, n, chosen, confidence)
        else:
            totals[d] = read_out(mentions, both.forward, n, chosen, confidence)
    return len(documents)
