"""One document, one pass of training: where each policy updates.

baseline (Algorithm 1): exact best-first trees, one update. early and max-violation: beam search, one update on a
prefix.
laso: an update wherever the last right item leaves the beam, then on from the gold clustering. delayed: the same
places, but the differences are added up and applied once at the end (Björkelund and Kuhn 2014, Algorithms 1 to 3).
"""

from __future__ import annotations

import numpy as np
from numba import njit

from engine.learners.laso_search import (
    accumulate,
    apply_update,
    attach,
    cluster_row,
    copy_state,
    score_rows,
    step,
)

BASELINE, EARLY, MAX_VIOLATION, LASO, DELAYED = range(5)
N_FACTS = 15


@njit(cache=True)
def loss_of(n, chosen, right, offsets, false_new):  # type: ignore[no-untyped-def]
    """1 for every wrong arc, `false_new` for a wrong arc from the root."""
    total = 0.0
    for j in range(1, n + 1):
        if not right[chosen[j]]:
            total += false_new if chosen[j] == offsets[j - 1] else 1.0
    return total


@njit(cache=True)
def best_right_row(j, offsets, right, arc_scores):  # type: ignore[no-untyped-def]
    best = -1
    for row in range(offsets[j - 1], offsets[j]):
        if right[row] and (best < 0 or arc_scores[row] >= arc_scores[best]):
            best = row
    return best


@njit(cache=True)
def train_baseline(  # type: ignore[no-untyped-def]
    weights,
    sums,
    count,
    n,
    offsets,
    rows,
    right,
    false_new,
    augment,
    passive_aggressive,
    cap,
    delta,
    touched,
    marked,
    good,
):
    """Best-first prediction and latent tree, one update; returns (loss, wrong arcs, tau)."""
    arc_scores = np.empty(len(right))
    score_rows(weights, rows, 0, len(right), arc_scores)
    bad = np.zeros(n + 1, np.int64)
    wrong = 0
    for j in range(1, n + 1):
        good[j] = best_right_row(j, offsets, right, arc_scores)
        best = offsets[j - 1]
        best_score = arc_scores[best] + (0.0 if right[best] else augment * false_new)
        for row in range(best + 1, offsets[j]):
            value = arc_scores[row] + (0.0 if right[row] else augment)
            if value >= best_score:
                best, best_score = row, value
        bad[j] = best
        if not right[best]:
            wrong += 1
    if wrong == 0:
        return 0.0, 0, 0.0
    nothing = np.zeros((n + 1, 0), np.int32)
    n_touched = accumulate(n, good, bad, rows, nothing, nothing, delta, touched, 0, marked)
    loss = loss_of(n, bad, right, offsets, false_new)
    tau = apply_update(weights, sums, count, loss, passive_aggressive, cap, delta, touched, n_touched, marked)
    return loss, wrong, tau


@njit(cache=True)
def trace_back(j, slot, beam, parents, choices, extras, gold_rows, gold_extra, chosen, out):  # type: ignore[no-untyped-def]
    """The path of an item: rows per mention and their non-local numbers; slot `beam` is the gold item."""
    for k in range(j, 0, -1):
        if slot == beam:
            chosen[k] = gold_rows[k]
            out[k] = gold_extra[k]
        else:
            chosen[k] = choices[k, slot]
            out[k] = extras[k, slot]
            slot = parents[k, slot]


