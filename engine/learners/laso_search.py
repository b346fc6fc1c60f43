"""Kernels of incremental coreference: beam search over partial clusterings, and updates along two trees.

A state is the clustering of the mentions read so far; features of the antecedent's cluster depend on nothing else,
so of
all arcs that put a mention into one cluster only the best is expanded. For the same reason the gold agenda of
Björkelund and Kuhn (2014, Algorithms 2 and 3) never needs more than one item: all gold-consistent trees have one
clustering.

Ties are broken alike everywhere (total, rank of the parent, arc score, nearness), and sums run in a fixed order, so
that
delayed LaSO without non-local features makes the very updates of the baseline, bit by bit.
"""

from __future__ import annotations

import numpy as np
from numba import njit

N_FACTS = 15


@njit(cache=True)
def mix(h, value):  # type: ignore[no-untyped-def]
    h = (h ^ value) * np.uint64(0xBF58476D1CE4E5B9)
    return h ^ (h >> np.uint64(27))


@njit(cache=True)
def signature(mention):  # type: ignore[no-untyped-def]
    """A number for a mention such that the exclusive or over a cluster identifies it."""
    z = np.uint64(mention + 1) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@njit(cache=True)
def score_rows(weights, rows, first, last, out):  # type: ignore[no-untyped-def]
    """Sums of weights of rows [first, last), left to right."""
    width = rows.shape[1]
    for row in range(first, last):
        total = 0.0
        for t in range(width):
            total += weights[rows[row, t]]
        out[row] = total


@njit(cache=True)
def grade(n):  # type: ignore[no-untyped-def]
    """A size or distance in few steps."""
    if n < 4:
        return n
    if n < 6:
        return 4
    if n < 10:
        return 5
    if n < 20:
        return 6
    if n < 50:
        return 7
    if n < 100:
        return 8
    return 9


