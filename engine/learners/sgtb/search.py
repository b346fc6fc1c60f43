"""Beam search over the decisions of a document, and the functional gradients it gives.

Yang, Irsoy and Rahman 2018: Eq. 1-2 (the model), Eq. 6 (gradients p(y_1:t | x) - 1[y_1:t is gold]), section 3.1
(early update, LaSO, gold path) and Algorithm 1 (both directions). Declining (NIL) has given log-odds against the
candidates of its mention taken together, enters no history and has no factor to learn. Every function is compiled and
works on one document.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numba import njit

from engine.learners.sgtb.pools import add_trees, find, mix, pool
from engine.structures.beam import keep_best, log_total

FREE: Final = 0
"""Search as at prediction: gold is not looked at."""
GOLD_PATH: Final = 1
"""The gold prefix is kept in the beam at every step (BSG)."""
EARLY: Final = 2
"""Stop where the gold prefix falls out (BS)."""
LASO: Final = 3
"""Where the gold prefix falls out, go on from gold alone."""

SKIPPED: Final = -2
"""Gold of a mention that takes no part in training."""


class Data(NamedTuple):
    """The candidates of many documents (see sgtb_blocks.Choices)."""

    row_offsets: Any
    codes: Any
    slot: Any
    surface: Any
    gold: Any
    allowed: Any
    nil_allowed: Any


@njit(cache=True, nogil=True)
def search(  # type: ignore[no-untyped-def]
    mentions,
    data,
    pairs,
    pair_base,
    n_slots,
    forest,
    cache,
    epoch,
    mode,
    backward,
    width,
    nil,
    future,
    future_nil,
    beam,
    best,
    best_nil,
):
    """One pass over the mentions in the given order; returns the number of steps made. `backward` (0 or 1) is the
    direction that the order stands for.

    `beam` receives parents, rows, scores, keys, blocks and all expansions of every step; `best` for every row the best
    score of a sequence that ends in it, which the other direction adds as its future.
    """
    n_steps = len(mentions)
    history = np.empty(n_steps, dtype=np.int64)
    surfaces = np.empty(n_steps, dtype=np.int64)
    values = np.empty(width)
    # Trees may ask for the direction, so the two do not share what they remember.
    empty = np.uint64(1 + backward)
    n_live: Any = np.int64(1)
    live_from: Any = np.int64(0)
    beam.offsets[0] = 0
    for t in range(n_steps):
        m = mentions[t]
        first, last = data.row_offsets[m], data.row_offsets[m + 1]
        n = last - first
        wide = n + 1
        start = beam.offsets[t]
        beam.offsets[t + 1] = start + n_live * wide
        for r in range(first, last):
            best[r] = -np.inf
        best_nil[m] = -np.inf
        beam.n_kept[t] = 0
        for h in range(n_live):
            source = live_from + h
            prefix = beam.hashes[t - 1, source] if t > 0 else empty
            so_far = beam.scores[t - 1, source] if t > 0 else 0.0
            key = mix(prefix, np.uint64(m + 1)) | np.uint64(1)
            at = find(cache.keys, key)
            if cache.keys[at] == 0:
                cache.keys[at] = key
                cache.starts[at] = cache.counters[0]
                cache.versions[at] = 0
                # Empty blocks take a row too: no two blocks start at the same place.
                cache.counters[0] += max(n, 1)
                cache.counters[1] += 1
                n_history = 0
                if pairs.shape[1] > 0:
                    k, step = source, t - 1
                    while step >= 0:
                        if beam.rows[step, k] >= 0:
                            history[n_history] = data.slot[beam.rows[step, k]]
                            surfaces[n_history] = data.surface[mentions[step]]
                            n_history += 1
                        k = beam.parents[step, k]
                        step -= 1
                    for i in range(n_history // 2):
                        j = n_history - 1 - i
                        history[i], history[j] = history[j], history[i]
                        surfaces[i], surfaces[j] = surfaces[j], surfaces[i]
                    pool(
                        cache.codes[cache.starts[at] : cache.starts[at] + n],
                        first,
                        last,
                        data.slot,
                        data.surface[m],
                        history,
                        surfaces,
                        n_history,
                        pairs,
                        pair_base,
                        n_slots,
                        backward,
                    )
                for c in range(n):
                    cache.scores[cache.starts[at] + c] = 0.0
            block = cache.starts[at]
            cache.stamps[at] = epoch
            cache.versions[at] = add_trees(
                cache.scores[block : block + n],
                data.codes[first:last],
                cache.codes[block : block + n],
                forest,
                cache.versions[at],
            )
            beam.blocks[t, source] = block
            for c in range(n):
                r = first + c
                total = so_far + cache.scores[block + c] if data.allowed[r] else -np.inf
                beam.expansions[start + h * wide + c] = total
                if total > best[r]:
                    best[r] = total
            # Declining has odds of its own against all candidates together.
            total = so_far + nil[m] + (log_total(cache.scores[block : block + n]) if n > 0 else 0.0)
            if not data.nil_allowed[m]:
                total = -np.inf
            beam.expansions[start + h * wide + n] = total
            if total > best_nil[m]:
                best_nil[m] = total
        kept = keep_best(beam, t, n_live, live_from, first, n, width, future[first:last], future_nil[m], values)
        beam.gold_at[t] = -1
        beam.fell[t] = 0
        if mode != FREE:
            before = beam.gold_at[t - 1] if t > 0 else 0
            for k in range(kept):
                if beam.parents[t, k] == before and beam.rows[t, k] == data.gold[m]:
                    beam.gold_at[t] = k
            if beam.gold_at[t] < 0:
                beam.parents[t, kept] = before
                beam.rows[t, kept] = data.gold[m]
                beam.gold_at[t] = kept
                kept += 1
                beam.fell[t] = 1
        for k in range(kept):
            h = beam.parents[t, k] - live_from
            c = beam.rows[t, k] - first if beam.rows[t, k] >= 0 else n
            beam.scores[t, k] = beam.expansions[start + h * wide + c]
            if pairs.shape[1] == 0:
                beam.hashes[t, k] = empty
            elif beam.rows[t, k] >= 0:
                prefix = beam.hashes[t - 1, beam.parents[t, k]] if t > 0 else empty
                beam.hashes[t, k] = mix(prefix, np.uint64(beam.rows[t, k] + 2))
            else:
                beam.hashes[t, k] = beam.hashes[t - 1, beam.parents[t, k]] if t > 0 else empty
        beam.n_kept[t] = kept
        n_live, live_from = kept, 0
        if beam.fell[t] and mode == EARLY:
            return t + 1
        if beam.fell[t] and mode == LASO:
            live_from, n_live = beam.gold_at[t], 1
    return n_steps


@njit(cache=True, nogil=True)
def points_of_steps(mentions, data, cache, beam, n_steps, out_rows, out_codes, out_residuals, n_out):  # type: ignore[no-untyped-def]
    """A gradient point for every sequence of every step's beam; returns (points, loss summed over steps).

    Probabilities are those of the direction's own scores: what the other direction adds decides who is kept. Putting it
    into the probabilities as well counts every candidate's own features twice, and training swings.
    """
    loss = 0.0
    for t in range(n_steps):
        m = mentions[t]
        first = data.row_offsets[m]
        log_z = log_total(beam.scores[t, : beam.n_kept[t]])
        loss += log_z - beam.scores[t, beam.gold_at[t]]
        for k in range(beam.n_kept[t]):
            r = beam.rows[t, k]
            if r < 0:
                continue
            out_rows[n_out] = r
            source = beam.blocks[t, beam.parents[t, k]] + r - first
            for f in range(out_codes.shape[1]):
                out_codes[n_out, f] = cache.codes[source, f]
            out_residuals[n_out] = (1.0 if k == beam.gold_at[t] else 0.0) - np.exp(beam.scores[t, k] - log_z)
            n_out += 1
    return n_out, loss


@njit(cache=True, nogil=True)
def points_of_sequences(mentions, data, cache, beam, n_steps, out_rows, out_codes, out_residuals, n_out):  # type: ignore[no-untyped-def]
    """Gradient points of whole sequences, taken where gold fell out and at the end (BS, LaSO).

    A factor that several sequences share gets the sum of their probabilities, handed down from the last step.
    """
    loss = 0.0
    mass = np.zeros((n_steps, beam.scores.shape[1]))
    begin = 0
    for end in range(n_steps):
        if not beam.fell[end] and end < n_steps - 1:
            continue
        log_z = log_total(beam.scores[end, : beam.n_kept[end]])
        loss += log_z - beam.scores[end, beam.gold_at[end]]
        for t in range(begin, end + 1):
            for k in range(mass.shape[1]):
                mass[t, k] = 0.0
        for k in range(beam.n_kept[end]):
            mass[end, k] = np.exp(beam.scores[end, k] - log_z)
        for t in range(end, begin, -1):
            for k in range(beam.n_kept[t]):
                mass[t - 1, beam.parents[t, k]] += mass[t, k]
        for t in range(begin, end + 1):
            first = data.row_offsets[mentions[t]]
            for k in range(beam.n_kept[t]):
                r = beam.rows[t, k]
                if r < 0 or (mass[t, k] == 0.0 and k != beam.gold_at[t]):
                    continue
                out_rows[n_out] = r
                source = beam.blocks[t, beam.parents[t, k]] + r - first
                for f in range(out_codes.shape[1]):
                    out_codes[n_out, f] = cache.codes[source, f]
                out_residuals[n_out] = (1.0 if k == beam.gold_at[t] else 0.0) - mass[t, k]
                n_out += 1
        begin = end + 1
    return n_out, loss