@njit(cache=True)
def train_beam(  # type: ignore[no-untyped-def]
    policy,
    weights,
    sums,
    count,
    n,
    offsets,
    heads,
    rows,
    right,
    bits,
    facts,
    codes,
    sources,
    columns,
    seeds,
    use_clusters,
    beam,
    false_new,
    augment,
    passive_aggressive,
    cap,
    delta,
    touched_features,
    marked,
    gold_rows,
    updated_at,
):
    """One document under a beam policy. Fills the latent tree and the places of updates.

    Returns (loss, number of updates, mentions seen, last tau).
    """
    width = len(seeds) if use_clusters else 0
    shape = (beam, n + 1)
    label, label2 = np.zeros(shape, np.int32), np.zeros(shape, np.int32)
    previous, previous2 = np.zeros(shape, np.int32), np.zeros(shape, np.int32)
    last, last2 = np.zeros(shape, np.int32), np.zeros(shape, np.int32)
    zobrist, zobrist2 = np.zeros(shape, np.uint64), np.zeros(shape, np.uint64)
    one = (1, n + 1)
    gold_label, gold_previous = np.zeros(one, np.int32), np.zeros(one, np.int32)
    gold_last, gold_zobrist = np.zeros(one, np.int32), np.zeros(one, np.uint64)
    gold_extra, bad_extra = np.zeros((n + 1, width), np.int32), np.zeros((n + 1, width), np.int32)
    score = np.zeros(beam)
    correct, correct2 = np.zeros(beam, np.bool_), np.zeros(beam, np.bool_)
    origin = np.zeros(beam, np.int32)
    parents = np.zeros((n + 1, beam), np.int32)
    choices = np.zeros((n + 1, beam), np.int64)
    extras = np.zeros((n + 1, beam, width), np.int32)
    size = 1024
    while size < 2 * beam * (n + 1) and use_clusters:
        size *= 2
    memo_keys, memo_stamp = np.zeros(size, np.uint64), np.zeros(size, np.int32)
    memo_score, memo_rows = np.zeros(size), np.zeros((size, width), np.int32)
    best_row, touched = np.full(n + 1, -1, np.int64), np.zeros(n + 1, np.int64)
    item_total, item_rank, item_arc = np.zeros(beam), np.zeros(beam, np.int64), np.zeros(beam)
    item_row, item_memo = np.zeros(beam, np.int64), np.zeros(beam, np.int64)
    free, no_apart = np.zeros(n + 1, np.int64), np.zeros(n + 2, np.int64)
    scratch = np.zeros(N_FACTS, np.int64)
    arc_scores = np.empty(len(heads))
    raised = np.empty(len(heads))
    bad = np.zeros(n + 1, np.int64)

    n_states, n_updates, n_touched = 1, 0, 0
    correct[0] = True
    gold_score, loss, tau = 0.0, 0.0, 0.0
    worst_gap, worst_at = 0.0, 0
    for j in range(1, n + 1):
        score_rows(weights, rows, offsets[j - 1], offsets[j], arc_scores)
        for row in range(offsets[j - 1], offsets[j]):
            raised[row] = arc_scores[row]
            if not right[row]:
                raised[row] += augment * false_new if row == offsets[j - 1] else augment
        n_items = step(
            j,
            n_states,
            beam,
            label,
            previous,
            last,
            zobrist,
            score,
            offsets,
            heads,
            raised,
            weights,
            use_clusters,
            bits,
            facts,
            codes,
            sources,
            columns,
            seeds,
            free,
            no_apart,
            free,
            memo_keys,
            memo_stamp,
            memo_score,
            memo_rows,
            best_row,
            touched,
            item_total,
            item_rank,
            item_arc,
            item_row,
            item_memo,
        )
        any_correct = False
        for k in range(n_items):
            parent = item_rank[k]
            copy_state(j - 1, parent, k, label, previous, last, zobrist, label2, previous2, last2, zobrist2)
            attach(j, heads[item_row[k]], label2[k], previous2[k], last2[k], zobrist2[k])
            score[k] = item_total[k]
            parents[j, k] = origin[parent]
            choices[j, k] = item_row[k]
            if item_memo[k] >= 0:
                extras[j, k] = memo_rows[item_memo[k]]
            correct2[k] = correct[parent] and right[item_row[k]]
            any_correct = any_correct or correct2[k]
        for k in range(n_items):
            origin[k] = k
        n_states = n_items
        label, label2 = label2, label
        previous, previous2 = previous2, previous
        last, last2 = last2, last
        zobrist, zobrist2 = zobrist2, zobrist
        correct, correct2 = correct2, correct

        # The gold agenda: one clustering, the best right arc.
        gold_rows[j] = best_right_row(j, offsets, right, arc_scores)
        gold_score += arc_scores[gold_rows[j]]
        head = heads[gold_rows[j]]
        if head and use_clusters:
            cluster_row(
                j,
                gold_last[0, gold_label[0, head]],
                gold_previous[0],
                bits,
                facts,
                codes,
                sources,
                columns,
                seeds,
                scratch,
                gold_extra[j],
            )
            for t in range(width):
                gold_score += weights[gold_extra[j, t]]
        attach(j, head, gold_label[0], gold_previous[0], gold_last[0], gold_zobrist[0])

        if policy == 2:
            gap = score[0] - gold_score
            if not correct[0] and (worst_at == 0 or gap > worst_gap):
                worst_gap, worst_at = gap, j
            continue
        done = j == n
        if any_correct and not (done and not correct[0]):
            continue
        # Either no right item is left, or the document ended with a wrong one on top.
        trace_back(j, 0, beam, parents, choices, extras, gold_rows, gold_extra, bad, bad_extra)
        n_touched = accumulate(
            j, gold_rows, bad, rows, gold_extra, bad_extra, delta, touched_features, n_touched, marked
        )
        loss += loss_of(j, bad, right, offsets, false_new)
        updated_at[n_updates] = j
        n_updates += 1
        if policy == 1:
            apply_update(
                weights, sums, count, loss, passive_aggressive, cap, delta, touched_features, n_touched, marked
            )
            return loss, n_updates, j, tau
        if policy == 3:
            segment = loss_of(j, bad, right, offsets, false_new)
            tau = apply_update(
                weights, sums, count, segment, passive_aggressive, cap, delta, touched_features, n_touched, marked
            )
            n_touched = 0
            # Weights have moved, so the latent tree is built again from the start.
            gold_score = 0.0
            for k in range(1, j + 1):
                for row in range(offsets[k - 1], offsets[k]):
                    if right[row]:
                        score_rows(weights, rows, row, row + 1, arc_scores)
                gold_rows[k] = best_right_row(k, offsets, right, arc_scores)
                gold_score += arc_scores[gold_rows[k]]
                for t in range(width):
                    gold_score += weights[gold_extra[k, t]]
        copy_state(j, 0, 0, gold_label, gold_previous, gold_last, gold_zobrist, label, previous, last, zobrist)
        score[0] = gold_score
        correct[0] = True
        origin[0] = beam
        n_states = 1
    if policy == 2 and worst_at:
        trace_back(worst_at, 0, beam, parents, choices, extras, gold_rows, gold_extra, bad, bad_extra)
        n_touched = accumulate(
            worst_at, gold_rows, bad, rows, gold_extra, bad_extra, delta, touched_features, n_touched, marked
        )
        loss = loss_of(worst_at, bad, right, offsets, false_new)
        updated_at[0] = worst_at
        tau = apply_update(
            weights, sums, count, loss, passive_aggressive, cap, delta, touched_features, n_touched, marked
        )
        return loss, 1, worst_at, tau
    if n_touched:
        tau = apply_update(
            weights, sums, count, loss, passive_aggressive, cap, delta, touched_features, n_touched, marked
        )
    return loss, n_updates, n, tau


