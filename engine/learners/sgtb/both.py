"""Two independent directions: the best final sequence of either, by the weighted sum of both scores.

Algorithm 1 of Yang, Irsoy and Rahman 2018, in which the directions look ahead to each other, is in mutual.py.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.arrays import Flags, Floats, Int, Ints
from engine.kernels import inlined, part
from engine.learners.sgtb.search import Best, Data, Odds, Problem, beam_search
from engine.structures.beam import NIL_ROW, Beam, Shares, room, write_sequence


class Given(NamedTuple):
    """Working space for scoring a given sequence: a beam of one sequence, space for scores that are not needed, and the
    only rows allowed."""

    beam: Beam
    unasked: Best
    only: Flags
    only_nil: Flags


class Both(NamedTuple):
    """Working space for both directions: their beams, the best scores that each direction found, zero look-ahead by row
    and by mention, shares of every option by direction, and what scoring a given sequence needs."""

    forward: Beam
    backward: Beam
    ahead: Best
    back: Best
    none: Floats
    no_nil: Floats
    shares: Shares
    back_shares: Shares
    given: Given


class Rounds(NamedTuple):
    """All sequences of each direction over several rounds."""

    forward: Beam
    backward: Beam


@inlined
def most_steps(document_offsets: Ints) -> Int:
    """The number of mentions of the longest document."""
    most = np.int64(0)
    for d in range(len(document_offsets) - 1):
        most = max(most, document_offsets[d + 1] - document_offsets[d])
    return most


@part
def room_for_both(document_offsets: Ints, data: Data, width: Int) -> Both:
    """New arrays that are large enough for every document."""
    n_steps, n_rows = most_steps(document_offsets), np.int64(0)
    for d in range(len(document_offsets) - 1):
        first, last = document_offsets[d], document_offsets[d + 1]
        n_rows = max(n_rows, data.row_offsets[last] - data.row_offsets[first])
    n, m = len(data.slot), len(data.gold)
    return Both(
        room(n_steps, n_rows, width),
        room(n_steps, n_rows, width),
        Best(np.zeros(n), np.zeros(m)),
        Best(np.zeros(n), np.zeros(m)),
        np.zeros(n),
        np.zeros(m),
        Shares(np.zeros(n), np.zeros(m)),
        Shares(np.zeros(n), np.zeros(m)),
        Given(
            room(n_steps, n_rows, np.int64(1)),
            Best(np.zeros(n), np.zeros(m)),
            np.zeros(n, np.bool_),
            np.zeros(m, np.bool_),
        ),
    )


@part
def room_for_rounds(document_offsets: Ints, width: Int, n_rounds: Int) -> Rounds:
    """New arrays that are large enough for this many rounds of mutual look-ahead."""
    n_steps = most_steps(document_offsets)
    return Rounds(
        room(n_steps, np.int64(0), n_rounds * (width + 1)),
        room(n_steps, np.int64(0), n_rounds * (width + 1)),
    )


@part
def score_given(problem: Problem, rows: Ints, odds: Odds, given: Given) -> float:
    """The score of one sequence in one direction: a search in which nothing else is allowed."""
    mentions, data, only, only_nil = problem.mentions, problem.data, given.only, given.only_nil
    for t in range(len(mentions)):
        if rows[t] == NIL_ROW:
            only_nil[mentions[t]] = True
        else:
            only[rows[t]] = True
    allowed = Data(data.row_offsets, data.codes, data.slot, data.surface, data.gold, only, only_nil)
    alone = Problem(mentions, allowed, problem.links, problem.memory, problem.mode, problem.backward)
    beam_search(alone, odds, given.beam, given.unasked)
    for t in range(len(mentions)):
        if rows[t] == NIL_ROW:
            only_nil[mentions[t]] = False
        else:
            only[rows[t]] = False
    return float(given.beam.scores[len(mentions) - 1, 0])


@inlined
def is_among(rows: Ints, sequences: Ints) -> bool:
    """Whether one of the sequences consists of these rows."""
    for k in range(len(sequences)):
        t = 0
        while t < len(rows) and sequences[k, t] == rows[t]:
            t += 1
        if t == len(rows):
            return True
    return False


@inlined
def collect(problem: Problem, reverse: Problem, weight: float, nil: Floats, both: Both) -> tuple[Ints, Floats]:
    """The final sequences of both directions, in forward order, and their forward plus weighted backward scores."""
    n, odds = len(problem.mentions), Odds(nil, both.none, both.no_nil)
    n_forward, n_backward = both.forward.n_kept[n - 1], both.backward.n_kept[n - 1]
    sequences = np.empty((n_forward + n_backward, n), np.int64)
    scores, found = np.empty(n_forward + n_backward), np.empty(n, np.int64)
    for k in range(n_forward):
        write_sequence(both.forward, n, k, sequences[k])
        other_way = score_given(reverse, sequences[k][::-1].copy(), odds, both.given)
        scores[k] = both.forward.scores[n - 1, k] + weight * other_way
    n_found = n_forward
    for k in range(n_backward):
        write_sequence(both.backward, n, k, found)
        rows = sequences[n_found]
        for t in range(n):
            rows[t] = found[n - 1 - t]
        if not is_among(rows, sequences[:n_forward]):
            one_way = score_given(problem, rows, odds, both.given)
            scores[n_found] = one_way + weight * both.backward.scores[n - 1, k]
            n_found += 1
    return sequences[:n_found], scores[:n_found]


@inlined
def best_of_both(problem: Problem, reverse: Problem, weight: float, nil: Floats, both: Both, chosen: Ints) -> float:
    """Write the best of the final sequences of both directions; returns its score."""
    sequences, scores = collect(problem, reverse, weight, nil, both)
    top = np.argmax(scores)
    for t in range(len(problem.mentions)):
        chosen[problem.mentions[t]] = sequences[top, t]
    return float(scores[top])
