"""The functional gradients of a search: Eq. 6 of Yang, Irsoy and Rahman 2018, p(y_1:t | x) - 1[y_1:t is gold].

A gradient point is a factor that the search scored: the row of a candidate with its pooled codes, and the residual that
the next tree is fitted to. NIL has no factor to learn.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.arrays import Bytes, Floats, Int, Ints
from engine.kernels import inlined, part
from engine.learners.sgtb.search import Problem
from engine.structures.beam import Beam, log_total


class Gradients(NamedTuple):
    """All points, consecutively; `counts` [documents, 2] holds the number of points of each document and its loss."""

    rows: Ints
    codes: Bytes
    residuals: Floats
    counts: Floats


N_POINTS, LOSS = range(2)
"""Columns of `Gradients.counts`."""


@inlined
def copy_codes(source: Bytes, row: Int, out: Bytes, at: Int) -> None:
    """Copy a row of pooled codes one by one: rows are so short that assigning slices takes longer than all the rest of
    a point."""
    for f in range(out.shape[1]):
        out[at, f] = source[row, f]


@part
def points_of_steps(problem: Problem, beam: Beam, n_steps: Int, out: Gradients, n_out: Int) -> tuple[int, float]:
    """A gradient point for every sequence of every step's beam; returns (points, loss summed over steps).

    Probabilities are based on the direction's own scores; what the other direction adds only decides which sequences
    are kept. Including it in the probabilities as well would count every candidate's own features twice, and training
    would oscillate.
    """
    codes, row_offsets, mentions = problem.memory.cache.codes, problem.data.row_offsets, problem.mentions
    rows, parents, blocks, n_kept = beam.rows, beam.parents, beam.blocks, beam.n_kept
    out_rows, out_codes, residuals = out.rows, out.codes, out.residuals
    loss = 0.0
    for t in range(n_steps):
        first, gold_at = row_offsets[mentions[t]], beam.gold_at[t]
        scores = beam.scores[t, : n_kept[t]]
        log_z = log_total(scores)
        loss += log_z - scores[gold_at]
        for k in range(len(scores)):
            row = rows[t, k]
            if row >= 0:
                out_rows[n_out] = row
                copy_codes(codes, blocks[t, parents[t, k]] + row - first, out_codes, n_out)
                residuals[n_out] = (1.0 if k == gold_at else 0.0) - np.exp(scores[k] - log_z)
                n_out += 1
    return int(n_out), loss


@part
def points_of_sequences(problem: Problem, beam: Beam, n_steps: Int, out: Gradients, n_out: Int) -> tuple[int, float]:
    """Gradient points of whole sequences, taken where gold fell out and at the end (BS, LaSO).

    A factor that several sequences share gets the sum of their probabilities.
    """
    codes, row_offsets, mentions = problem.memory.cache.codes, problem.data.row_offsets, problem.mentions
    rows, parents, blocks, n_kept = beam.rows, beam.parents, beam.blocks, beam.n_kept
    gold_at, fell, scores = beam.gold_at, beam.fell, beam.scores
    out_rows, out_codes, residuals = out.rows, out.codes, out.residuals
    loss = 0.0
    mass = np.zeros((n_steps, scores.shape[1]))
    begin: Int = np.int64(0)
    for end in range(n_steps):
        if not fell[end] and end < n_steps - 1:
            continue
        log_z = log_total(scores[end, : n_kept[end]])
        loss += log_z - scores[end, gold_at[end]]
        for k in range(n_kept[end]):
            mass[end, k] = np.exp(scores[end, k] - log_z)
        hand_down(mass, begin, end, n_kept, parents)
        for t in range(begin, end + 1):
            first = row_offsets[mentions[t]]
            for k in range(n_kept[t]):
                row, is_gold = rows[t, k], k == gold_at[t]
                if row >= 0 and (mass[t, k] != 0.0 or is_gold):
                    out_rows[n_out] = row
                    copy_codes(codes, blocks[t, parents[t, k]] + row - first, out_codes, n_out)
                    residuals[n_out] = (1.0 if is_gold else 0.0) - mass[t, k]
                    n_out += 1
        begin = end + 1
    return int(n_out), loss


@inlined
def hand_down(mass: Floats, begin: Int, end: Int, n_kept: Ints, parents: Ints) -> None:
    """Probability of the sequences of steps [begin, end), given those of step `end`, which extend them."""
    for t in range(end, begin, -1):
        for k in range(n_kept[t - 1]):
            mass[t - 1, k] = 0.0
        for k in range(n_kept[t]):
            mass[t - 1, parents[t, k]] += mass[t, k]
