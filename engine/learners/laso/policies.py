"""Training on one document in one pass, by policies that differ in where they update.

baseline (Algorithm 1): exact best-first trees, one update. early and max-violation: beam search, one update on a
prefix. laso: an update wherever the last right item leaves the beam, then continue from the gold clustering. delayed:
the same places, but the differences are added up and applied once at the end (Björkelund and Kuhn 2014, Algorithms 1 to
3). The items of this beam are clusterings; trees.py has the same policies over agendas of trees.

Each fills a record of the latent tree and the places of updates; returns (loss, number of updates, mentions read).
"""

from __future__ import annotations

import numpy as np

from engine.arrays import Flags, Floats, Int, Ints
from engine.kernels import inlined, kernel
from engine.learners.laso.arrays import (
    N_FACTS,
    Beam,
    Bonds,
    ClusterTemplates,
    Learning,
    Path,
    Record,
    Scoring,
    States,
    StepSize,
    TreeInstance,
)
from engine.learners.laso.clusters import attach, cluster_row, copy_state, new_states
from engine.learners.laso.search import advance, expand, new_beam, score_rows, trace_back
from engine.learners.laso.updates import add_difference, apply_update, update_at

BASELINE, EARLY, MAX_VIOLATION, LASO, DELAYED = range(5)


@kernel
def best_right_row(j: Int, one: TreeInstance, arc_scores: Floats) -> Int:
    right = one.right
    best: Int = np.int64(-1)
    for row in range(one.offsets[j - 1], one.offsets[j]):
        if right[row] and (best < 0 or arc_scores[row] >= arc_scores[best]):
            best = row
    return best


@kernel
def latent_heads(one: TreeInstance, arc_scores: Floats) -> Ints:
    """Head of each mention in the best tree that gold allows."""
    heads = np.empty(one.n, np.int64)
    for j in range(1, one.n + 1):
        heads[j - 1] = one.heads[best_right_row(j, one, arc_scores)]
    return heads


@kernel
def raise_wrong(j: Int, one: TreeInstance, arc_scores: Floats, size: StepSize, raised: Floats) -> None:
    """Scores of the arcs of mention j with the loss added to the wrong ones."""
    right, first = one.right, one.offsets[j - 1]
    for row in range(first, one.offsets[j]):
        raised[row] = arc_scores[row]
        if not right[row]:
            raised[row] += size.augment * size.false_new if row == first else size.augment


@kernel
def train_baseline(one: TreeInstance, learning: Learning, record: Record) -> tuple[float, int, int]:
    """Best-first prediction and latent tree, one update."""
    n, model, size = one.n, learning.model, learning.size
    arc_scores, raised = np.empty(len(one.heads)), np.empty(len(one.heads))
    score_rows(model.weights, one.rows, np.int64(0), len(one.heads), arc_scores)
    bad = np.zeros(n + 1, np.int64)
    record.updated_at[0] = n
    wrong = False
    for j in range(1, n + 1):
        record.gold_rows[j] = best_right_row(j, one, arc_scores)
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
    return update_at(n, Path(record.gold_rows, nothing), Path(bad, nothing), one, learning, record), 1, n


