"""Beam search over the decisions of one document.

Yang, Irsoy and Rahman 2018: Eq. 1-2 (the model), section 3.1 (early update, LaSO, gold path). Declining (NIL) has given
log-odds against the candidates of its mention taken together, enters no history and has no factor to learn. Every
kernel works on one document.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from engine.arrays import Bytes, Flags, Floats, Int, Ints, Words
from engine.hashing import mix
from engine.kernels import inlined, kernel, part
from engine.learners.sgtb.pools import Links, Past, Remembered, Trees, add_trees, find, pool, take_place
from engine.structures.beam import Ahead, Beam, Step, keep_best, log_total, take_over

FREE: Final = 0
"""Search as in prediction, without looking at gold."""
GOLD_PATH: Final = 1
"""The gold prefix is kept in the beam at every step (BSG)."""
EARLY: Final = 2
"""Stop when the gold prefix falls out (BS)."""
LASO: Final = 3
"""When the gold prefix falls out, continue from gold alone."""

FORWARD: Final = 0
BACKWARD: Final = 1

SKIPPED: Final = -2
"""Gold of a mention that is not used in training."""


class Data(NamedTuple):
    """The candidates of many documents (see choices.Choices)."""

    row_offsets: Ints
    codes: Bytes
    slot: Ints
    surface: Ints
    gold: Ints
    allowed: Flags
    nil_allowed: Flags


class Memory(NamedTuple):
    """The trees so far, the cached scores, and the current epoch."""

    forest: Trees
    cache: Remembered
    epoch: Int


class Problem(NamedTuple):
    """One search: the mentions in the order in which they are decided, the direction of that order, and the policy for
    the gold prefix (FREE, GOLD_PATH, EARLY, LASO)."""

    mentions: Ints
    data: Data
    links: Links
    memory: Memory
    mode: Int
    backward: Int


class Odds(NamedTuple):
    """Log-odds of declining for each mention, and the other direction's scores for every row and for declining."""

    nil: Floats
    future: Floats
    future_nil: Floats


class Best(NamedTuple):
    """For every row, and for declining every mention, the best score of a sequence that ends in it, which the other
    direction adds as its look-ahead."""

    rows: Floats
    nil: Floats


@part
def beam_search(problem: Problem, odds: Odds, beam: Beam, best: Best) -> int:
    """One pass over the mentions; returns the number of steps made.

    `beam` receives parents, rows, scores, keys, blocks and all expansions of every step.
    """
    mentions, data, cache, forest = problem.mentions, problem.data, problem.memory.cache, problem.memory.forest
    keys, starts, versions, stamps, scores = cache.keys, cache.starts, cache.versions, cache.stamps, cache.scores
    row_offsets, slot, surface, own_codes = data.row_offsets, data.slot, data.surface, data.codes
    allowed, nil_allowed, links, pooled_codes = data.allowed, data.nil_allowed, problem.links, cache.codes
    offsets, expansions, blocks, fell = beam.offsets, beam.expansions, beam.blocks, beam.fell
    mode, epoch, backward = problem.mode, problem.memory.epoch, problem.backward
    n_live: Int = np.int64(1)
    live_from: Int = np.int64(0)
    offsets[0] = 0
    for t in range(len(mentions)):
        m = mentions[t]
        first, last = row_offsets[m], row_offsets[m + 1]
        n = last - first
        step = Step(t, first, n, n_live, live_from)
        start = offsets[t]
        offsets[t + 1] = start + n_live * (n + 1)
        best_rows, own, may = best.rows[first:last], own_codes[first:last], allowed[first:last]
        best_rows[:] = -np.inf
        best.nil[m] = -np.inf
        for h in range(n_live):
            source = live_from + h
            so_far = beam.scores[t - 1, source] if t > 0 else 0.0
            key = mix(prefix_before(beam.hashes, t, source, backward), np.uint64(m + 1)) | np.uint64(1)
            at = find(keys, key)
            if keys[at] == 0:
                take_place(cache, key, at, n)
                if links.pairs.shape[1] > 0:
                    past = history(beam.rows, beam.parents, mentions, slot, surface, t, source)
                    codes = pooled_codes[starts[at] : starts[at] + n]
                    pool(codes, slot[first:last], surface[m], past, links, backward)
            block = starts[at]
            blocks[t, source], stamps[at] = block, epoch
            factors = scores[block : block + n]
            versions[at] = add_trees(factors, own, pooled_codes[block : block + n], forest, versions[at])
            at_h = start + h * (n + 1)
            expand(so_far, factors, may, expansions[at_h : at_h + n], best_rows)
            declined = decline(so_far + odds.nil[m], factors) if nil_allowed[m] else -np.inf
            expansions[at_h + n] = declined
            best.nil[m] = max(best.nil[m], declined)
        ahead = Ahead(odds.future[first:last], odds.future_nil[m])
        kept: Int = keep_best(expansions[start : offsets[t + 1]], n, ahead, beam.selection)
        take_over(beam, step, kept)
        beam.gold_at[t] = -1
        fell[t] = 0
        if mode != FREE:
            kept = keep_gold(beam, t, kept, data.gold[m])
        write_down(problem, beam, step, kept)
        n_live, live_from = kept, np.int64(0)
        if mode == EARLY and fell[t]:
            return t + 1
        if mode == LASO and fell[t]:
            n_live, live_from = np.int64(1), beam.gold_at[t]
    return len(mentions)


