"""Kernels of one update: the difference of two trees, and a step along it."""

from __future__ import annotations

from numba import njit


@njit(cache=True, nogil=True)
def loss_of(n, chosen, one, false_new):  # type: ignore[no-untyped-def]
    """1 for every wrong arc, `false_new` for a wrong arc from the root."""
    total = 0.0
    for j in range(1, n + 1):
        if not one.right[chosen[j]]:
            total += false_new if chosen[j] == one.offsets[j - 1] else 1.0
    return total


@njit(cache=True, nogil=True)
def gather(rows, row, sign, model, n_touched):  # type: ignore[no-untyped-def]
    """Add a row of features to the sparse vector; a feature enters the list of touched ones once."""
    for t in range(rows.shape[1]):
        f = rows[row, t]
        if f:
            if not model.marked[f]:
                model.marked[f] = True
                model.touched[n_touched] = f
                n_touched += 1
            model.delta[f] += sign
    return n_touched


@njit(cache=True, nogil=True)
def accumulate(n, good, bad, rows, good_extra, bad_extra, model, n_touched):  # type: ignore[no-untyped-def]
    """Features of the good tree minus those of the bad one, over mentions 1..n, into the sparse vector."""
    for j in range(1, n + 1):
        same = good[j] == bad[j]
        if same:
            for t in range(good_extra.shape[1]):
                if good_extra[j, t] != bad_extra[j, t]:
                    same = False
        if same:
            continue
        n_touched = gather(rows, good[j], 1.0, model, n_touched)
        n_touched = gather(rows, bad[j], -1.0, model, n_touched)
        n_touched = gather(good_extra, j, 1.0, model, n_touched)
        n_touched = gather(bad_extra, j, -1.0, model, n_touched)
    return n_touched


@njit(cache=True, nogil=True)
def apply_update(loss, count, size, model, n_touched):  # type: ignore[no-untyped-def]
    """w <- w + tau D, tau = (loss - w.D) / |D|^2 within [0, cap]; clears the vector.

    The paper's Algorithm 1 has the sign of D reversed; this is the update that is meant.
    """
    weights, delta = model.weights, model.delta
    tau = 1.0
    if size.passive_aggressive:
        margin, norm = 0.0, 0.0
        for k in range(n_touched):
            f = model.touched[k]
            margin += weights[f] * delta[f]
            norm += delta[f] * delta[f]
        tau = (loss - margin) / norm if norm > 0.0 else 0.0
        tau = min(max(tau, 0.0), size.cap)
    for k in range(n_touched):
        f = model.touched[k]
        change = tau * delta[f]
        weights[f] += change
        model.sums[f] += count * change
        delta[f] = 0.0
        model.marked[f] = False
