"""Beams: the best few sequences of decisions, step by step, whoever scores them.

A step offers options [first, first + n) and declining (NIL_ROW); its expansions are every kept sequence with every
option. Arrays hold all steps of a search, so that what it did can be read afterwards: `rows[t, k]` is the option that
the k-th kept sequence took at step t, `parents[t, k]` the sequence it extends. Probabilities are within the beam,
which stands for all sequences (Yang, Irsoy and Rahman 2018, section 3).
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numba import njit

NIL_ROW: Final = -1
"""Declining, where an option stands otherwise."""


class Beam(NamedTuple):
    """What a search did: per step the kept sequences [step, k], and the scores of all expansions before pruning."""

    parents: Any
    rows: Any
    scores: Any
    hashes: Any
    blocks: Any
    n_kept: Any
    gold_at: Any
    fell: Any
    expansions: Any
    offsets: Any


@njit(cache=True, nogil=True)
def room(n_steps, n_rows, width):  # type: ignore[no-untyped-def]
    """Fresh arrays for the beam of one document."""
    wide = width + 1
    return Beam(
        np.zeros((n_steps, wide), dtype=np.int64),
        np.zeros((n_steps, wide), dtype=np.int64),
        np.zeros((n_steps, wide), dtype=np.float64),
        np.zeros((n_steps, wide), dtype=np.uint64),
        np.zeros((n_steps, wide), dtype=np.int64),
        np.zeros(n_steps, dtype=np.int64),
        np.zeros(n_steps, dtype=np.int64),
        np.zeros(n_steps, dtype=np.int64),
        np.zeros(wide * (n_rows + n_steps), dtype=np.float64),
        np.zeros(n_steps + 1, dtype=np.int64),
    )


@njit(cache=True, nogil=True)
def keep_best(beam, t, n_live, live_from, first, n, width, future, future_nil, values):  # type: ignore[no-untyped-def]
    """Keep the best `width` expansions of a step; of equal ones the earlier parent and option stay. Returns how many.

    An expansion is ranked by its score and what the future promises its option; -inf is forbidden.
    """
    start = beam.offsets[t]
    wide = n + 1
    kept = 0
    for e in range(n_live * wide):
        value = beam.expansions[start + e]
        if value == -np.inf:
            continue
        c = e % wide
        value += future[c] if c < n else future_nil
        if kept == width and value <= values[width - 1]:
            continue
        place = kept if kept < width else width - 1
        while place > 0 and value > values[place - 1]:
            values[place] = values[place - 1]
            beam.parents[t, place] = beam.parents[t, place - 1]
            beam.rows[t, place] = beam.rows[t, place - 1]
            place -= 1
        values[place] = value
        beam.parents[t, place] = live_from + e // wide
        beam.rows[t, place] = first + c if c < n else NIL_ROW
        if kept < width:
            kept += 1
    return kept


@njit(cache=True, nogil=True)
def log_total(values):  # type: ignore[no-untyped-def]
    """log sum exp."""
    top = -np.inf
    for value in values:
        if value > top:
            top = value
    if top == -np.inf:
        return top
    total = 0.0
    for value in values:
        total += np.exp(value - top)
    return top + np.log(total)


@njit(cache=True, nogil=True)
def top_of(beam, n_steps):  # type: ignore[no-untyped-def]
    """The highest-scoring sequence of the last step (with a future in play the first kept need not be it)."""
    scores, n_kept = beam.scores, beam.n_kept
    top = 0
    for k in range(1, n_kept[n_steps - 1]):
        if scores[n_steps - 1, k] > scores[n_steps - 1, top]:
            top = k
    return top


@njit(cache=True, nogil=True)
def write_sequence(beam, n_steps, k, rows):  # type: ignore[no-untyped-def]
    """The options of the k-th final sequence, step by step."""
    for t in range(n_steps - 1, -1, -1):
        rows[t] = beam.rows[t, k]
        k = beam.parents[t, k]


@njit(cache=True, nogil=True)
def read_out(mentions, beam, n_steps, chosen, confidence):  # type: ignore[no-untyped-def]
    """Write the best sequence and, for every decision, the share of the final beam that agrees with it."""
    parents, rows, scores, n_kept = beam.parents, beam.rows, beam.scores, beam.n_kept
    top = top_of(beam, n_steps)
    last = scores[n_steps - 1, : n_kept[n_steps - 1]]
    log_z = log_total(last)
    k = top
    for t in range(n_steps - 1, -1, -1):
        chosen[mentions[t]] = rows[t, k]
        confidence[mentions[t]] = 0.0
        k = parents[t, k]
    for final in range(len(last)):
        share = np.exp(last[final] - log_z)
        k = final
        for t in range(n_steps - 1, -1, -1):
            if rows[t, k] == chosen[mentions[t]]:
                confidence[mentions[t]] += share
            k = parents[t, k]
    return last[top]
