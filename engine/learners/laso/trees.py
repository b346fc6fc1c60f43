"""The agendas of Björkelund and Kuhn (2014, Algorithms 2 and 3) as printed: their items are trees, not clusterings.

Two agendas of k partial trees read the document in parallel, one over all arcs and one over those that gold allows.
Different trees with the same clustering are separate items, so they may fill a whole agenda. An update compares the
best tree of one agenda with the best tree of the other; then the predicted agenda becomes a copy of the gold one.
"""

from __future__ import annotations

import numpy as np

from engine.arrays import Floats, Int
from engine.kernels import inlined, kernel
from engine.learners.laso.arrays import (
    Beam,
    Bonds,
    ClusterTemplates,
    Learning,
    Path,
    Record,
    Scoring,
    TreeInstance,
)
from engine.learners.laso.clusters import copy_state
from engine.learners.laso.policies import EARLY, LASO, MAX_VIOLATION, raise_wrong, still_right
from engine.learners.laso.search import advance, expand_trees, new_beam, score_rows
from engine.learners.laso.updates import add_difference, apply_update, update_at


@kernel
def train_trees(
    policy: Int, width: Int, one: TreeInstance, templates: ClusterTemplates, learning: Learning, record: Record
) -> tuple[float, int, int]:
    """One document under early update, max-violation, LaSO or delayed LaSO; returns (loss, updates, mentions read)."""
    n, model, size, updated_at = one.n, learning.model, learning.size, record.updated_at
    n_templates = len(templates.seeds)
    scoring = Scoring(templates, model.weights)
    found, gold = new_beam(width, n, n_templates), new_beam(width, n, n_templates)
    bonds = Bonds(np.zeros(n + 1, np.int64), np.zeros(n + 2, np.int64), np.zeros(0, np.int64))
    good = Path(record.gold_rows, np.zeros((n + 1, n_templates), np.int32))
    bad = Path(np.zeros(n + 1, np.int64), np.zeros((n + 1, n_templates), np.int32))
    correct, correct_after = np.zeros(width, np.bool_), np.zeros(width, np.bool_)
    arc_scores, raised = np.empty(len(one.heads)), np.empty(len(one.heads))

    n_found: Int = np.int64(1)
    n_gold: Int = np.int64(1)
    n_touched: Int = np.int64(0)
    since: Int = np.int64(0)
    n_updates = 0
    correct[0] = True
    loss, worst_gap, worst_at = 0.0, 0.0, 0
    for j in range(1, n + 1):
        score_rows(model.weights, one.rows, one.offsets[j - 1], one.offsets[j], arc_scores)
        raise_wrong(j, one, arc_scores, size, raised)
        n_gold = expand_trees(j, n_gold, gold, one, arc_scores, scoring, bonds, True)
        advance(j, n_gold, gold, one.heads)
        n_found = expand_trees(j, n_found, found, one, raised, scoring, bonds, False)
        advance(j, n_found, found, one.heads)
        any_correct = still_right(n_found, found, one, correct, correct_after)
        correct, correct_after = correct_after, correct
        if policy == MAX_VIOLATION:
            gap = found.agenda.score[0] - gold.agenda.score[0]
            if not correct[0] and (worst_at == 0 or gap > worst_gap):
                worst_gap, worst_at = gap, j
            continue
        if any_correct and not (j == n and not correct[0]):
            continue
        _trace_tree(j, since, found, gold, bad)
        _trace_tree(j, j, found, gold, good)
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
            n_gold = _read_gold_again(j, gold, one, arc_scores, scoring, bonds)
        _copy_agenda(j, n_gold, gold, found)
        n_found, since = n_gold, np.int64(j)
        correct[:n_gold] = True
    if policy == MAX_VIOLATION and worst_at:
        _trace_tree(worst_at, since, found, gold, bad)
        _trace_tree(worst_at, worst_at, found, gold, good)
        return update_at(worst_at, good, bad, one, learning, record), 1, worst_at
    if n_touched:
        apply_update(loss, learning, n_touched)
    _trace_tree(n, n, found, gold, good)
    return loss, n_updates, n


@kernel
def _trace_tree(j: Int, since: Int, found: Beam, gold: Beam, path: Path) -> None:
    """The best tree of an agenda, whose history up to mention `since` is that of the gold agenda."""
    slot: Int = np.int64(0)
    for k in range(j, 0, -1):
        agenda = found.agenda if k > since else gold.agenda
        path.rows[k] = agenda.choices[k, slot]
        path.extra[k] = agenda.extras[k, slot]
        slot = agenda.parents[k, slot]


@inlined
def _copy_agenda(j: Int, n_gold: Int, gold: Beam, found: Beam) -> None:
    """AgendaP = AgendaG. Decisions up to here are read from the gold agenda from now on."""
    slots = found.agenda.slots
    for k in range(len(slots)):
        slots[k] = k
    for k in range(n_gold):
        copy_state(j, gold.states, gold.agenda.slots[k], found.states, slots[k])
        found.agenda.score[k] = gold.agenda.score[k]
        found.agenda.origin[k] = k


@kernel
def _read_gold_again(j: Int, gold: Beam, one: TreeInstance, arc_scores: Floats, scoring: Scoring, bonds: Bonds) -> Int:
    """Recompute the gold agenda from the beginning of the document after a change of weights; returns its size."""
    agenda = gold.agenda
    # Cached features of earlier mentions were scored with other weights. Gold trees share their clusters, so old scores
    # would shift all of them alike and change no order, but they would not be the scores of these trees.
    gold.memo.stamp[:] = 0
    agenda.score[0] = 0.0
    agenda.origin[0] = 0
    n_gold: Int = np.int64(1)
    for k in range(1, j + 1):
        score_rows(scoring.weights, one.rows, one.offsets[k - 1], one.offsets[k], arc_scores)
        n_gold = expand_trees(k, n_gold, gold, one, arc_scores, scoring, bonds, True)
        advance(k, n_gold, gold, one.heads)
    return n_gold
