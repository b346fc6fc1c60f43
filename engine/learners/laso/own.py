"""Delayed LaSO on the model's own clusters: one greedy item instead of a beam, which suits noisy mentions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.arrays import Floats, Int, ShortInts
from engine.kernels import kernel, part
from engine.learners.laso.arrays import (
    N_FACTS,
    ClusterTemplates,
    Learning,
    Path,
    Record,
    Scoring,
    States,
    TreeInstance,
)
from engine.learners.laso.clusters import attach, cluster_score, new_states
from engine.learners.laso.policies import best_right_row, raise_wrong
from engine.learners.laso.search import score_rows
from engine.learners.laso.updates import accumulate, apply_update, loss_of


class _Found(NamedTuple):
    """Score and feature numbers of every cluster, as seen by the current mention, `stamp`."""

    score: Floats
    stamp: ShortInts
    rows: ShortInts


@kernel
def train_own(
    one: TreeInstance, templates: ClusterTemplates, learning: Learning, record: Record
) -> tuple[float, int, int]:
    """Train with non-local features of the model's own clusters: at each mention, compare the best right arc with the
    best arc of all, given the clusters that the model itself has made so far. One update at the end."""
    n, width, model, size = one.n, len(templates.seeds), learning.model, learning.size
    gold_rows, updated_at, heads, right = record.gold_rows, record.updated_at, one.heads, one.right
    states = new_states(np.int64(1), n)
    label = states.label[0]
    totals, raised = np.empty(len(heads)), np.empty(len(heads))
    found = _Found(np.zeros(n + 1), np.zeros(n + 1, np.int32), np.zeros((n + 1, width), np.int32))
    good_extra, bad_extra = np.zeros((n + 1, width), np.int32), np.zeros((n + 1, width), np.int32)
    bad = np.zeros(n + 1, np.int64)
    n_updates = 0
    for j in range(1, n + 1):
        _score_arcs(j, one, states, Scoring(templates, model.weights), found, totals)
        raise_wrong(j, one, totals, size, raised)
        free = best = one.offsets[j - 1]
        for row in range(free + 1, one.offsets[j]):
            if totals[row] >= totals[free]:
                free = row
            if raised[row] >= raised[best]:
                best = row
        gold_rows[j] = best_right_row(j, one, totals)
        bad[j] = best
        if heads[gold_rows[j]]:
            good_extra[j] = found.rows[label[heads[gold_rows[j]]]]
        if heads[best]:
            bad_extra[j] = found.rows[label[heads[best]]]
        if not right[best]:
            updated_at[n_updates] = j
            n_updates += 1
        # At prediction, clusters are made without the added loss.
        attach(j, heads[free], states, np.int64(0))
    loss = loss_of(n, bad, one, size.false_new)
    if n_updates:
        n_touched = accumulate(n, Path(gold_rows, good_extra), Path(bad, bad_extra), one.rows, model, np.int64(0))
        apply_update(loss, learning, n_touched)
    return loss, n_updates, n


@part
def _score_arcs(j: Int, one: TreeInstance, states: States, scoring: Scoring, found: _Found, totals: Floats) -> None:
    """Scores of the arcs of mention j, including the features of the clusters they lead into."""
    first, end, heads, label = one.offsets[j - 1], one.offsets[j], one.heads, states.label[0]
    scores, stamp, rows, scratch = found.score, found.stamp, found.rows, np.zeros(N_FACTS, np.int64)
    score_rows(scoring.weights, one.rows, first, end, totals)
    for row in range(first, end):
        if heads[row]:
            cluster = label[heads[row]]
            if stamp[cluster] != j:
                stamp[cluster] = j
                last, previous = states.last[0, cluster], states.previous[0]
                scores[cluster] = cluster_score(j, last, previous, one, scoring, scratch, rows[cluster])
            totals[row] += scores[cluster]