@njit(cache=True)
def train_own(  # type: ignore[no-untyped-def]
    weights,
    sums,
    count,
    n,
    offsets,
    heads,
    rows,
    right,
    bits,
    facts,
    codes,
    sources,
    columns,
    seeds,
    false_new,
    augment,
    passive_aggressive,
    cap,
    delta,
    touched_features,
    marked,
    gold_rows,
    updated_at,
):
    """Non-local features of the model's own clusters: at each mention the best right arc against the best arc of
    all, where
    the clusters so far are those that the model itself made. One update at the end."""
    width = len(seeds)
    one = (1, n + 1)
    label, previous = np.zeros(one, np.int32), np.zeros(one, np.int32)
    last, zobrist = np.zeros(one, np.int32), np.zeros(one, np.uint64)
    arc_scores = np.empty(len(heads))
    cluster_scores = np.zeros(n + 1)
    cluster_stamp = np.zeros(n + 1, np.int32)
    cluster_rows = np.zeros((n + 1, width), np.int32)
    good_extra, bad_extra = np.zeros((n + 1, width), np.int32), np.zeros((n + 1, width), np.int32)
    bad = np.zeros(n + 1, np.int64)
    scratch = np.zeros(N_FACTS, np.int64)
    n_updates = 0
    for j in range(1, n + 1):
        score_rows(weights, rows, offsets[j - 1], offsets[j], arc_scores)
        best, best_right, free = -1, -1, -1
        best_score, best_right_score, free_score = 0.0, 0.0, 0.0
        for row in range(offsets[j - 1], offsets[j]):
            total = arc_scores[row]
            if heads[row]:
                cluster = label[0, heads[row]]
                if cluster_stamp[cluster] != j:
                    cluster_stamp[cluster] = j
                    cluster_row(
                        j,
                        last[0, cluster],
                        previous[0],
                        bits,
                        facts,
                        codes,
                        sources,
                        columns,
                        seeds,
                        scratch,
                        cluster_rows[cluster],
                    )
                    extra = 0.0
                    for t in range(width):
                        extra += weights[cluster_rows[cluster, t]]
                    cluster_scores[cluster] = extra
                total += cluster_scores[cluster]
            if right[row]:
                if best_right < 0 or total >= best_right_score:
                    best_right, best_right_score = row, total
            if free < 0 or total >= free_score:
                free, free_score = row, total
            if not right[row]:
                total += augment * false_new if row == offsets[j - 1] else augment
            if best < 0 or total >= best_score:
                best, best_score = row, total
        gold_rows[j] = best_right
        bad[j] = best
        if heads[best_right]:
            good_extra[j] = cluster_rows[label[0, heads[best_right]]]
        if heads[best]:
            bad_extra[j] = cluster_rows[label[0, heads[best]]]
        if not right[best]:
            updated_at[n_updates] = j
            n_updates += 1
        # The clusters that will be met later are those of the model without the loss added.
        attach(j, heads[free], label[0], previous[0], last[0], zobrist[0])
    loss = loss_of(n, bad, right, offsets, false_new)
    tau = 0.0
    if n_updates:
        n_touched = accumulate(n, gold_rows, bad, rows, good_extra, bad_extra, delta, touched_features, 0, marked)
        tau = apply_update(
            weights, sums, count, loss, passive_aggressive, cap, delta, touched_features, n_touched, marked
        )
    return loss, n_updates, n, tau
