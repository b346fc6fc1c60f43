"""Kernels of one update: the difference of two trees, and a step along it."""

from __future__ import annotations

import numpy as np

from engine.arrays import Int, Ints, ShortInts
from engine.kernels import kernel
from engine.learners.laso.arrays import Learning, Model, Path, Record, TreeInstance
from engine.learners.linear.steps import passive_aggressive_step


@kernel
def loss_of(n: Int, chosen: Ints, one: TreeInstance, false_new: float) -> float:
    """1 for every wrong arc, `false_new` for a wrong arc from the root."""
    right, offsets = one.right, one.offsets
    total = 0.0
    for j in range(1, n + 1):
        if not right[chosen[j]]:
            total += false_new if chosen[j] == offsets[j - 1] else 1.0
    return total


@kernel
def gather(rows: ShortInts, row: Int, sign: float, model: Model, n_touched: Int) -> Int:
    """Add a row of features to the sparse vector; each feature is listed once among those touched."""
    marked, touched, delta = model.marked, model.touched, model.delta
    for t in range(rows.shape[1]):
        f = rows[row, t]
        if f:
            if not marked[f]:
                marked[f] = True
                touched[n_touched] = f
                n_touched += 1
            delta[f] += sign
    return n_touched


@kernel
def accumulate(n: Int, good: Path, bad: Path, rows: ShortInts, model: Model, n_touched: Int) -> Int:
    """Features of the good tree minus those of the bad one, over mentions 1..n, into the sparse vector."""
    good_rows, good_extra, bad_rows, bad_extra = good.rows, good.extra, bad.rows, bad.extra
    for j in range(1, n + 1):
        same = good_rows[j] == bad_rows[j]
        if same:
            for t in range(good_extra.shape[1]):
                if good_extra[j, t] != bad_extra[j, t]:
                    same = False
        if same:
            continue
        n_touched = gather(rows, good_rows[j], 1.0, model, n_touched)
        n_touched = gather(rows, bad_rows[j], -1.0, model, n_touched)
        n_touched = gather(good_extra, j, 1.0, model, n_touched)
        n_touched = gather(bad_extra, j, -1.0, model, n_touched)
    return n_touched


@kernel
def apply_update(loss: float, learning: Learning, n_touched: Int) -> None:
    """w <- w + tau D, tau = (loss - w.D) / |D|^2 within [0, cap]; clears the vector.

    The paper's Algorithm 1 has the sign of D reversed; this is the intended update.
    """
    model, size, time = learning.model, learning.size, learning.time
    weights, sums, delta, touched, marked = model.weights, model.sums, model.delta, model.touched, model.marked
    tau = 1.0
    if size.passive_aggressive:
        margin, norm = 0.0, 0.0
        for k in range(n_touched):
            f = touched[k]
            margin += weights[f] * delta[f]
            norm += delta[f] * delta[f]
        tau = passive_aggressive_step(loss - margin, norm, size.cap)
    for k in range(n_touched):
        f = touched[k]
        change = tau * delta[f]
        weights[f] += change
        sums[f] += time * change
        delta[f] = 0.0
        marked[f] = False


@kernel
def add_difference(
    j: Int, good: Path, bad: Path, one: TreeInstance, learning: Learning, n_touched: Int
) -> tuple[float, Int]:
    """Add the good tree minus the bad one, up to mention j, to the sparse vector; returns the loss of the bad tree up
    to there and how many features the vector has now."""
    n_touched = accumulate(j, good, bad, one.rows, learning.model, n_touched)
    return loss_of(j, bad.rows, one, learning.size.false_new), n_touched


@kernel
def update_at(j: Int, good: Path, bad: Path, one: TreeInstance, learning: Learning, record: Record) -> float:
    """The only update of a document, at mention j; returns its loss."""
    loss, n_touched = add_difference(j, good, bad, one, learning, np.int64(0))
    record.updated_at[0] = j
    apply_update(loss, learning, n_touched)
    return loss
