"""The functional gradients that a search gives: Eq. 6 of Yang, Irsoy and Rahman 2018, p(y_1:t | x) - 1[y_1:t is gold].

A gradient point is a factor that the search scored: the row of a candidate with its pooled codes, and the residual that
the next tree is fitted to. NIL has no factor to learn.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.arrays import Bytes, Floats, Int, Ints
from engine.kernels import kernel
from engine.learners.sgtb.search import Problem
from engine.structures.beam import Beam, log_total


class Gradients(NamedTuple):
    """Points one after another; `counts` [documents, 2] are the points of each document and its loss."""

    rows: Ints
    codes: Bytes
    residuals: Floats
    counts: Floats


N_POINTS, LOSS = range(2)
"""Columns of `Gradients.counts`."""


@kernel
def write_point(problem: Problem, beam: Beam, t: Int, k: Int, out: Gradients, at: Int) -> None:
    """The factor of the k-th sequence's last decision at step t, without its residual."""
    row = beam.rows[t, k]
    codes, out_codes = problem.memory.cache.codes, out.codes
    source = beam.blocks[t, beam.parents[t, k]] + row - problem.data.row_offsets[problem.mentions[t]]
    out.rows[at] = row
    for f in range(out_codes.shape[1]):
        out_codes[at, f] = codes[source, f]


@kernel
def points_of_steps(problem: Problem, beam: Beam, n_steps: Int, out: Gradients, n_out: Int) -> tuple[Int, float]:
    """A gradient point for every sequence of every step's beam; returns (points, loss summed over steps).

    Probabilities are those of the direction's own scores: what the other direction adds decides who is kept. Putting it
    into the probabilities as well counts every candidate's own features twice, and training swings.
    """
    loss = 0.0
    for t in range(n_steps):
        gold_at = beam.gold_at[t]
        log_z = log_total(beam.scores[t, : beam.n_kept[t]])
        loss += log_z - beam.scores[t, gold_at]
        for k in range(beam.n_kept[t]):
            if beam.rows[t, k] < 0:
                continue
            write_point(problem, beam, t, k, out, n_out)
            out.residuals[n_out] = (1.0 if k == gold_at else 0.0) - np.exp(beam.scores[t, k] - log_z)
            n_out += 1
    return n_out, loss


@kernel
def points_of_sequences(problem: Problem, beam: Beam, n_steps: Int, out: Gradients, n_out: Int) -> tuple[Int, float]:
    """Gradient points of whole sequences, taken where gold fell out and at the end (BS, LaSO).

    A factor that several sequences share gets the sum of their probabilities.
    """
    loss = 0.0
    mass = np.zeros((n_steps, beam.scores.shape[1]))
    begin: Int = np.int64(0)
    for end in range(n_steps):
        if not beam.fell[end] and end < n_steps - 1:
            continue
        loss += hand_down(beam, begin, end, mass)
        for t in range(begin, end + 1):
            gold_at = beam.gold_at[t]
            for k in range(beam.n_kept[t]):
                if beam.rows[t, k] < 0 or (mass[t, k] == 0.0 and k != gold_at):
                    continue
                write_point(problem, beam, t, k, out, n_out)
                out.residuals[n_out] = (1.0 if k == gold_at else 0.0) - mass[t, k]
                n_out += 1
        begin = end + 1
    return n_out, loss


@kernel
def hand_down(beam: Beam, begin: Int, end: Int, mass: Floats) -> float:
    """Probability of every sequence of steps [begin, end], given those of the last step; returns that step's loss."""
    n_kept, parents = beam.n_kept, beam.parents
    log_z = log_total(beam.scores[end, : n_kept[end]])
    mass[begin : end + 1] = 0.0
    for k in range(n_kept[end]):
        mass[end, k] = np.exp(beam.scores[end, k] - log_z)
    for t in range(end, begin, -1):
        for k in range(n_kept[t]):
            mass[t - 1, parents[t, k]] += mass[t, k]
    return float(log_z - beam.scores[end, beam.gold_at[end]])
