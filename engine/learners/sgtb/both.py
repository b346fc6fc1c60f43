"""Two independent directions: the best final sequence of either, by the weighted sum of both scores.

Algorithm 1 of Yang, Irsoy and Rahman 2018, in which the directions look ahead to each other, is in mutual.py.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.arrays import Flags, Floats, Int, Ints
from engine.kernels import kernel
from engine.learners.sgtb.search import Best, Data, Odds, Problem, beam_search
from engine.structures.beam import NIL_ROW, Beam, Shares, room, write_sequence


class Both(NamedTuple):
    """Working space for both directions: their beams, a beam of one sequence, all sequences of each direction over
    several rounds, the best scores that each direction found (and space for scores that are not needed), zero
    look-ahead by row and by mention, the only rows allowed when a given sequence is scored, and shares of every option
    by direction."""

    forward: Beam
    backward: Beam
    single: Beam
    all_forward: Beam
    all_backward: Beam
    ahead: Best
    back: Best
    unasked: Best
    none: Floats
    no_nil: Floats
    only: Flags
    only_nil: Flags
    shares: Shares
    back_shares: Shares


@kernel
def room_for_both(document_offsets: Ints, data: Data, width: Int, n_rounds: Int) -> Both:
    """New arrays that are large enough for every document and this many rounds of mutual look-ahead."""
    n_steps, n_rows = np.int64(0), np.int64(0)
    for d in range(len(document_offsets) - 1):
        first, last = document_offsets[d], document_offsets[d + 1]
        n_steps = max(n_steps, last - first)
        n_rows = max(n_rows, data.row_offsets[last] - data.row_offsets[first])
    n, m = len(data.slot), len(data.gold)
    return Both(
        room(n_steps, n_rows, width),
        room(n_steps, n_rows, width),
        room(n_steps, n_rows, np.int64(1)),
        room(n_steps, np.int64(0), n_rounds * (width + 1)),
        room(n_steps, np.int64(0), n_rounds * (width + 1)),
        Best(np.zeros(n), np.zeros(m)),
        Best(np.zeros(n), np.zeros(m)),
        Best(np.zeros(n), np.zeros(m)),
        np.zeros(n),
        np.zeros(m),
        np.zeros(n, np.bool_),
        np.zeros(m, np.bool_),
        Shares(np.zeros(n), np.zeros(m)),
        Shares(np.zeros(n), np.zeros(m)),
    )


@kernel
def score_given(problem: Problem, rows: Ints, nil: Floats, both: Both) -> float:
    """The score of one sequence in one direction: a search in which nothing else is allowed."""
    mentions, data, only, only_nil = problem.mentions, problem.data, both.only, both.only_nil
    for t in range(len(mentions)):
        if rows[t] == NIL_ROW:
            only_nil[mentions[t]] = True
        else:
            only[rows[t]] = True
    given = Data(data.row_offsets, data.codes, data.slot, data.surface, data.gold, only, only_nil)
    alone = Problem(mentions, given, problem.links, problem.memory, problem.mode, problem.backward)
    beam_search(alone, Odds(nil, both.none, both.no_nil), both.single, both.unasked)
    for t in range(len(mentions)):
        if rows[t] == NIL_ROW:
            only_nil[mentions[t]] = False
        else:
            only[rows[t]] = False
    return float(both.single.scores[len(mentions) - 1, 0])


@kernel
def collect(problem: Problem, reverse: Problem, weight: float, nil: Floats, both: Both) -> tuple[Ints, Floats]:
    """The final sequences of both directions, in forward order, and their forward plus weighted backward scores."""
    n = len(problem.mentions)
    n_forward, n_backward = both.forward.n_kept[n - 1], both.backward.n_kept[n - 1]
    sequences = np.empty((n_forward + n_backward, n), np.int64)
    scores = np.empty(n_forward + n_backward)
    for k in range(n_forward):
        write_sequence(both.forward, n, k, sequences[k])
        other_way = score_given(reverse, sequences[k][::-1].copy(), nil, both)
        scores[k] = both.forward.scores[n - 1, k] + weight * other_way
    n_found = n_forward
    for k in range(n_backward):
        rows = sequences[n_found]
        write_sequence(both.backward, n, k, rows)
        rows[:] = rows[::-1].copy()
        known = False
        for other in range(n_forward):
            known = known or np.array_equal(sequences[other], rows)
        if not known:
            one_way = score_given(problem, rows, nil, both)
            scores[n_found] = one_way + weight * both.backward.scores[n - 1, k]
            n_found += 1
    return sequences[:n_found], scores[:n_found]


@kernel
def best_of_both(problem: Problem, reverse: Problem, weight: float, nil: Floats, both: Both, chosen: Ints) -> float:
    """Write the best of the final sequences of both directions; returns its score."""
    sequences, scores = collect(problem, reverse, weight, nil, both)
    top = np.argmax(scores)
    for t in range(len(problem.mentions)):
        chosen[problem.mentions[t]] = sequences[top, t]
    return float(scores[top])
