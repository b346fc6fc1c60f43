"""Kernels on clusters: what a mention finds of one (non-local features), and joining one."""

from __future__ import annotations

import numpy as np
from numba import njit

from engine.learners.laso.arrays import N_FACTS, States


@njit(cache=True, nogil=True)
def mix(h, value):  # type: ignore[no-untyped-def]
    h = (h ^ value) * np.uint64(0xBF58476D1CE4E5B9)
    return h ^ (h >> np.uint64(27))


@njit(cache=True, nogil=True)
def signature(mention):  # type: ignore[no-untyped-def]
    """A number for a mention such that the exclusive or over a cluster identifies it."""
    z = np.uint64(mention + 1) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def cluster_facts(j, last, previous, one, out):  # type: ignore[no-untyped-def]
    """Facts about the cluster that ends in `last`, as mention j would find it; returns its first mention."""
    bits, facts = one.bits, one.facts
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
        if facts[at, 0] == 1:
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


@njit(cache=True, nogil=True)
def cluster_row(j, last, previous, one, templates, mask, scratch, out):  # type: ignore[no-untyped-def]
    """Feature numbers of attaching mention j to the cluster that ends in `last`; `mask` is the last weight there is."""
    first = cluster_facts(j, last, previous, one, scratch)
    codes, sources, columns, seeds = one.codes, templates.sources, templates.columns, templates.seeds
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
        out[t] = np.int32(max(h & np.uint64(mask), np.uint64(1))) if h != 0 else np.int32(0)


@njit(cache=True, nogil=True)
def cluster_score(j, last, previous, one, templates, weights, scratch, out):  # type: ignore[no-untyped-def]
    """The sum of the weights of those features, which are left in `out`."""
    cluster_row(j, last, previous, one, templates, len(weights) - 1, scratch, out)
    total = 0.0
    for t in range(len(out)):
        total += weights[out[t]]
    return total


@njit(cache=True, nogil=True)
def new_states(count, n):  # type: ignore[no-untyped-def]
    shape = (count, n + 1)
    return States(
        np.zeros(shape, np.int32), np.zeros(shape, np.int32), np.zeros(shape, np.int32), np.zeros(shape, np.uint64)
    )


@njit(cache=True, nogil=True)
def attach(j, i, states, s):  # type: ignore[no-untyped-def]
    """Put mention j into the cluster of i (0: a new one), in state s."""
    cluster = states.label[s, i] if i else j
    states.label[s, j] = cluster
    states.previous[s, j] = states.last[s, cluster] if i else 0
    states.signature[s, cluster] = (states.signature[s, cluster] if i else np.uint64(0)) ^ signature(j)
    states.last[s, cluster] = j


@njit(cache=True, nogil=True)
def copy_state(j, source, s, target, t):  # type: ignore[no-untyped-def]
    """State s of one bundle, mentions up to j, into state t of another."""
    target.label[t, : j + 1] = source.label[s, : j + 1]
    target.previous[t, : j + 1] = source.previous[s, : j + 1]
    target.last[t, : j + 1] = source.last[s, : j + 1]
    target.signature[t, : j + 1] = source.signature[s, : j + 1]


@njit(cache=True, nogil=True)
def rescore(one, arc_scores, tree, templates, weights, bias):  # type: ignore[no-untyped-def]
    """Score of every arc beside a given tree (head of each mention), and the cluster of each mention.

    Clusters to the left of a mention are those of the tree, so the sum over the tree's own arcs is its total.
    """
    totals = arc_scores.copy()
    states = new_states(np.int64(1), one.n)
    extra, stamp = np.zeros(one.n + 1), np.zeros(one.n + 1, np.int32)
    scratch, numbers = np.zeros(N_FACTS, np.int64), np.zeros(len(templates.seeds), np.int32)
    for j in range(1, one.n + 1):
        totals[one.offsets[j - 1]] += bias
        # A local model has no more to say, so no antecedent of it is visited.
        begin = one.offsets[j - 1] + 1 if len(templates.seeds) else one.offsets[j]
        for row in range(begin, one.offsets[j]):
            cluster = states.label[0, one.heads[row]]
            if stamp[cluster] != j:
                stamp[cluster] = j
                extra[cluster] = cluster_score(
                    j, states.last[0, cluster], states.previous[0], one, templates, weights, scratch, numbers
                )
            totals[row] += extra[cluster]
        attach(j, tree[j - 1], states, np.int64(0))
    return totals, states.label[0], states.previous[0]


@njit(cache=True, nogil=True)
def arcs_and_rivals(one, totals, label, tree):  # type: ignore[no-untyped-def]
    """Row of every mention's arc in a tree, and the best row of another decision (-1: there is none).

    Another antecedent in the same cluster would change nothing, so it is no rival.
    """
    chosen, rival = np.full(one.n, -1, np.int64), np.full(one.n, -1, np.int64)
    for j in range(one.n):
        head, best = tree[j], -np.inf
        for row in range(one.offsets[j], one.offsets[j + 1]):
            other = one.heads[row]
            if other == head:
                chosen[j] = row
            elif totals[row] > best and not (head and other and label[other] == label[head]):
                best, rival[j] = totals[row], row
    return chosen, rival
