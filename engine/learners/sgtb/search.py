"""Beam search over the decisions of one document.

Yang, Irsoy and Rahman 2018: Eq. 1-2 (the model), section 3.1 (early update, LaSO, gold path). Declining (NIL) has given
log-odds against the candidates of its mention taken together, enters no history and has no factor to learn. Every
kernel works on one document.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from engine.arrays import Bytes, Flags, Floats, Int, Ints
from engine.hashing import mix
from engine.kernels import kernel
from engine.learners.sgtb.pools import Links, Past, Remembered, Trees, add_trees, find, pool, take_place
from engine.structures.beam import Ahead, Beam, Step, keep_best, log_total

FREE: Final = 0
"""Search as at prediction: gold is not looked at."""
GOLD_PATH: Final = 1
"""The gold prefix is kept in the beam at every step (BSG)."""
EARLY: Final = 2
"""Stop where the gold prefix falls out (BS)."""
LASO: Final = 3
"""Where the gold prefix falls out, go on from gold alone."""

FORWARD: Final = 0
BACKWARD: Final = 1

SKIPPED: Final = -2
"""Gold of a mention that takes no part in training."""


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
    """The trees so far, the scores that are remembered, and the epoch in which they are used."""

    forest: Trees
    cache: Remembered
    epoch: Int


class Problem(NamedTuple):
    """One search: the mentions in the order in which they are decided, the direction for which that order stands, and
    what happens to the gold prefix (FREE, GOLD_PATH, EARLY, LASO)."""

    mentions: Ints
    data: Data
    links: Links
    memory: Memory
    mode: Int
    backward: Int


class Odds(NamedTuple):
    """Log-odds of declining by mention, and what the other direction promises every row and every declining."""

    nil: Floats
    future: Floats
    future_nil: Floats


class Best(NamedTuple):
    """For every row, and for declining every mention, the best score of a sequence that ends in it: what the other
    direction adds as its future."""

    rows: Floats
    nil: Floats


@kernel
def beam_search(problem: Problem, odds: Odds, beam: Beam, best: Best) -> int:
    """One pass over the mentions; returns the number of steps made.

    `beam` receives parents, rows, scores, keys, blocks and all expansions of every step.
    """
    mentions, data, mode = problem.mentions, problem.data, problem.mode
    n_steps = len(mentions)
    room = Past(np.empty(n_steps, dtype=np.int64), np.empty(n_steps, dtype=np.int64))
    n_live: Int = np.int64(1)
    live_from: Int = np.int64(0)
    beam.offsets[0] = 0
    for t in range(n_steps):
        m = mentions[t]
        first, last = data.row_offsets[m], data.row_offsets[m + 1]
        step = Step(t, first, last - first, n_live, live_from)
        beam.offsets[t + 1] = beam.offsets[t] + n_live * (step.n + 1)
        best.rows[first:last] = -np.inf
        best.nil[m] = -np.inf
        for h in range(n_live):
            block = bring_up_to_date(problem, beam, step, live_from + h, room)
            beam.blocks[t, live_from + h] = block
            expand(problem, odds.nil[m], beam, step, h, best)
        kept = keep_best(beam, step, Ahead(odds.future[first:last], odds.future_nil[m]))
        beam.gold_at[t] = -1
        beam.fell[t] = 0
        if mode != FREE:
            kept = keep_gold(beam, t, kept, data.gold[m])
        write_down(problem, beam, step, kept)
        n_live, live_from = kept, np.int64(0)
        if mode == EARLY and beam.fell[t]:
            return t + 1
        if mode == LASO and beam.fell[t]:
            n_live, live_from = np.int64(1), beam.gold_at[t]
    return n_steps


@kernel
def prefix_before(beam: Beam, t: Int, source: Int, backward: Int) -> np.uint64:
    """The hash of the sequence that a step extends. Trees may ask for the direction, so the two do not share what they
    remember."""
    return np.uint64(beam.hashes[t - 1, source]) if t > 0 else np.uint64(1 + backward)


@kernel
def bring_up_to_date(problem: Problem, beam: Beam, step: Step, source: Int, room: Past) -> int:
    """Where the cache holds the scores of the step's candidates after a sequence, with all trees added."""
    data, memory = problem.data, problem.memory
    cache = memory.cache
    t, first, n = step.t, step.first, step.n
    m = problem.mentions[t]
    key = mix(prefix_before(beam, t, source, problem.backward), np.uint64(m + 1)) | np.uint64(1)
    at = find(cache.keys, key)
    if cache.keys[at] == 0:
        take_place(cache, key, at, n)
        if problem.links.pairs.shape[1] > 0:
            block = cache.starts[at]
            past = history(problem, beam, t, source, room)
            codes = cache.codes[block : block + n]
            pool(codes, data.slot[first : first + n], data.surface[m], past, problem.links, problem.backward)
    block = cache.starts[at]
    cache.stamps[at] = memory.epoch
    cache.versions[at] = add_trees(
        cache.scores[block : block + n],
        data.codes[first : first + n],
        cache.codes[block : block + n],
        memory.forest,
        cache.versions[at],
    )
    return int(block)


