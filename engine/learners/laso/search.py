"""Kernels of beam search over partial clusterings.

A state is the clustering of the mentions read so far; features of the antecedent's cluster depend on nothing else, so
of all arcs that put a mention into one cluster only the best is expanded. For the same reason the gold agenda of
Björkelund and Kuhn (2014, Algorithms 2 and 3) never needs more than one item: all gold-consistent trees have one
clustering.

Ties are broken alike everywhere (total, rank of the parent, arc score, nearness), and sums run in a fixed order, so
that delayed LaSO without non-local features makes the very updates of the baseline, bit by bit.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from engine.learners.laso.arrays import N_FACTS, Agenda, Memo
from engine.learners.laso.clusters import attach, cluster_score, copy_state, new_states


@njit(cache=True, nogil=True)
def score_rows(weights, rows, first, last, out):  # type: ignore[no-untyped-def]
    """Sums of weights of rows [first, last), left to right."""
    width = rows.shape[1]
    for row in range(first, last):
        total = 0.0
        for t in range(width):
            total += weights[rows[row, t]]
        out[row] = total


@njit(cache=True, nogil=True)
def new_agenda(beam, n, width):  # type: ignore[no-untyped-def]
    """An empty beam for n mentions and so many non-local templates."""
    return Agenda(
        np.zeros(beam),
        np.zeros(beam),
        np.zeros(beam, np.int64),
        np.zeros(beam),
        np.zeros(beam, np.int64),
        np.zeros(beam, np.int64),
        np.zeros(beam, np.int32),
        np.zeros((n + 1, beam), np.int32),
        np.zeros((n + 1, beam), np.int64),
        np.zeros((n + 1, beam, width), np.int32),
        np.arange(beam),
        np.zeros(beam, np.int64),
        np.full(n + 1, -1, np.int64),
        np.zeros(n + 1, np.int64),
        np.zeros(N_FACTS, np.int64),
    )


@njit(cache=True, nogil=True)
def new_memo(beam, n, width):  # type: ignore[no-untyped-def]
    """Room for the clusters of all states, at most half full."""
    size = 1024
    while size < 2 * beam * (n + 1) and width:
        size *= 2
    return Memo(np.zeros(size, np.uint64), np.zeros(size, np.int32), np.zeros(size), np.zeros((size, width), np.int32))


@njit(cache=True, nogil=True)
def better(total, parent, arc, row, i, totals, parents, arcs, rows):  # type: ignore[no-untyped-def]
    """Whether a new item comes before the kept item i."""
    if total != totals[i]:
        return total > totals[i]
    if parent != parents[i]:
        return parent < parents[i]
    if arc != arcs[i]:
        return arc > arcs[i]
    return row > rows[i]


@njit(cache=True, nogil=True)
def expand(j, n_states, states, agenda, memo, one, arc_scores, templates, weights, bonds):  # type: ignore[no-untyped-def]
    """The best expansions of all states by mention j; returns how many there are.

    The arrays of the bundles are named once, outside the loops: compiled code counts references at every access.
    """
    n_items, beam, size = 0, len(agenda.total), len(memo.keys)
    best_row, touched, score = agenda.best_row, agenda.touched, agenda.score
    totals, parents, arcs, rows, memos = agenda.total, agenda.parent, agenda.arc, agenda.row, agenda.memo
    label, signature = states.label, states.signature
    keys, stamp, memo_score = memo.keys, memo.stamp, memo.score
    heads, first, last = one.heads, one.offsets[j - 1], one.offsets[j]
    forced_by, avoid = bonds.together[j], bonds.apart[bonds.apart_offsets[j] : bonds.apart_offsets[j + 1]]
    use_clusters = len(templates.seeds) > 0
    for s in range(n_states):
        held_in = agenda.slots[s]
        labels = label[held_in]
        n_touched = np.int64(0)
        # Without non-local features the arc is all that an expansion adds, so most are known to fall behind at once.
        floor = totals[beam - 1] if n_items == beam and not use_clusters else -np.inf
        for row in range(first, last):
            if score[s] + arc_scores[row] < floor:
                continue
            i = heads[row]
            cluster = labels[i] if i else 0
            held = best_row[cluster]
            if held < 0:
                touched[n_touched] = cluster
                n_touched += 1
                best_row[cluster] = row
            elif arc_scores[row] >= arc_scores[held]:
                best_row[cluster] = row
        forced = label[held_in, forced_by] if forced_by else -1
        for k in range(len(avoid)):
            forbidden = label[held_in, avoid[k]]
            # Marked as taken by nothing; clusters that hold no candidate are left alone.
            if best_row[forbidden] >= 0:
                best_row[forbidden] = -2
        for k in range(n_touched):
            cluster = touched[k]
            row = best_row[cluster]
            best_row[cluster] = -1
            if row < 0 or (forced >= 0 and cluster != forced):
                continue
            arc = arc_scores[row]
            total = score[s] + arc
            slot = np.int64(-1)
            if cluster and use_clusters:
                # States share clusters, so what mention j finds of one is worked out once.
                key = signature[held_in, cluster]
                slot = np.int64(key & np.uint64(size - 1))
                while stamp[slot] == j and keys[slot] != key:
                    slot = (slot + 1) & (size - 1)
                if stamp[slot] != j:
                    stamp[slot] = j
                    keys[slot] = key
                    memo_score[slot] = cluster_score(
                        j,
                        states.last[held_in, cluster],
                        states.previous[held_in],
                        one,
                        templates,
                        weights,
                        agenda.scratch,
                        memo.rows[slot],
                    )
                total += memo_score[slot]
            at = n_items
            if n_items == beam:
                at = beam - 1
                if not better(total, s, arc, row, at, totals, parents, arcs, rows):
                    continue
            else:
                n_items += 1
            while at > 0 and better(total, s, arc, row, at - 1, totals, parents, arcs, rows):
                totals[at] = totals[at - 1]
                parents[at] = parents[at - 1]
                arcs[at] = arcs[at - 1]
                rows[at] = rows[at - 1]
                memos[at] = memos[at - 1]
                at -= 1
            totals[at] = total
            parents[at] = s
            arcs[at] = arc
            rows[at] = row
            memos[at] = slot
    return n_items


@njit(cache=True, nogil=True)
def advance(j, n_items, states, agenda, memo, heads):  # type: ignore[no-untyped-def]
    """Make the expansions the states of the next step, and write down how they came about.

    The last child of a state takes over its row, so that only brothers are copied: into rows that have no child.
    """
    slots, children, parent = agenda.slots, agenda.children, agenda.parent
    children[:] = 0
    for k in range(n_items):
        children[slots[parent[k]]] += 1
    taken = np.empty(n_items, np.int64)
    free = 0
    unused = np.flatnonzero(children == 0)
    for k in range(n_items):
        row = slots[parent[k]]
        children[row] -= 1
        if children[row] == 0:
            taken[k] = row
        else:
            taken[k] = unused[free]
            free += 1
            copy_state(j - 1, states, row, states, taken[k])
        attach(j, heads[agenda.row[k]], states, taken[k])
        agenda.score[k] = agenda.total[k]
        agenda.parents[j, k] = agenda.origin[parent[k]]
        agenda.choices[j, k] = agenda.row[k]
        if agenda.memo[k] >= 0:
            agenda.extras[j, k] = memo.rows[agenda.memo[k]]
    for k in range(n_items):
        slots[k] = taken[k]
        agenda.origin[k] = k


@njit(cache=True, nogil=True)
def trace_back(j, agenda, gold_rows, gold_extra, chosen, extra):  # type: ignore[no-untyped-def]
    """The path of the best item: rows per mention and their non-local numbers."""
    slot = 0
    for k in range(j, 0, -1):
        if slot == len(agenda.score):
            chosen[k] = gold_rows[k]
            extra[k] = gold_extra[k]
        else:
            chosen[k] = agenda.choices[k, slot]
            extra[k] = agenda.extras[k, slot]
            slot = agenda.parents[k, slot]


@njit(cache=True, nogil=True)
def decode(one, arc_scores, templates, weights, beam, bias, bonds):  # type: ignore[no-untyped-def]
    """The best tree that beam search finds: row chosen per mention, and its total (minus infinity where the pins leave
    some mention no place)."""
    n, width = one.n, len(templates.seeds)
    biased = arc_scores.copy()
    for j in range(n):
        biased[one.offsets[j]] += bias
    states = new_states(beam, n)
    agenda, memo = new_agenda(beam, n, width), new_memo(beam, n, width)
    n_states = np.int64(1)
    chosen, extra = np.full(n + 1, -1, np.int64), np.zeros((n + 1, width), np.int32)
    for j in range(1, n + 1):
        n_states = expand(j, n_states, states, agenda, memo, one, biased, templates, weights, bonds)
        if n_states == 0:
            return chosen, -np.inf
        advance(j, n_states, states, agenda, memo, one.heads)
    trace_back(n, agenda, chosen, extra, chosen, extra)
    return chosen, agenda.score[0]
