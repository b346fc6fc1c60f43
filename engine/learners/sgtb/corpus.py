"""Passes over many documents: gradients for the next tree, and decoding. Resumable when the cache is full."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.arrays import Bytes, Floats, Int, Ints
from engine.kernels import inlined, kernel
from engine.learners.sgtb.both import best_of_both, room_for_both, room_for_rounds
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
from engine.structures.beam import NIL_ROW, Shares, pool_shares, read_out, write_shares


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


def gradients(documents: Ints, begin: Int, corpus: Corpus, memory: Memory, plan: Plan, out: Gradients) -> int:
    """Gradient points of documents[begin:]; returns the position to continue from once the cache has more room.

    Each kind of search is a kernel of its own, because compiling them takes seconds and a learner needs one.
    """
    if plan.n_rounds > 0:
        return gradients_of_rounds(documents, begin, corpus, memory, plan, out)
    of_search = gradients_of_steps if plan.mode == GOLD_PATH else gradients_of_sequences
    return of_search(documents, begin, corpus, memory, plan, out)


@kernel
def gradients_of_rounds(documents: Ints, begin: Int, corpus: Corpus, memory: Memory, plan: Plan, out: Gradients) -> int:
    """For directions that look ahead to each other."""
    both = room_for_both(corpus.document_offsets, corpus.data, plan.width)
    found = room_for_rounds(corpus.document_offsets, plan.width, plan.n_rounds)
    n_out = points_before(begin, out)
    for i in range(begin, len(documents)):
        d = documents[i]
        if not fits(corpus, d, memory.cache, plan.width, n_passes(plan)):
            return i
        started = n_out
        problem, reverse = both_problems(corpus, d, taking_part(corpus, d), memory, plan)
        n_out, loss = mutual_gradients(problem, reverse, plan.n_rounds, both, found, out, n_out)
        out.counts[i, N_POINTS] = n_out - started
        out.counts[i, LOSS] = loss
    return len(documents)


@kernel
def gradients_of_steps(documents: Ints, begin: Int, corpus: Corpus, memory: Memory, plan: Plan, out: Gradients) -> int:
    """For the gold path, in both directions if the backward one has a weight."""
    both = room_for_both(corpus.document_offsets, corpus.data, plan.width)
    n_out = points_before(begin, out)
    for i in range(begin, len(documents)):
        d = documents[i]
        if not fits(corpus, d, memory.cache, plan.width, n_passes(plan)):
            return i
        started = n_out
        problem, reverse = both_problems(corpus, d, taking_part(corpus, d), memory, plan)
        odds = Odds(both.no_nil, both.none, both.no_nil)
        n_steps = beam_search(problem, odds, both.forward, both.ahead)
        n_out, loss = points_of_steps(problem, both.forward, n_steps, out, n_out)
        if plan.weight > 0:
            beam_search(reverse, odds, both.backward, both.back)
            n_out, backward_loss = points_of_steps(reverse, both.backward, len(reverse.mentions), out, n_out)
            loss = (loss + backward_loss) / 2
        out.counts[i, N_POINTS] = n_out - started
        out.counts[i, LOSS] = loss
    return len(documents)


@kernel
def gradients_of_sequences(
    documents: Ints, begin: Int, corpus: Corpus, memory: Memory, plan: Plan, out: Gradients
) -> int:
    """For early update and LaSO, which search from the beginning only."""
    both = room_for_both(corpus.document_offsets, corpus.data, plan.width)
    n_out = points_before(begin, out)
    for i in range(begin, len(documents)):
        d = documents[i]
        if not fits(corpus, d, memory.cache, plan.width, n_passes(plan)):
            return i
        started = n_out
        problem, _ = both_problems(corpus, d, taking_part(corpus, d), memory, plan)
        n_steps = beam_search(problem, Odds(both.no_nil, both.none, both.no_nil), both.forward, both.ahead)
        n_out, loss = points_of_sequences(problem, both.forward, n_steps, out, n_out)
        out.counts[i, N_POINTS] = n_out - started
        out.counts[i, LOSS] = loss
    return len(documents)


@inlined
def points_before(begin: Int, out: Gradients) -> Int:
    """The number of points of the documents that are done."""
    n_out: Int = np.int64(0)
    for i in range(begin):
        n_out += int(out.counts[i, N_POINTS])
    return n_out


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


def decode(
    documents: Ints, begin: Int, corpus: Corpus, memory: Memory, plan: Plan, nil: Floats, answers: Answers
) -> int:
    """The best sequence of documents[begin:]: a row per mention (or NIL) and its share of all sequences. Returns the
    position to continue from once the cache has more room."""
    one_way = decode_forward if plan.weight == 0 else decode_both
    return (decode_rounds if plan.n_rounds > 0 else one_way)(documents, begin, corpus, memory, plan, nil, answers)


@kernel
def decode_forward(
    documents: Ints, begin: Int, corpus: Corpus, memory: Memory, plan: Plan, nil: Floats, answers: Answers
) -> int:
    """From the beginning only."""
    both = room_for_both(corpus.document_offsets, corpus.data, plan.width)
    for i in range(begin, len(documents)):
        d = documents[i]
        if not fits(corpus, d, memory.cache, plan.width, np.int64(1)):
            return i
        mentions = mentions_of(corpus, d)
        if len(mentions) > 0:
            problem, _ = both_problems(corpus, d, mentions, memory, plan)
            beam_search(problem, Odds(nil, both.none, both.no_nil), both.forward, both.ahead)
            write_shares(mentions, corpus.data.row_offsets, both.forward, both.shares)
            answers.totals[d] = read_out(mentions, both.forward, len(mentions), answers.chosen)
            write_confidence(mentions, both.shares, answers)
    return len(documents)


@kernel
def decode_both(
    documents: Ints, begin: Int, corpus: Corpus, memory: Memory, plan: Plan, nil: Floats, answers: Answers
) -> int:
    """With a weight on the backward direction, that one searches too, looking ahead to the best forward scores."""
    both = room_for_both(corpus.document_offsets, corpus.data, plan.width)
    row_offsets = corpus.data.row_offsets
    for i in range(begin, len(documents)):
        d = documents[i]
        # Scoring the sequences of one direction in the other needs as much room as another search.
        if not fits(corpus, d, memory.cache, plan.width, 2 * n_passes(plan)):
            return i
        mentions = mentions_of(corpus, d)
        if len(mentions) > 0:
            problem, reverse = both_problems(corpus, d, mentions, memory, plan)
            beam_search(problem, Odds(nil, both.none, both.no_nil), both.forward, both.ahead)
            write_shares(mentions, row_offsets, both.forward, both.shares)
            beam_search(reverse, Odds(nil, both.ahead.rows, both.ahead.nil), both.backward, both.back)
            write_shares(reverse.mentions, row_offsets, both.backward, both.back_shares)
            pool_shares(mentions, row_offsets, both.shares, both.back_shares, plan.weight)
            answers.totals[d] = best_of_both(problem, reverse, plan.weight, nil, both, answers.chosen)
            write_confidence(mentions, both.shares, answers)
    return len(documents)


@kernel
def decode_rounds(
    documents: Ints, begin: Int, corpus: Corpus, memory: Memory, plan: Plan, nil: Floats, answers: Answers
) -> int:
    """Directions that look ahead to each other, of which the likelier one is followed."""
    both = room_for_both(corpus.document_offsets, corpus.data, plan.width)
    for i in range(begin, len(documents)):
        d = documents[i]
        if not fits(corpus, d, memory.cache, plan.width, 2 * n_passes(plan) if plan.weight > 0 else np.int64(1)):
            return i
        mentions = mentions_of(corpus, d)
        n = len(mentions)
        if n > 0:
            problem, reverse = both_problems(corpus, d, mentions, memory, plan)
            for nth in range(plan.n_rounds):
                search_round(problem, reverse, nth, nil, both)
            if is_backward_likelier(both, n):
                write_shares(reverse.mentions, corpus.data.row_offsets, both.backward, both.shares)
                answers.totals[d] = read_out(reverse.mentions, both.backward, n, answers.chosen)
            else:
                write_shares(mentions, corpus.data.row_offsets, both.forward, both.shares)
                answers.totals[d] = read_out(mentions, both.forward, n, answers.chosen)
            write_confidence(mentions, both.shares, answers)
    return len(documents)


@inlined
def mentions_of(corpus: Corpus, d: Int) -> Ints:
    """All mentions of a document, in the order in which they are decided."""
    return corpus.order[corpus.document_offsets[d] : corpus.document_offsets[d + 1]].copy()


@inlined
def write_confidence(mentions: Ints, shares: Shares, answers: Answers) -> None:
    """Write the share of each chosen row."""
    for m in mentions:
        row = answers.chosen[m]
        answers.confidence[m] = shares.options[row] if row != NIL_ROW else shares.nil[m]