@kernel
def history(problem: Problem, beam: Beam, t: Int, source: Int, room: Past) -> Past:
    """The decisions of a sequence before step t, declining left out, in their order."""
    # Collected from the last to the first at the end of the room, so that they stand in order.
    begin = len(room.slots)
    k = source
    for step in range(t - 1, -1, -1):
        row = beam.rows[step, k]
        if row >= 0:
            begin -= 1
            room.slots[begin] = problem.data.slot[row]
            room.surfaces[begin] = problem.data.surface[problem.mentions[step]]
        k = beam.parents[step, k]
    return Past(room.slots[begin:], room.surfaces[begin:])


@kernel
def expand(problem: Problem, nil: float, beam: Beam, step: Step, h: Int, best: Best) -> None:
    """Scores of the h-th live sequence with every candidate of the step, and with declining."""
    data, scores, expansions, best_rows = problem.data, problem.memory.cache.scores, beam.expansions, best.rows
    allowed = data.allowed
    t, n = step.t, step.n
    m = problem.mentions[t]
    source = step.live_from + h
    block = beam.blocks[t, source]
    start = beam.offsets[t] + h * (n + 1)
    so_far = beam.scores[t - 1, source] if t > 0 else 0.0
    for c in range(n):
        r = step.first + c
        total = so_far + scores[block + c] if allowed[r] else -np.inf
        expansions[start + c] = total
        if total > best_rows[r]:
            best_rows[r] = total
    # Declining has odds of its own against all candidates together.
    total = so_far + nil + (log_total(scores[block : block + n]) if n > 0 else 0.0)
    if not data.nil_allowed[m]:
        total = -np.inf
    expansions[start + n] = total
    if total > best.nil[m]:
        best.nil[m] = total


@kernel
def keep_gold(beam: Beam, t: Int, kept: Int, gold: Int) -> int:
    """Note where the gold sequence stands; one that fell out takes a place beside the others. Returns how many stand
    there now."""
    before = beam.gold_at[t - 1] if t > 0 else np.int64(0)
    for k in range(kept):
        if beam.parents[t, k] == before and beam.rows[t, k] == gold:
            beam.gold_at[t] = k
    if beam.gold_at[t] < 0:
        beam.parents[t, kept] = before
        beam.rows[t, kept] = gold
        beam.gold_at[t] = kept
        kept += 1
        beam.fell[t] = 1
    return int(kept)


@kernel
def write_down(problem: Problem, beam: Beam, step: Step, kept: Int) -> None:
    """Scores and hashes of the sequences that a step keeps."""
    t, wide = step.t, step.n + 1
    pooled = problem.links.pairs.shape[1] > 0
    for k in range(kept):
        parent, row = beam.parents[t, k], beam.rows[t, k]
        c = row - step.first if row >= 0 else step.n
        beam.scores[t, k] = beam.expansions[beam.offsets[t] + (parent - step.live_from) * wide + c]
        prefix = prefix_before(beam, t, parent, problem.backward)
        if not pooled:
            prefix = np.uint64(1 + problem.backward)
        elif row >= 0:
            prefix = mix(prefix, np.uint64(row + 2))
        beam.hashes[t, k] = prefix
    beam.n_kept[t] = kept


def search(
    mentions: Ints,
    data: Data,
    pairs: Bytes,
    pair_base: Int,
    n_slots: Int,
    forest: Trees,
    cache: Remembered,
    epoch: int,
    mode: int,
    backward: int,
    width: int,
    nil: Floats,
    future: Floats,
    future_nil: Floats,
    beam: Beam,
    best: Floats,
    best_nil: Floats,
) -> int:
    """`beam_search` with everything named one by one; the beam's own width is the width."""
    memory = Memory(forest, cache, epoch)
    problem = Problem(mentions, data, Links(pairs, int(pair_base), int(n_slots)), memory, mode, backward)
    return beam_search(problem, Odds(nil, future, future_nil), beam, Best(best, best_nil))
