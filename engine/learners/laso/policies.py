"""One document, one pass of training: where each policy updates.

baseline (Algorithm 1): exact best-first trees, one update. early and max-violation: beam search, one update on a
prefix. laso: an update wherever the last right item leaves the beam, then on from the gold clustering. delayed: the
same places, but the differences are added up and applied once at the end (Björkelund and Kuhn 2014, Algorithms 1 to 3).

Each fills the latent tree (`gold_rows`) and the places of updates; returns (loss, number of updates, mentions read).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from engine.learners.laso.arrays import N_FACTS, Bonds
from engine.learners.laso.clusters import attach, cluster_row, cluster_score, copy_state, new_states
from engine.learners.laso.search import advance, expand, new_agenda, new_memo, score_rows, trace_back
from engine.learners.laso.updates import accumulate, apply_update, loss_of

BASELINE, EARLY, MAX_VIOLATION, LASO, DELAYED = range(5)


@njit(cache=True, nogil=True)
def best_right_row(j, one, arc_scores):  # type: ignore[no-untyped-def]
    best = -1
    for row in range(one.offsets[j - 1], one.offsets[j]):
        if one.right[row] and (best < 0 or arc_scores[row] >= arc_scores[best]):
            best = row
    return best


@njit(cache=True, nogil=True)
def latent_heads(one, arc_scores):  # type: ignore[no-untyped-def]
    """Head of each mention in the best tree that gold allows."""
    heads = np.empty(one.n, np.int64)
    for j in range(1, one.n + 1):
        heads[j - 1] = one.heads[best_right_row(j, one, arc_scores)]
    return heads


@njit(cache=True, nogil=True)
def raise_wrong(j, one, arc_scores, size, raised):  # type: ignore[no-untyped-def]
    """Scores of the arcs of mention j with the loss added to the wrong ones."""
    first = one.offsets[j - 1]
    for row in range(first, one.offsets[j]):
        raised[row] = arc_scores[row]
        if not one.right[row]:
            raised[row] += size.augment * size.false_new if row == first else size.augment


@njit(cache=True, nogil=True)
def train_baseline(one, model, count, size, gold_rows, updated_at):  # type: ignore[no-untyped-def]
    """Best-first prediction and latent tree, one update."""
    n = one.n
    arc_scores, raised = np.empty(len(one.heads)), np.empty(len(one.heads))
    score_rows(model.weights, one.rows, np.int64(0), len(one.heads), arc_scores)
    bad = np.zeros(n + 1, np.int64)
    updated_at[0] = n
    wrong = False
    for j in range(1, n + 1):
        gold_rows[j] = best_right_row(j, one, arc_scores)
        raise_wrong(j, one, arc_scores, size, raised)
        best = one.offsets[j - 1]
        for row in range(best + 1, one.offsets[j]):
            if raised[row] >= raised[best]:
                best = row
        bad[j] = best
        wrong = wrong or not one.right[best]
    if not wrong:
        return 0.0, 0, n
    nothing = np.zeros((n + 1, 0), np.int32)
    n_touched = accumulate(n, gold_rows, bad, one.rows, nothing, nothing, model, np.int64(0))
    loss = loss_of(n, bad, one, size.false_new)
    apply_update(loss, count, size, model, n_touched)
    return loss, 1, n


@njit(cache=True, nogil=True)
def train_beam(policy, one, templates, beam, model, count, size, gold_rows, updated_at):  # type: ignore[no-untyped-def]
    """Beam search under one of the policies that update where right items are lost."""
    n, width = one.n, len(templates.seeds)
    weights = model.weights
    states, gold = new_states(beam, n), new_states(np.int64(1), n)
    agenda, memo = new_agenda(beam, n, width), new_memo(beam, n, width)
    bonds = Bonds(np.zeros(n + 1, np.int64), np.zeros(n + 2, np.int64), np.zeros(0, np.int64))
    gold_extra, bad_extra = np.zeros((n + 1, width), np.int32), np.zeros((n + 1, width), np.int32)
    correct, correct_after = np.zeros(beam, np.bool_), np.zeros(beam, np.bool_)
    scratch = np.zeros(N_FACTS, np.int64)
    arc_scores, raised = np.empty(len(one.heads)), np.empty(len(one.heads))
    bad = np.zeros(n + 1, np.int64)

    n_states, n_updates, n_touched = np.int64(1), 0, np.int64(0)
    correct[0] = True
    gold_score, loss = 0.0, 0.0
    worst_gap = 0.0
    worst_at: Any = np.int64(0)
    for j in range(1, n + 1):
        score_rows(weights, one.rows, one.offsets[j - 1], one.offsets[j], arc_scores)
        raise_wrong(j, one, arc_scores, size, raised)
        n_states = expand(j, n_states, states, agenda, memo, one, raised, templates, weights, bonds)
        advance(j, n_states, states, agenda, memo, one.heads)
        any_correct = False
        for k in range(n_states):
            correct_after[k] = correct[agenda.parent[k]] and one.right[agenda.row[k]]
            any_correct = any_correct or correct_after[k]
        correct, correct_after = correct_after, correct

        # The gold agenda: one clustering, the best right arc.
        gold_rows[j] = best_right_row(j, one, arc_scores)
        gold_score += arc_scores[gold_rows[j]]
        head = one.heads[gold_rows[j]]
        if head and width:
            last = gold.last[0, gold.label[0, head]]
            cluster_row(j, last, gold.previous[0], one, templates, len(weights) - 1, scratch, gold_extra[j])
            for t in range(width):
                gold_score += weights[gold_extra[j, t]]
        attach(j, head, gold, np.int64(0))

        if policy == MAX_VIOLATION:
            gap = agenda.score[0] - gold_score
            if not correct[0] and (worst_at == 0 or gap > worst_gap):
                worst_gap, worst_at = gap, j
            continue
        if any_correct and not (j == n and not correct[0]):
            continue
        # Either no right item is left, or the document ended with a wrong one on top.
        trace_back(j, agenda, gold_rows, gold_extra, bad, bad_extra)
        n_touched = accumulate(j, gold_rows, bad, one.rows, gold_extra, bad_extra, model, n_touched)
        segment = loss_of(j, bad, one, size.false_new)
        loss += segment
        updated_at[n_updates] = j
        n_updates += 1
        if policy == EARLY:
            apply_update(loss, count, size, model, n_touched)
            return loss, n_updates, j
        if policy == LASO:
            apply_update(segment, count, size, model, n_touched)
            n_touched = np.int64(0)
            gold_score = renew_latent(j, one, weights, arc_scores, gold_rows, gold_extra)
        copy_state(j, gold, np.int64(0), states, agenda.slots[0])
        agenda.score[0] = gold_score
        agenda.origin[0] = beam
        correct[0] = True
        n_states = np.int64(1)
    if policy == MAX_VIOLATION and worst_at:
        trace_back(worst_at, agenda, gold_rows, gold_extra, bad, bad_extra)
        n_touched = accumulate(worst_at, gold_rows, bad, one.rows, gold_extra, bad_extra, model, n_touched)
        loss = loss_of(worst_at, bad, one, size.false_new)
        updated_at[0] = worst_at
        apply_update(loss, count, size, model, n_touched)
        return loss, 1, worst_at
    if n_touched:
        apply_update(loss, count, size, model, n_touched)
    return loss, n_updates, n


@njit(cache=True, nogil=True)
def renew_latent(j, one, weights, arc_scores, gold_rows, gold_extra):  # type: ignore[no-untyped-def]
    """The latent tree up to mention j again, as the weights have moved; returns its score."""
    score = 0.0
    for k in range(1, j + 1):
        for row in range(one.offsets[k - 1], one.offsets[k]):
            if one.right[row]:
                score_rows(weights, one.rows, row, row + 1, arc_scores)
        gold_rows[k] = best_right_row(k, one, arc_scores)
        score += arc_scores[gold_rows[k]]
        for t in range(gold_extra.shape[1]):
            score += weights[gold_extra[k, t]]
    return score


@njit(cache=True, nogil=True)
def train_own(one, templates, model, count, size, gold_rows, updated_at):  # type: ignore[no-untyped-def]
    """Non-local features of the model's own clusters: at each mention the best right arc against the best arc of
    all, where the clusters so far are those that the model itself made. One update at the end."""
    n, width = one.n, len(templates.seeds)
    weights = model.weights
    states = new_states(np.int64(1), n)
    label = states.label[0]
    arc_scores, totals, raised = np.empty(len(one.heads)), np.empty(len(one.heads)), np.empty(len(one.heads))
    cluster_scores, stamp = np.zeros(n + 1), np.zeros(n + 1, np.int32)
    cluster_rows = np.zeros((n + 1, width), np.int32)
    good_extra, bad_extra = np.zeros((n + 1, width), np.int32), np.zeros((n + 1, width), np.int32)
    bad = np.zeros(n + 1, np.int64)
    scratch = np.zeros(N_FACTS, np.int64)
    n_updates = 0
    for j in range(1, n + 1):
        first, end = one.offsets[j - 1], one.offsets[j]
        score_rows(weights, one.rows, first, end, arc_scores)
        for row in range(first, end):
            totals[row] = arc_scores[row]
            if one.heads[row]:
                cluster = label[one.heads[row]]
                if stamp[cluster] != j:
                    stamp[cluster] = j
                    cluster_scores[cluster] = cluster_score(
                        j,
                        states.last[0, cluster],
                        states.previous[0],
                        one,
                        templates,
                        weights,
                        scratch,
                        cluster_rows[cluster],
                    )
                totals[row] += cluster_scores[cluster]
        raise_wrong(j, one, totals, size, raised)
        free, best = first, first
        for row in range(first + 1, end):
            if totals[row] >= totals[free]:
                free = row
            if raised[row] >= raised[best]:
                best = row
        gold_rows[j] = best_right_row(j, one, totals)
        bad[j] = best
        if one.heads[gold_rows[j]]:
            good_extra[j] = cluster_rows[label[one.heads[gold_rows[j]]]]
        if one.heads[best]:
            bad_extra[j] = cluster_rows[label[one.heads[best]]]
        if not one.right[best]:
            updated_at[n_updates] = j
            n_updates += 1
        # The clusters that will be met later are those of the model without the loss added.
        attach(j, one.heads[free], states, np.int64(0))
    loss = loss_of(n, bad, one, size.false_new)
    if n_updates:
        n_touched = accumulate(n, gold_rows, bad, one.rows, good_extra, bad_extra, model, np.int64(0))
        apply_update(loss, count, size, model, n_touched)
    return loss, n_updates, n
