"""Passes over many documents: gradients for the next tree, and decoding. Resumable when the cache is full."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.arrays import Bytes, Floats, Int, Ints
from engine.kernels import inlined, kernel
from engine.learners.sgtb.both import Both, best_of_both, room_for_both
from engine.learners.sgtb.mutual import is_backward_likelier, mutual_gradients, search_round
from engine.learners.sgtb.points import LOSS, N_POINTS, Gradients, points_of_sequences, points_of_steps
from engine.learners.sgtb.pools import KEYS_USED, ROWS_USED, Links, Remembered
from engine.learners.sgtb.search import (
    BACKWARD,
    FORWARD,
    GOLD_PATH,
    SKIPPED,
    Data,
    Memory,
    Odds,
    Problem,
    beam_search,
)
from engine.structures.beam import NIL_ROW, pool_shares, read_out, write_shares


class Corpus(NamedTuple):
    """The documents of `choices.Choices` in the form that kernels read."""

    document_offsets: Ints
    order: Ints
    data: Data
    pairs: Bytes
    pair_offsets: Ints
    n_slots: Ints


class Answers(NamedTuple):
    """For each mention the chosen row, its confidence, and the log-odds of declining up to which it is kept; for each
    document the score."""

    chosen: Ints
    confidence: Floats
    thresholds: Floats
    totals: Floats


@inlined
def links_of(corpus: Corpus, d: Int) -> Links:
    return Links(corpus.pairs, corpus.pair_offsets[d], corpus.n_slots[d])


@inlined
def fits(corpus: Corpus, d: Int, cache: Remembered, width: Int, passes: Int) -> bool:
    """Whether the cache has room for everything that one document may add."""
    m0, m1 = corpus.document_offsets[d], corpus.document_offsets[d + 1]
    new_rows = (width + 1) * (corpus.data.row_offsets[m1] - corpus.data.row_offsets[m0]) * passes
    new_keys = (width + 1) * (m1 - m0) * passes
    rows, keys = cache.counters[ROWS_USED] + new_rows, cache.counters[KEYS_USED] + new_keys
    return bool(rows <= len(cache.scores) and 2 * keys <= len(cache.keys))


@inlined
def taking_part(corpus: Corpus, d: Int) -> Ints:
    """The mentions of a document that are used in training, in the order in which they are decided."""
    m0, m1 = corpus.document_offsets[d], corpus.document_offsets[d + 1]
    mentions = np.empty(m1 - m0, dtype=np.int64)
    n = 0
    for j in range(m0, m1):
        if corpus.data.gold[corpus.order[j]] != SKIPPED:
            mentions[n] = corpus.order[j]
            n += 1
    return mentions[:n]


class Plan(NamedTuple):
    """How documents are searched: the policy for the gold prefix, the beam width, the weight of backward scores (0:
    there is no search from the other end), and the rounds in which the directions look ahead to each other (0: they are
    independent)."""

    mode: Int
    width: Int
    weight: float
    n_rounds: Int


@inlined
def n_passes(plan: Plan) -> Int:
    """The number of searches of a document that may need scores which the others did not compute."""
    if plan.weight == 0:
        return np.int64(1)
    return np.int64(2) * max(plan.n_rounds, np.int64(1))


@kernel
def gradients(documents: Ints, begin: Int, corpus: Corpus, memory: Memory, plan: Plan, out: Gradients) -> int:
    """Gradient points of documents[begin:]; returns the position to continue from once the cache has more room."""
    both = room_for_both(corpus.document_offsets, corpus.data, plan.width, plan.n_rounds)
    n_out: Int = np.int64(0)
    for i in range(begin):
        n_out += int(out.counts[i, N_POINTS])
    for i in range(begin, len(documents)):
        d = documents[i]
        if not fits(corpus, d, memory.cache, plan.width, n_passes(plan)):
            return i
        started = n_out
        n_out, loss = document_gradients(corpus, d, memory, plan, both, out, n_out)
        out.counts[i, N_POINTS] = n_out - started
        out.counts[i, LOSS] = loss
    return len(documents)


@inlined
def document_gradients(
    corpus: Corpus, d: Int, memory: Memory, plan: Plan, both: Both, out: Gradients, n_out: Int
) -> tuple[Int, float]:
    """Add the points of one document, in both directions if both are searched; returns (points, loss)."""
    mentions = taking_part(corpus, d)
    problem, reverse = both_problems(corpus, d, mentions, memory, plan)
    if plan.n_rounds > 0:
        return mutual_gradients(problem, reverse, plan.n_rounds, both, out, n_out)
    odds = Odds(both.no_nil, both.none, both.no_nil)
    n_steps = beam_search(problem, odds, both.forward, both.ahead)
    if plan.mode == GOLD_PATH:
        n_out, loss = points_of_steps(problem, both.forward, n_steps, out, n_out)
    else:
        n_out, loss = points_of_sequences(problem, both.forward, n_steps, out, n_out)
    if plan.weight > 0:
        beam_search(reverse, odds, both.backward, both.back)
        n_out, backward_loss = points_of_steps(reverse, both.backward, len(mentions), out, n_out)
        loss = (loss + backward_loss) / 2
    return n_out, loss


@inlined
def both_problems(corpus: Corpus, d: Int, mentions: Ints, memory: Memory, plan: Plan) -> tuple[Problem, Problem]:
    """The search problems of a document from its beginning and from its end. The trees distinguish directions that are
    independent; directions that look ahead to each other share one F."""
    links = links_of(corpus, d)
    other = np.int64(FORWARD) if plan.n_rounds > 0 else np.int64(BACKWARD)
    return (
        Problem(mentions, corpus.data, links, memory, plan.mode, np.int64(FORWARD)),
        Problem(mentions[::-1].copy(), corpus.data, links, memory, plan.mode, other),
    )


@kernel
def decode(
    documents: Ints, begin: Int, corpus: Corpus, memory: Memory, plan: Plan, nil: Floats, answers: Answers
) -> int:
    """The best sequence of documents[begin:]: a row per mention (or NIL) and its share of all sequences.

    With a weight on the backward direction, that one searches too, looking ahead to the best forward scores.
    """
    both = room_for_both(corpus.document_offsets, corpus.data, plan.width, plan.n_rounds)
    for i in range(begin, len(documents)):
        d = documents[i]
        # Scoring the sequences of one direction in the other needs as much room as another search.
        if not fits(corpus, d, memory.cache, plan.width, 2 * n_passes(plan) if plan.weight > 0 else np.int64(1)):
            return i
        mentions = corpus.order[corpus.document_offsets[d] : corpus.document_offsets[d + 1]].copy()
        if len(mentions) > 0:
            problem, reverse = both_problems(corpus, d, mentions, memory, plan)
            answers.totals[d] = decode_document(problem, reverse, plan, nil, both, answers.chosen)
            for m in mentions:
                row = answers.chosen[m]
                answers.confidence[m] = both.shares.options[row] if row != NIL_ROW else both.shares.nil[m]
    return len(documents)


@inlined
def decode_document(problem: Problem, reverse: Problem, plan: Plan, nil: Floats, both: Both, chosen: Ints) -> float:
    """Write the best sequence of a document and the shares of all options; returns the sequence's score."""
    mentions, row_offsets = problem.mentions, problem.data.row_offsets
    n = len(mentions)
    if plan.n_rounds > 0:
        for nth in range(plan.n_rounds):
            search_round(problem, reverse, nth, nil, both)
        if is_backward_likelier(both, n):
            write_shares(reverse.mentions, row_offsets, both.backward, both.shares)
            return read_out(reverse.mentions, both.backward, n, chosen)
        write_shares(mentions, row_offsets, both.forward, both.shares)
        return read_out(mentions, both.forward, n, chosen)
    beam_search(problem, Odds(nil, both.none, both.no_nil), both.forward, both.ahead)
    write_shares(mentions, row_offsets, both.forward, both.shares)
    if plan.weight == 0:
        return read_out(mentions, both.forward, n, chosen)
    beam_search(reverse, Odds(nil, both.ahead.rows, both.ahead.nil), both.backward, both.back)
    write_shares(reverse.mentions, row_offsets, both.backward, both.back_shares)
    pool_shares(mentions, row_offsets, both.shares, both.back_shares, plan.weight)
    return best_of_both(problem, reverse, plan.weight, nil, both, chosen)
