"""Beam search: the best few sequences of decisions, step by step, independent of how they are scored.

A step offers options [first, first + n) and declining (NIL_ROW); its expansions are every kept sequence with every
option. Arrays hold all steps of a search, so that it can be inspected afterwards: `rows[t, k]` is the option that the
k-th kept sequence took at step t, `parents[t, k]` the sequence it extends. Probabilities are relative to the beam,
which represents all sequences (Yang, Irsoy and Rahman 2018, section 3).
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from engine.arrays import Floats, Int, Ints, Words
from engine.kernels import inlined, kernel, part

NIL_ROW: Final = -1
"""Stands for declining where an array holds options."""


class Expansion(NamedTuple):
    """A sequence extended by one option. `tie` decides between equal values of one parent; `note` is for the caller."""

    value: float
    parent: Int
    tie: float
    option: Int
    note: Int


class Kept(NamedTuple):
    """The best expansions of a step so far, best first, field by field."""

    value: Floats
    parent: Ints
    tie: Floats
    option: Ints
    note: Ints


@kernel
def room_to_keep(width: Int) -> Kept:
    """New arrays for the selections of all steps, one after another."""
    return Kept(
        np.zeros(width),
        np.zeros(width, np.int64),
        np.zeros(width),
        np.zeros(width, np.int64),
        np.zeros(width, np.int64),
    )


@inlined
def comes_before(one: Expansion, kept: Kept, i: Int) -> bool:
    """Whether an expansion ranks before the i-th kept one: by value, then earlier parent, higher tie, later option."""
    if one.value != kept.value[i]:
        return bool(one.value > kept.value[i])
    if one.parent != kept.parent[i]:
        return bool(one.parent < kept.parent[i])
    if one.tie != kept.tie[i]:
        return bool(one.tie > kept.tie[i])
    return bool(one.option > kept.option[i])


@inlined
def offer(one: Expansion, kept: Kept, n: Int) -> int:
    """Keep an expansion if it is among the best so far; returns how many are kept. There is room for len(kept.value).

    All beams use this function, so ties are broken in the same way everywhere.
    """
    at = n
    if n == len(kept.value):
        at = n - 1
        if not comes_before(one, kept, at):
            return int(n)
    else:
        n += 1
    while at > 0 and comes_before(one, kept, at - 1):
        kept.value[at] = kept.value[at - 1]
        kept.parent[at] = kept.parent[at - 1]
        kept.tie[at] = kept.tie[at - 1]
        kept.option[at] = kept.option[at - 1]
        kept.note[at] = kept.note[at - 1]
        at -= 1
    kept.value[at] = one.value
    kept.parent[at] = one.parent
    kept.tie[at] = one.tie
    kept.option[at] = one.option
    kept.note[at] = one.note
    return int(n)


class Beam(NamedTuple):
    """What a search did: per step the kept sequences [step, k], and the scores of all expansions before pruning."""

    parents: Ints
    rows: Ints
    scores: Floats
    hashes: Words
    blocks: Ints
    n_kept: Ints
    gold_at: Ints
    fell: Ints
    expansions: Floats
    offsets: Ints
    selection: Kept
    """Working space for the selection; meaningless afterwards."""


@kernel
def room(n_steps: Int, n_rows: Int, width: Int) -> Beam:
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
        room_to_keep(width),
    )


class Step(NamedTuple):
    """One step of a search: the options it offers, and the sequences of the previous step that it extends."""

    t: Int
    first: Int
    n: Int
    n_live: Int
    live_from: Int


class Ahead(NamedTuple):
    """The expected future score of every option of a step, and of declining."""

    options: Floats
    nil: float


@kernel
def keep_best(expansions: Floats, n: Int, ahead: Ahead, kept: Kept) -> int:
    """Select the best expansions of a step with n options; among equals, the earlier parent and option win. Returns
    their number.

    `expansions` are the scores of every sequence with every option and with declining, sequence by sequence. They are
    ranked by score plus the option's expected future score; -inf is forbidden.
    """
    promised, values = ahead.options, kept.value
    wide, width = n + 1, len(values)
    n_kept: Int = np.int64(0)
    for e in range(len(expansions)):
        value = expansions[e]
        if value > -np.inf:
            c = e % wide
            value += promised[c] if c < n else ahead.nil
            # Most are worse than all that are kept, and need not be compared field by field.
            if n_kept == width and value < values[width - 1]:
                continue
            n_kept = offer(Expansion(value, e // wide, -float(c), c, np.int64(0)), kept, n_kept)
    return int(n_kept)


@inlined
def take_over(beam: Beam, step: Step, n_kept: Int) -> None:
    """Make the selected expansions the sequences of a step."""
    parents, rows, kept = beam.parents, beam.rows, beam.selection
    for k in range(n_kept):
        c = kept.option[k]
        parents[step.t, k] = step.live_from + kept.parent[k]
        rows[step.t, k] = step.first + c if c < step.n else NIL_ROW


@kernel
def log_total(values: Floats) -> float:
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
    return float(top + np.log(total))


@kernel
def top_of(beam: Beam, n_steps: Int) -> int:
    """The highest-scoring sequence of the last step (with expected future scores it need not be the first)."""
    scores, n_kept = beam.scores, beam.n_kept
    top = 0
    for k in range(1, n_kept[n_steps - 1]):
        if scores[n_steps - 1, k] > scores[n_steps - 1, top]:
            top = k
    return top


@kernel
def write_sequence(beam: Beam, n_steps: Int, k: Int, rows: Ints) -> None:
    """The options of the k-th final sequence, step by step."""
    for t in range(n_steps - 1, -1, -1):
        rows[t] = beam.rows[t, k]
        k = beam.parents[t, k]


@kernel
def read_out(mentions: Ints, beam: Beam, n_steps: Int, chosen: Ints) -> float:
    """Write the best sequence of a beam; returns its score."""
    k: Int = np.int64(top_of(beam, n_steps))
    score = beam.scores[n_steps - 1, k]
    for t in range(n_steps - 1, -1, -1):
        chosen[mentions[t]] = beam.rows[t, k]
        k = beam.parents[t, k]
    return float(score)


class Shares(NamedTuple):
    """Probability of every option, and of declining at every mention."""

    options: Floats
    nil: Floats


@kernel
def write_shares(mentions: Ints, row_offsets: Ints, beam: Beam, shares: Shares) -> None:
    """The shares of a finished search that extended every kept sequence.

    The exact marginal of an option sums exp(score) over all sequences that take it. A beam follows only a few of them
    to the end; counting only those would give 1.00 wherever they all agree. So every expansion counts, including the
    pruned ones: the continuation of a kept sequence is known, and a pruned one is assumed to continue as well as the
    kept ones of its step do on average. Each step's shares add up to 1, and a beam that prunes nothing gives the exact
    marginals.
    """
    n_steps = len(mentions)
    # Log of the continuations of each kept sequence; the last ones have none.
    follows = np.zeros(beam.n_kept[n_steps - 1])
    for t in range(n_steps - 1, -1, -1):
        m = mentions[t]
        first, wide = row_offsets[m], row_offsets[m + 1] - row_offsets[m] + 1
        values = with_what_follows(beam, t, first, wide, follows)
        log_z = log_total(values)
        options = shares.options[first : first + wide - 1]
        options[:] = 0.0
        shares.nil[m] = 0.0
        for e in range(len(values)):
            share = np.exp(values[e] - log_z) if values[e] > -np.inf else 0.0
            if e % wide < wide - 1:
                # Rounding may push a sum of shares slightly above 1.
                options[e % wide] = min(1.0, options[e % wide] + share)
            else:
                shares.nil[m] = min(1.0, shares.nil[m] + share)
        if t > 0:
            follows = np.empty(beam.n_kept[t - 1])
            for h in range(len(follows)):
                follows[h] = log_total(values[h * wide : (h + 1) * wide]) - beam.scores[t - 1, h]


@kernel
def pool_shares(mentions: Ints, row_offsets: Ints, shares: Shares, other: Shares, weight: float) -> None:
    """Shares under the sum of two scores, the second one weighted: the product of both, normalised to 1."""
    for m in mentions:
        first, last = row_offsets[m], row_offsets[m + 1]
        total = shares.nil[m] * other.nil[m] ** weight
        for row in range(first, last):
            total += shares.options[row] * other.options[row] ** weight
        # If the two have nothing in common, rounding leaves only zeros, and the first one is kept.
        if total > 0.0:
            shares.nil[m] *= other.nil[m] ** weight / total
            for row in range(first, last):
                shares.options[row] *= other.options[row] ** weight / total


@part
def with_what_follows(beam: Beam, t: Int, first: Int, wide: Int, follows: Floats) -> Floats:
    """The scores of all expansions of a step, each including its continuations."""
    scores = beam.scores[t, : len(follows)]
    usual = log_total(scores + follows) - log_total(scores) if len(follows) > 0 else 0.0
    start = beam.offsets[t]
    values = beam.expansions[start : beam.offsets[t + 1]] + usual
    for k in range(len(follows)):
        row = beam.rows[t, k]
        e = beam.parents[t, k] * wide + (row - first if row != NIL_ROW else wide - 1)
        values[e] = beam.expansions[start + e] + follows[k]
    return values
