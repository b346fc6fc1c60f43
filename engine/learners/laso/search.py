"""Kernels of beam search over partial clusterings, or over partial trees as in the paper's agendas.

A state is the clustering of the mentions read so far. Features of the antecedent's cluster depend on nothing else, so
among all arcs that put a mention into the same cluster only the best is expanded. For the same reason the gold agenda
of Björkelund and Kuhn (2014, Algorithms 2 and 3) never needs more than one item: all gold-consistent trees have one
clustering.

Ties are broken in the same way everywhere (total, rank of the parent, arc score, nearness), and sums run in a fixed
order, so that delayed LaSO without non-local features makes exactly the updates of the baseline, bit by bit.
"""

from __future__ import annotations

import numpy as np

from engine.arrays import Floats, Int, Ints, ShortInts, Words
from engine.kernels import inlined, kernel, part
from engine.learners.laso.arrays import (
    N_FACTS,
    Agenda,
    Beam,
    Bonds,
    Memo,
    Path,
    Scoring,
    TreeInstance,
)
from engine.learners.laso.clusters import attach, cluster_score, copy_state, new_states
from engine.structures.beam import Expansion, offer, room_to_keep


@kernel
def score_rows(weights: Floats, rows: ShortInts, first: Int, last: Int, out: Floats) -> None:
    """Sums of weights of rows [first, last), left to right."""
    width = rows.shape[1]
    for row in range(first, last):
        total = 0.0
        for t in range(width):
            total += weights[rows[row, t]]
        out[row] = total


@part
def new_beam(beam: Int, n: Int, width: Int) -> Beam:
    """An empty beam for n mentions and `width` non-local templates."""
    agenda = Agenda(
        np.zeros(beam),
        room_to_keep(beam),
        np.zeros(beam, np.int32),
        np.zeros((n + 1, beam), np.int32),
        np.zeros((n + 1, beam), np.int64),
        np.zeros((n + 1, beam, width), np.int32),
        np.arange(beam),
        np.zeros(beam, np.int64),
        np.full(n + 1, -1, np.int64),
        np.zeros(n + 1, np.int64),
    )
    # Room for the clusters of all states, at most half full.
    size = 1024
    while size < 2 * beam * (n + 1) and width:
        size *= 2
    memo = Memo(np.zeros(size, np.uint64), np.zeros(size, np.int32), np.zeros(size), np.zeros((size, width), np.int32))
    return Beam(new_states(beam, n), agenda, memo, np.zeros(N_FACTS, np.int64))


@part
def expand(
    j: Int, n_states: Int, beam: Beam, one: TreeInstance, arc_scores: Floats, scoring: Scoring, bonds: Bonds
) -> Int:
    """The best expansions of all states by mention j; returns their number.

    Arrays are bound to local names outside the loops, because compiled code counts references at every access.
    """
    agenda, kept = beam.agenda, beam.agenda.kept
    best_row, touched, score, slots = agenda.best_row, agenda.touched, agenda.score, agenda.slots
    states, memo, scratch = beam.states, beam.memo, beam.scratch
    label, signature, lasts, previous = states.label, states.signature, states.last, states.previous
    keys, stamp, memo_score, memo_rows = memo.keys, memo.stamp, memo.score, memo.rows
    heads, first, last = one.heads, one.offsets[j - 1], one.offsets[j]
    forced_by, avoid = bonds.together[j], bonds.apart[bonds.apart_offsets[j] : bonds.apart_offsets[j + 1]]
    use_clusters, width = len(scoring.templates.seeds) > 0, len(score)
    values = kept.value
    n_items: Int = np.int64(0)
    for s in range(n_states):
        held_in = slots[s]
        # Without non-local features an expansion adds only the score of its arc, so most can be discarded at once.
        floor = values[width - 1] if n_items == width and not use_clusters else -np.inf
        n_touched = np.int64(0)
        for row in range(first, last):
            if score[s] + arc_scores[row] < floor:
                continue
            i = heads[row]
            cluster = label[held_in, i] if i else 0
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
            # Mark the clusters of candidates as not yet taken; other clusters are not touched.
            if best_row[forbidden] >= 0:
                best_row[forbidden] = -2
        for k in range(n_touched):
            cluster = touched[k]
            row = best_row[cluster]
            best_row[cluster] = -1
            if row < 0 or (forced >= 0 and cluster != forced):
                continue
            total = score[s] + arc_scores[row]
            slot: Int = np.int64(-1)
            if cluster and use_clusters:
                # States share clusters, so the features of mention j and a cluster are computed once.
                key = signature[held_in, cluster]
                slot = _slot_of(key, j, keys, stamp)
                if stamp[slot] != j:
                    stamp[slot], keys[slot] = j, key
                    end, links = lasts[held_in, cluster], previous[held_in]
                    memo_score[slot] = cluster_score(j, end, links, one, scoring, scratch, memo_rows[slot])
                total += memo_score[slot]
            n_items = offer(Expansion(total, s, arc_scores[row], row, slot), kept, n_items)
    return n_items