@njit(cache=True)
def cluster_facts(j, last, previous, bits, facts, out):  # type: ignore[no-untyped-def]
    """Facts about the cluster that ends in `last`, as mention j would find it; returns its first mention."""
    size, genders, numbers, animacies, types, busy, matching = 0, 0, 0, 0, 0, 0, 0
    matches, clashes, first, shape, names = 0, 0, last, 0, 0
    base = (j - 1) * (j - 2) // 2 - 1
    sentence = facts[j, 4]
    at = last
    while at > 0:
        first = at
        flag = bits[base + at]
        matches |= flag & 15
        clashes |= flag >> 4
        if flag & 2:
            matching += 1
        if size < 4:
            shape = shape * 4 + facts[at, 0] + 1
        size += 1
        types |= 1 << facts[at, 0]
        if facts[at, 1]:
            genders |= 1 << (facts[at, 1] - 1)
        if facts[at, 2]:
            numbers |= 1 << (facts[at, 2] - 1)
        if facts[at, 3]:
            animacies |= 1 << (facts[at, 3] - 1)
        if sentence - facts[at, 4] < 2:
            busy += 1
        if facts[at, 5]:
            names |= 1 if flag & 6 else 2
        at = previous[at]
    out[0] = grade(size)
    out[1] = shape * 2 + (1 if size > 4 else 0)
    out[2] = grade((first - 1) // 2)
    out[3] = grade(sentence - facts[last, 4])
    out[4] = grade(j - last)
    out[5] = genders
    out[6] = numbers
    out[7] = animacies
    out[8] = matches
    out[9] = clashes
    out[10] = min(matching, 4)
    out[11] = types
    out[12] = min(busy, 5)
    out[13] = names
    out[14] = 0 if matching == 0 else 1 + (4 * matching - 1) // size
    return first


@njit(cache=True)
def cluster_row(j, last, previous, bits, facts, codes, sources, columns, seeds, scratch, out):  # type: ignore[no-untyped-def]
    """Feature numbers of attaching mention j to the cluster that ends in `last`."""
    mask = np.uint64((1 << 22) - 1)
    first = cluster_facts(j, last, previous, bits, facts, scratch)
    for t in range(len(seeds)):
        h = seeds[t]
        for k in range(sources.shape[1]):
            source = sources[t, k]
            if source < 0:
                break
            column = columns[t, k]
            if source == 5:
                value = np.uint64(scratch[column] + 1)
            elif source == 0:
                value = codes[j, column]
            elif source == 3:
                value = codes[first, column]
            else:
                value = codes[last, column]
            if value == 0:
                h = np.uint64(0)
                break
            h = mix(h, value)
        out[t] = np.int32(max(h & mask, np.uint64(1))) if h != 0 else np.int32(0)


@njit(cache=True)
def better(total, rank, arc, row, i, totals, ranks, arcs, rows):  # type: ignore[no-untyped-def]
    """Whether a new item comes before the kept item i."""
    if total != totals[i]:
        return total > totals[i]
    if rank != ranks[i]:
        return rank < ranks[i]
    if arc != arcs[i]:
        return arc > arcs[i]
    return row > rows[i]


@njit(cache=True)
def step(  # type: ignore[no-untyped-def]
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
    arc_scores,
    weights,
    use_clusters,
    bits,
    facts,
    codes,
    sources,
    columns,
    seeds,
    together,
    apart_offsets,
    apart,
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
):
    """The best `beam` expansions of all states by mention j; returns how many there are."""
    n_items = 0
    size = len(memo_keys)
    scratch = np.zeros(N_FACTS, dtype=np.int64)
    for s in range(n_states):
        n_touched = 0
        for row in range(offsets[j - 1], offsets[j]):
            i = heads[row]
            cluster = label[s, i] if i else 0
            held = best_row[cluster]
            if held < 0:
                touched[n_touched] = cluster
                n_touched += 1
                best_row[cluster] = row
            elif arc_scores[row] >= arc_scores[held]:
                best_row[cluster] = row
        forced = label[s, together[j]] if together[j] else -1
        for k in range(apart_offsets[j], apart_offsets[j + 1]):
            forbidden = label[s, apart[k]]
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
                key = zobrist[s, cluster]
                slot = np.int64(key & np.uint64(size - 1))
                while memo_stamp[slot] == j and memo_keys[slot] != key:
                    slot = (slot + 1) & (size - 1)
                if memo_stamp[slot] != j:
                    memo_stamp[slot] = j
                    memo_keys[slot] = key
                    cluster_row(
                        j,
                        last[s, cluster],
                        previous[s],
                        bits,
                        facts,
                        codes,
                        sources,
                        columns,
                        seeds,
                        scratch,
                        memo_rows[slot],
                    )
                    extra = 0.0
                    for t in range(len(seeds)):
                        extra += weights[memo_rows[slot, t]]
                    memo_score[slot] = extra
                total += memo_score[slot]
            at = n_items
            if n_items == beam:
                at = beam - 1
                if not better(total, s, arc, row, at, item_total, item_rank, item_arc, item_row):
                    continue
            else:
                n_items += 1
            while at > 0 and better(total, s, arc, row, at - 1, item_total, item_rank, item_arc, item_row):
                item_total[at] = item_total[at - 1]
                item_rank[at] = item_rank[at - 1]
                item_arc[at] = item_arc[at - 1]
                item_row[at] = item_row[at - 1]
                item_memo[at] = item_memo[at - 1]
                at -= 1
            item_total[at] = total
            item_rank[at] = s
            item_arc[at] = arc
            item_row[at] = row
            item_memo[at] = slot
    return n_items


@njit(cache=True)
def attach(j, i, label, previous, last, zobrist):  # type: ignore[no-untyped-def]
    """Put mention j into the cluster of i (0: a new one), in one state."""
    cluster = label[i] if i else j
    label[j] = cluster
    previous[j] = last[cluster] if i else 0
    zobrist[cluster] = (zobrist[cluster] if i else np.uint64(0)) ^ signature(j)
    last[cluster] = j


@njit(cache=True)
def copy_state(j, source, target, label, previous, last, zobrist, label2, previous2, last2, zobrist2):  # type: ignore[no-untyped-def]
    """State `source` of one set of arrays, mentions up to j, into `target` of the other."""
    for k in range(j + 1):
        label2[target, k] = label[source, k]
        previous2[target, k] = previous[source, k]
        last2[target, k] = last[source, k]
        zobrist2[target, k] = zobrist[source, k]


@njit(cache=True)
def decode(  # type: ignore[no-untyped-def]
    weights,
    n,
    offsets,
    heads,
    rows,
    bits,
    facts,
    codes,
    sources,
    columns,
    seeds,
    use_clusters,
    beam,
    bias,
    together,
    apart_offsets,
    apart,
):
    """The best tree that beam search finds: row chosen per mention, score of every arc, non-local numbers, state of
    the search.

    Returns (chosen rows, arc scores without bias, non-local rows of the chosen arcs, total, worst kept total per step).
    """
    arc_scores = np.empty(len(heads))
    score_rows(weights, rows, 0, len(heads), arc_scores)
    biased = arc_scores.copy()
    for j in range(n):
        biased[offsets[j]] += bias
    width = len(seeds) if use_clusters else 0
    shape = (beam, n + 1)
    label, label2 = np.zeros(shape, np.int32), np.zeros(shape, np.int32)
    previous, previous2 = np.zeros(shape, np.int32), np.zeros(shape, np.int32)
    last, last2 = np.zeros(shape, np.int32), np.zeros(shape, np.int32)
    zobrist, zobrist2 = np.zeros(shape, np.uint64), np.zeros(shape, np.uint64)
    score = np.zeros(beam)
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
    worst = np.zeros(n + 1)
    n_states = 1
    chosen = np.full(n + 1, -1, np.int64)
    for j in range(1, n + 1):
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
            biased,
            weights,
            use_clusters,
            bits,
            facts,
            codes,
            sources,
            columns,
            seeds,
            together,
            apart_offsets,
            apart,
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
        if n_items == 0:
            # The pins leave mention j no place.
            return chosen, arc_scores, np.zeros((n + 1, width), np.int32), -np.inf, worst
        for k in range(n_items):
            copy_state(j - 1, item_rank[k], k, label, previous, last, zobrist, label2, previous2, last2, zobrist2)
            attach(j, heads[item_row[k]], label2[k], previous2[k], last2[k], zobrist2[k])
            score[k] = item_total[k]
            parents[j, k] = item_rank[k]
            choices[j, k] = item_row[k]
            if item_memo[k] >= 0:
                extras[j, k] = memo_rows[item_memo[k]]
        worst[j] = item_total[n_items - 1] - item_total[0]
        n_states = n_items
        label, label2 = label2, label
        previous, previous2 = previous2, previous
        last, last2 = last2, last
        zobrist, zobrist2 = zobrist2, zobrist
    out = np.zeros((n + 1, width), np.int32)
    slot = 0
    for j in range(n, 0, -1):
        chosen[j] = choices[j, slot]
        out[j] = extras[j, slot]
        slot = parents[j, slot]
    return chosen, arc_scores, out, score[0], worst


@njit(cache=True)
def rescore(  # type: ignore[no-untyped-def]
    weights, n, offsets, heads, arc_scores, tree, bits, facts, codes, sources, columns, seeds, use_clusters, bias
):
    """Score of every arc beside a given tree (head of each mention), and the cluster of each mention.

    Clusters to the left of a mention are those of the tree, so the sum over the tree's own arcs is its total.
    """
    totals = arc_scores.copy()
    label, previous = np.zeros(n + 1, np.int32), np.zeros(n + 1, np.int32)
    last, zobrist = np.zeros(n + 1, np.int32), np.zeros(n + 1, np.uint64)
    extra, stamp = np.zeros(n + 1), np.zeros(n + 1, np.int32)
    scratch, row_numbers = np.zeros(N_FACTS, np.int64), np.zeros(len(seeds), np.int32)
    for j in range(1, n + 1):
        totals[offsets[j - 1]] += bias
        if use_clusters:
            for row in range(offsets[j - 1] + 1, offsets[j]):
                cluster = label[heads[row]]
                if stamp[cluster] != j:
                    stamp[cluster] = j
                    cluster_row(
                        j,
                        last[cluster],
                        previous,
                        bits,
                        facts,
                        codes,
                        sources,
                        columns,
                        seeds,
                        scratch,
                        row_numbers,
                    )
                    total = 0.0
                    for t in range(len(seeds)):
                        total += weights[row_numbers[t]]
                    extra[cluster] = total
                totals[row] += extra[cluster]
        attach(j, tree[j - 1], label, previous, last, zobrist)
    return totals, label, previous


@njit(cache=True)
def gather(rows, row, sign, delta, touched, n_touched, marked):  # type: ignore[no-untyped-def]
    """Add a row of features to a sparse vector; a feature enters the list of touched ones once."""
    for t in range(rows.shape[1]):
        f = rows[row, t]
        if f:
            if not marked[f]:
                marked[f] = True
                touched[n_touched] = f
                n_touched += 1
            delta[f] += sign
    return n_touched


@njit(cache=True)
def accumulate(n, good, bad, rows, good_extra, bad_extra, delta, touched, n_touched, marked):  # type: ignore[no-untyped-def]
    """Features of the good tree minus those of the bad one, over mentions 1..n, into the sparse vector."""
    for j in range(1, n + 1):
        same = good[j] == bad[j]
        if same:
            for t in range(good_extra.shape[1]):
                if good_extra[j, t] != bad_extra[j, t]:
                    same = False
        if same:
            continue
        n_touched = gather(rows, good[j], 1.0, delta, touched, n_touched, marked)
        n_touched = gather(rows, bad[j], -1.0, delta, touched, n_touched, marked)
        n_touched = gather(good_extra, j, 1.0, delta, touched, n_touched, marked)
        n_touched = gather(bad_extra, j, -1.0, delta, touched, n_touched, marked)
    return n_touched


@njit(cache=True)
def apply_update(weights, sums, count, loss, passive_aggressive, cap, delta, touched, n_touched, marked):  # type: ignore[no-untyped-def]
    """w <- w + tau D, tau = (loss - w.D) / |D|^2 within [0, cap]; clears the vector. Returns tau.

    The paper's Algorithm 1 has the sign of D reversed; this is the update that is meant.
    """
    margin, norm = 0.0, 0.0
    for k in range(n_touched):
        f = touched[k]
        margin += weights[f] * delta[f]
        norm += delta[f] * delta[f]
    tau = 1.0
    if passive_aggressive:
        tau = (loss - margin) / norm if norm > 0.0 else 0.0
        tau = min(max(tau, 0.0), cap)
    for k in range(n_touched):
        f = touched[k]
        change = tau * delta[f]
        weights[f] += change
        sums[f] += count * change
        delta[f] = 0.0
        marked[f] = False
    return tau
