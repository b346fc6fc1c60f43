"""Passes over many documents: gradients for the next tree, and decoding. Resumable when the cache is full."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.arrays import Bytes, Floats, Int, Ints
from engine.kernels import inlined, kernel
from engine.learners.sgtb.both import Both, best_of_both, room_for_both
from engine.learners.sgtb.points import LOSS, N_POINTS, Gradients, points_of_sequences, points_of_steps
from engine.learners.sgtb.pools import KEYS_USED, ROWS_USED, Links, Remembered
from engine.learners.sgtb.search import (
    BACKWARD,
    FORWARD,
    FREE,
    GOLD_PATH,
    SKIPPED,
    Data,
    Memory,
    Odds,
    Problem,
    beam_search,
)
from engine.structures.beam import read_out


class Corpus(NamedTuple):
    """The documents of `choices.Choices` as kernels read them."""

    document_offsets: Ints
    order: Ints
    data: Data
    pairs: Bytes
    pair_offsets: Ints
    n_slots: Ints


class Answers(NamedTuple):
    """By mention the row chosen, its confidence and the log-odds of declining up to which it stays; by document the
    score."""

    chosen: Ints
    confidence: Floats
    thresholds: Floats
    totals: Floats


@inlined
def links_of(corpus: Corpus, d: Int) -> Links:
    return Links(corpus.pairs, corpus.pair_offsets[d], corpus.n_slots[d])


@inlined
def fits(corpus: Corpus, d: Int, cache: Remembered, width: Int, passes: Int) -> bool:
    """Whether the cache has room for everything one document may add."""
    m0, m1 = corpus.document_offsets[d], corpus.document_offsets[d + 1]
    new_rows = (width + 1) * (corpus.data.row_offsets[m1] - corpus.data.row_offsets[m0]) * passes
    new_keys = (width + 1) * (m1 - m0) * passes
    rows, keys = cache.counters[ROWS_USED] + new_rows, cache.counters[KEYS_USED] + new_keys
    return bool(rows <= len(cache.scores) and 2 * keys <= len(cache.keys))


@inlined
def taking_part(corpus: Corpus, d: Int) -> Ints:
    """The mentions of a document that training looks at, in the order in which they are decided."""
    m0, m1 = corpus.document_offsets[d], corpus.document_offsets[d + 1]
    mentions = np.empty(m1 - m0, dtype=np.int64)
    n = 0
    for j in range(m0, m1):
        if corpus.data.gold[corpus.order[j]] != SKIPPED:
            mentions[n] = corpus.order[j]
            n += 1
    return mentions[:n]


class Plan(NamedTuple):
    """How documents are searched in training: what happens to the gold prefix, whether backward as well, how wide."""

    mode: Int
    both_ways: bool
    width: Int


@kernel
def gradients(documents: Ints, begin: Int, corpus: Corpus, memory: Memory, plan: Plan, out: Gradients) -> int:
    """Gradient points of documents[begin:]; returns the position to go on from once the cache has more room."""
    both = room_for_both(corpus.document_offsets, corpus.data, plan.width)
    n_out: Int = np.int64(0)
    for i in range(begin):
        n_out += int(out.counts[i, N_POINTS])
    for i in range(begin, len(documents)):
        d = documents[i]
        if not fits(corpus, d, memory.cache, plan.width, 2 if plan.both_ways else 1):
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
    """Add the points of one document, of both directions where both are searched; returns (points, loss)."""
    mentions = taking_part(corpus, d)
    odds = Odds(both.no_nil, both.none, both.no_nil)
    problem = Problem(mentions, corpus.data, links_of(corpus, d), memory, plan.mode, np.int64(FORWARD))
    n_steps = beam_search(problem, odds, both.forward, both.ahead)
    if plan.mode == GOLD_PATH:
        n_out, loss = points_of_steps(problem, both.forward, n_steps, out, n_out)
    else:
        n_out, loss = points_of_sequences(problem, both.forward, n_steps, out, n_out)
    if plan.both_ways:
        reverse = mentions[::-1].copy()
        problem = Problem(reverse, corpus.data, links_of(corpus, d), memory, plan.mode, np.int64(BACKWARD))
        beam_search(problem, odds, both.backward, both.back)
        n_out, backward_loss = points_of_steps(problem, both.backward, len(reverse), out, n_out)
        loss = (loss + backward_loss) / 2
    return n_out, loss


@kernel
def decode(
    documents: Ints,
    begin: Int,
    corpus: Corpus,
    memory: Memory,
    width: Int,
    weight: float,
    nil: Floats,
    answers: Answers,
) -> int:
    """The best sequence of documents[begin:]: a row per mention (or NIL) and its probability within the final beam.

    With a weight on the backward direction, that one searches too, looking ahead to the best forward scores.
    """
    both = room_for_both(corpus.document_offsets, corpus.data, width)
    for i in range(begin, len(documents)):
        d = documents[i]
        # Scoring the sequences of one direction in the other takes as much room as another search.
        if not fits(corpus, d, memory.cache, width, 4 if weight > 0 else 1):
            return i
        mentions = corpus.order[corpus.document_offsets[d] : corpus.document_offsets[d + 1]].copy()
        n = len(mentions)
        if n == 0:
            continue
        links = links_of(corpus, d)
        problem = Problem(mentions, corpus.data, links, memory, np.int64(FREE), np.int64(FORWARD))
        beam_search(problem, Odds(nil, both.none, both.no_nil), both.forward, both.ahead)
        if weight == 0:
            answers.totals[d] = read_out(mentions, both.forward, n, answers.chosen, answers.confidence)
            continue
        reverse = Problem(mentions[::-1].copy(), corpus.data, links, memory, np.int64(FREE), np.int64(BACKWARD))
        beam_search(reverse, Odds(nil, both.ahead.rows, both.ahead.nil), both.backward, both.back)
        answers.totals[d] = best_of_both(problem, reverse, weight, nil, both, answers.chosen, answers.confidence)
    return len(documents)