@inlined
def prefix_before(hashes: Words, t: Int, source: Int, backward: Int) -> np.uint64:
    """The hash of the sequence that a step extends. Trees may use the direction, so the two directions do not share
    cached scores."""
    return np.uint64(hashes[t - 1, source]) if t > 0 else np.uint64(1 + backward)


@kernel
def search_once(problem: Problem, odds: Odds, beam: Beam, best: Best) -> int:
    """The same for a caller in Python."""
    return beam_search(problem, odds, beam, best)


@part
def history(rows: Ints, parents: Ints, mentions: Ints, slot: Ints, surface: Ints, t: Int, source: Int) -> Past:
    """The decisions of a sequence before step t, in order, without declining."""
    slots, surfaces = np.empty(t, dtype=np.int64), np.empty(t, dtype=np.int64)
    # They are visited from last to first, so they are written from the end to be in order.
    begin = t
    k = source
    for earlier in range(t - 1, -1, -1):
        row = rows[earlier, k]
        if row >= 0:
            begin -= 1
            slots[begin] = slot[row]
            surfaces[begin] = surface[mentions[earlier]]
        k = parents[earlier, k]
    return Past(slots[begin:], surfaces[begin:])


@inlined
def expand(so_far: float, factors: Floats, allowed: Flags, expansions: Floats, best: Floats) -> None:
    """Scores of a sequence extended by every candidate, and the best score so far for each."""
    for c in range(len(factors)):
        total = so_far + factors[c] if allowed[c] else -np.inf
        expansions[c] = total
        if total > best[c]:
            best[c] = total


@inlined
def decline(before: float, factors: Floats) -> float:
    """The score of declining, which has odds of its own against all candidates together."""
    return before + (log_total(factors) if len(factors) > 0 else 0.0)


@inlined
def keep_gold(beam: Beam, t: Int, kept: Int, gold: Int) -> Int:
    """Record the position of the gold sequence; if it fell out, it is added to the others. Returns the new number of
    sequences."""
    parents, rows, gold_at = beam.parents, beam.rows, beam.gold_at
    before = gold_at[t - 1] if t > 0 else np.int64(0)
    for k in range(kept):
        if parents[t, k] == before and rows[t, k] == gold:
            gold_at[t] = k
    if gold_at[t] < 0:
        parents[t, kept] = before
        rows[t, kept] = gold
        gold_at[t] = kept
        kept += 1
        beam.fell[t] = 1
    return kept


@inlined
def write_down(problem: Problem, beam: Beam, step: Step, kept: Int) -> None:
    """Record the scores and hashes of the sequences that a step keeps."""
    parents, rows, scores, hashes, expansions = beam.parents, beam.rows, beam.scores, beam.hashes, beam.expansions
    t, wide, start = step.t, step.n + 1, beam.offsets[step.t]
    pooled = problem.links.pairs.shape[1] > 0
    for k in range(kept):
        parent, row = parents[t, k], rows[t, k]
        c = row - step.first if row >= 0 else step.n
        scores[t, k] = expansions[start + (parent - step.live_from) * wide + c]
        prefix = prefix_before(hashes, t, parent, problem.backward) if pooled else np.uint64(1 + problem.backward)
        hashes[t, k] = mix(prefix, np.uint64(row + 2)) if pooled and row >= 0 else prefix
    beam.n_kept[t] = kept