@kernel
def train_beam(
    policy: Int, width: Int, one: TreeInstance, templates: ClusterTemplates, learning: Learning, record: Record
) -> tuple[float, int, int]:
    """Beam search under one of the policies that update where right items are lost."""
    n, model, size, updated_at = one.n, learning.model, learning.size, record.updated_at
    scoring = Scoring(templates, model.weights)
    beam, gold = new_beam(width, n, len(templates.seeds)), new_states(np.int64(1), n)
    bonds = Bonds(np.zeros(n + 1, np.int64), np.zeros(n + 2, np.int64), np.zeros(0, np.int64))
    good = Path(record.gold_rows, np.zeros((n + 1, len(templates.seeds)), np.int32))
    bad = Path(np.zeros(n + 1, np.int64), np.zeros((n + 1, len(templates.seeds)), np.int32))
    correct, correct_after = np.zeros(width, np.bool_), np.zeros(width, np.bool_)
    arc_scores, raised = np.empty(len(one.heads)), np.empty(len(one.heads))

    n_states: Int = np.int64(1)
    n_touched: Int = np.int64(0)
    n_updates = 0
    correct[0] = True
    gold_score, loss, worst_gap, worst_at = 0.0, 0.0, 0.0, 0
    for j in range(1, n + 1):
        score_rows(model.weights, one.rows, one.offsets[j - 1], one.offsets[j], arc_scores)
        raise_wrong(j, one, arc_scores, size, raised)
        n_states = expand(j, n_states, beam, one, raised, scoring, bonds)
        advance(j, n_states, beam, one.heads)
        any_correct = still_right(n_states, beam, one, correct, correct_after)
        correct, correct_after = correct_after, correct
        gold_score = _extend_gold(j, one, arc_scores, scoring, good, gold, gold_score)
        if policy == MAX_VIOLATION:
            gap = beam.agenda.score[0] - gold_score
            if not correct[0] and (worst_at == 0 or gap > worst_gap):
                worst_gap, worst_at = gap, j
            continue
        if any_correct and not (j == n and not correct[0]):
            continue
        # Either no right item is left, or the document ended with a wrong one on top.
        trace_back(j, beam.agenda, good, bad)
        segment, n_touched = add_difference(j, good, bad, one, learning, n_touched)
        loss += segment
        updated_at[n_updates] = j
        n_updates += 1
        if policy == EARLY:
            apply_update(loss, learning, n_touched)
            return loss, n_updates, j
        if policy == LASO:
            apply_update(segment, learning, n_touched)
            n_touched = np.int64(0)
            gold_score = renew_latent(j, one, model.weights, arc_scores, good)
        _go_on_from_gold(j, gold, gold_score, beam)
        correct[0] = True
        n_states = np.int64(1)
    if policy == MAX_VIOLATION and worst_at:
        trace_back(worst_at, beam.agenda, good, bad)
        return update_at(worst_at, good, bad, one, learning, record), 1, worst_at
    if n_touched:
        apply_update(loss, learning, n_touched)
    return loss, n_updates, n


@kernel
def still_right(n_states: Int, beam: Beam, one: TreeInstance, before: Flags, after: Flags) -> bool:
    """Mark the items of the beam that agree with gold, given those of the previous step; returns whether any does."""
    parent, option, right = beam.agenda.kept.parent, beam.agenda.kept.option, one.right
    found = False
    for k in range(n_states):
        after[k] = before[parent[k]] and right[option[k]]
        found = found or after[k]
    return found


@kernel
def _extend_gold(
    j: Int, one: TreeInstance, arc_scores: Floats, scoring: Scoring, good: Path, gold: States, score: float
) -> float:
    """Extend the gold agenda, which is one clustering, by the best right arc of mention j. Returns its score."""
    weights, extra, n_templates = scoring.weights, good.extra, len(scoring.templates.seeds)
    row = best_right_row(j, one, arc_scores)
    good.rows[j] = row
    score += arc_scores[row]
    head = one.heads[row]
    if head and n_templates:
        last, scratch = gold.last[0, gold.label[0, head]], np.zeros(N_FACTS, np.int64)
        cluster_row(j, last, gold.previous[0], one, scoring.templates, len(weights) - 1, scratch, extra[j])
        for t in range(n_templates):
            score += weights[extra[j, t]]
    attach(j, head, gold, np.int64(0))
    return score


@inlined
def _go_on_from_gold(j: Int, gold: States, gold_score: float, beam: Beam) -> None:
    """Make the gold clustering the only item of the beam."""
    agenda = beam.agenda
    copy_state(j, gold, np.int64(0), beam.states, agenda.slots[0])
    agenda.score[0] = gold_score
    agenda.origin[0] = len(agenda.score)


@kernel
def renew_latent(j: Int, one: TreeInstance, weights: Floats, arc_scores: Floats, good: Path) -> float:
    """Recompute the latent tree up to mention j after a change of weights; returns its score."""
    rows, extra, right = good.rows, good.extra, one.right
    score = 0.0
    for k in range(1, j + 1):
        for row in range(one.offsets[k - 1], one.offsets[k]):
            if right[row]:
                score_rows(weights, one.rows, row, row + 1, arc_scores)
        rows[k] = best_right_row(k, one, arc_scores)
        score += arc_scores[rows[k]]
        for t in range(extra.shape[1]):
            score += weights[extra[k, t]]
    return score