@part
def expand_trees(
    j: Int, n_states: Int, beam: Beam, one: TreeInstance, arc_scores: Floats, scoring: Scoring, bonds: Bonds,
    right_only: bool,
) -> Int:  # fmt: skip
    """The same over trees: every arc makes an item of its own, whichever cluster it leads into. `right_only`: only arcs
    that gold allows."""
    agenda, kept, states, memo = beam.agenda, beam.agenda.kept, beam.states, beam.memo
    score, slots, label = agenda.score, agenda.slots, states.label
    heads, right = one.heads, one.right
    forced_by, avoid = bonds.together[j], bonds.apart[bonds.apart_offsets[j] : bonds.apart_offsets[j + 1]]
    use_clusters = len(scoring.templates.seeds) > 0
    n_items: Int = np.int64(0)
    for s in range(n_states):
        held_in = slots[s]
        forced = label[held_in, forced_by] if forced_by else -1
        for row in range(one.offsets[j - 1], one.offsets[j]):
            i = heads[row]
            cluster = label[held_in, i] if i else 0
            if (right_only and not right[row]) or (forced >= 0 and cluster != forced):
                continue
            if cluster and is_in(cluster, label[held_in], avoid):
                continue
            total = score[s] + arc_scores[row]
            slot: Int = np.int64(-1)
            if cluster and use_clusters:
                key = states.signature[held_in, cluster]
                slot = _slot_of(key, j, memo.keys, memo.stamp)
                if memo.stamp[slot] != j:
                    memo.stamp[slot], memo.keys[slot] = j, key
                    end, links = states.last[held_in, cluster], states.previous[held_in]
                    memo.score[slot] = cluster_score(j, end, links, one, scoring, beam.scratch, memo.rows[slot])
                total += memo.score[slot]
            n_items = offer(Expansion(total, s, arc_scores[row], row, slot), kept, n_items)
    return n_items


@inlined
def is_in(cluster: Int, label: ShortInts, mentions: Ints) -> bool:
    """Whether any of these mentions belongs to the cluster."""
    for mention in mentions:
        if label[mention] == cluster:
            return True
    return False


@inlined
def _slot_of(key: np.uint64, j: Int, keys: Words, stamp: ShortInts) -> Int:
    """The position of a cluster in the memo, or a free one for it, for mention j."""
    size = len(keys)
    slot = np.int64(key & np.uint64(size - 1))
    while stamp[slot] == j and keys[slot] != key:
        slot = (slot + 1) & (size - 1)
    return slot


@part
def advance(j: Int, n_items: Int, beam: Beam, heads: ShortInts) -> None:
    """Make the expansions the states of the next step, and record where each came from.

    The last child of a state takes over its row, so that only the other children are copied, into rows without a child.
    """
    states, agenda, kept, memo_rows = beam.states, beam.agenda, beam.agenda.kept, beam.memo.rows
    slots, children, parent, option, note = agenda.slots, agenda.children, kept.parent, kept.option, kept.note
    score, value, origin = agenda.score, kept.value, agenda.origin
    parents, choices, extras = agenda.parents, agenda.choices, agenda.extras
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
        attach(j, heads[option[k]], states, taken[k])
        score[k] = value[k]
        parents[j, k] = origin[parent[k]]
        choices[j, k] = option[k]
        if note[k] >= 0:
            extras[j, k] = memo_rows[note[k]]
        else:
            extras[j, k] = 0
    for k in range(n_items):
        slots[k] = taken[k]
        origin[k] = k


@part
def trace_back(j: Int, agenda: Agenda, gold: Path, found: Path) -> None:
    """The path of the best item: rows per mention and their non-local numbers."""
    slot = 0
    for k in range(j, 0, -1):
        if slot == len(agenda.score):
            found.rows[k] = gold.rows[k]
            found.extra[k] = gold.extra[k]
        else:
            found.rows[k] = agenda.choices[k, slot]
            found.extra[k] = agenda.extras[k, slot]
            slot = agenda.parents[k, slot]


@kernel
def decode(
    one: TreeInstance, arc_scores: Floats, scoring: Scoring, width: Int, bias: float, bonds: Bonds, trees: bool
) -> tuple[Ints, float]:
    """The best tree found by beam search over clusterings or trees: the row chosen for each mention, and its total
    (minus infinity if the pins leave some mention no place)."""
    n, n_templates = one.n, len(scoring.templates.seeds)
    biased = arc_scores.copy()
    for j in range(n):
        biased[one.offsets[j]] += bias
    beam = new_beam(width, n, n_templates)
    n_states: Int = np.int64(1)
    path = Path(np.full(n + 1, -1, np.int64), np.zeros((n + 1, n_templates), np.int32))
    for j in range(1, n + 1):
        if trees:
            n_states = expand_trees(j, n_states, beam, one, biased, scoring, bonds, False)
        else:
            n_states = expand(j, n_states, beam, one, biased, scoring, bonds)
        if n_states == 0:
            return path.rows, -np.inf
        advance(j, n_states, beam, one.heads)
    trace_back(n, beam.agenda, path, path)
    return path.rows, beam.agenda.score[0]
