"""Kernels on clusters: non-local features of a mention and a cluster, and joining a cluster."""

from __future__ import annotations

import numpy as np

from engine.arrays import Floats, Int, Ints, ShortInts
from engine.hashing import ANAPHOR, CLUSTER, CLUSTERS, FIRST, feature_number, join, mix
from engine.kernels import inlined, kernel, part
from engine.learners.laso.arrays import (
    KIND,
    N_FACTS,
    PLACE,
    TRAITS,
    ClusterTemplates,
    Rules,
    Scoring,
    States,
    TreeInstance,
)


@kernel
def grade(n: Int) -> Int:
    """A size or distance, graded into a few levels."""
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


@inlined
def _with_value(values: Int, value: Int) -> Int:
    """A set of values, as bits, with one more; 0 is none."""
    if value:
        values |= 1 << (value - 1)
    return values


@kernel
def cluster_facts(j: Int, last: Int, previous: ShortInts, one: TreeInstance, rules: Rules, out: Ints) -> Int:
    """Facts about the cluster that ends in `last`, as seen by mention j; returns its first mention."""
    bits, facts = one.bits, one.facts
    one_trait: Int = 0
    other_trait: Int = 0
    third_trait: Int = 0
    size, kinds, near, alike = 0, 0, 0, 0
    matches, clashes, first, shape, names = 0, 0, last, 0, 0
    base = (j - 1) * (j - 2) // 2 - 1
    place = facts[j, PLACE]
    at = last
    while at > 0:
        first = at
        flag = bits[base + at]
        matches |= flag & 15
        clashes |= flag >> 4
        if flag & rules.alike:
            alike += 1
        if size < 4:
            shape = shape * 4 + facts[at, KIND] + 1
        size += 1
        kinds |= 1 << facts[at, KIND]
        one_trait = _with_value(one_trait, facts[at, TRAITS[0]])
        other_trait = _with_value(other_trait, facts[at, TRAITS[1]])
        third_trait = _with_value(third_trait, facts[at, TRAITS[2]])
        if place - facts[at, PLACE] < 2:
            near += 1
        if facts[at, KIND] == rules.named:
            names |= 1 if flag & rules.same else 2
        at = previous[at]
    out[0] = grade(size)
    out[1] = shape * 2 + (1 if size > 4 else 0)
    out[2] = grade((first - 1) // 2)
    out[3] = grade(place - facts[last, PLACE])
    out[4] = grade(j - last)
    out[5] = one_trait
    out[6] = other_trait
    out[7] = third_trait
    out[8] = matches
    out[9] = clashes
    out[10] = min(alike, 4)
    out[11] = kinds
    out[12] = min(near, 5)
    out[13] = names
    out[14] = 0 if alike == 0 else 1 + (4 * alike - 1) // size
    return first


@kernel
def cluster_row(
    j: Int, last: Int, previous: ShortInts, one: TreeInstance, templates: ClusterTemplates, mask: Int, scratch: Ints,
    out: ShortInts,
) -> None:  # fmt: skip
    """Feature numbers for attaching mention j to the cluster that ends in `last`; `mask` is the last weight index."""
    first = cluster_facts(j, last, previous, one, templates.rules, scratch)
    codes, sources, columns, seeds = one.codes, templates.sources, templates.columns, templates.seeds
    for t in range(len(seeds)):
        h = seeds[t]
        for k in range(sources.shape[1]):
            source = sources[t, k]
            if source < 0:
                break
            column = columns[t, k]
            if source == CLUSTER:
                value = np.uint64(scratch[column] + 1)
            elif source == ANAPHOR:
                value = codes[j, column]
            elif source == FIRST:
                value = codes[first, column]
            else:
                value = codes[last, column]
            if value == 0:
                h = np.uint64(0)
                break
            h = join(h, value, CLUSTERS)
        out[t] = feature_number(h, np.uint64(mask)) if h != 0 else np.int32(0)


@part
def cluster_score(
    j: Int, last: Int, previous: ShortInts, one: TreeInstance, scoring: Scoring, scratch: Ints, out: ShortInts
) -> float:
    """The sum of the weights of those features, which are written to `out`."""
    weights = scoring.weights
    cluster_row(j, last, previous, one, scoring.templates, len(weights) - 1, scratch, out)
    total = 0.0
    for t in range(len(out)):
        total += weights[out[t]]
    return total


@kernel
def new_states(count: Int, n: Int) -> States:
    shape = (count, n + 1)
    return States(
        np.zeros(shape, np.int32), np.zeros(shape, np.int32), np.zeros(shape, np.int32), np.zeros(shape, np.uint64)
    )


@kernel
def attach(j: Int, i: Int, states: States, s: Int) -> None:
    """Put mention j into the cluster of i (0: a new one), in state s."""
    cluster = states.label[s, i] if i else j
    states.label[s, j] = cluster
    states.previous[s, j] = states.last[s, cluster] if i else 0
    # The exclusive or of such numbers identifies a set of mentions.
    own = mix(np.uint64(j + 1), np.uint64(0))
    states.signature[s, cluster] = (states.signature[s, cluster] if i else np.uint64(0)) ^ own
    states.last[s, cluster] = j


@part
def copy_state(j: Int, source: States, s: Int, target: States, t: Int) -> None:
    """Copy state s of one bundle, mentions up to j, into state t of another."""
    label, previous, last, signature = source.label[s], source.previous[s], source.last[s], source.signature[s]
    to_label, to_previous, to_last, to_signature = (
        target.label[t],
        target.previous[t],
        target.last[t],
        target.signature[t],
    )
    for i in range(j + 1):
        to_label[i], to_previous[i], to_last[i], to_signature[i] = label[i], previous[i], last[i], signature[i]


@kernel
def rescore(
    one: TreeInstance, arc_scores: Floats, tree: Ints, scoring: Scoring, bias: float
) -> tuple[Floats, ShortInts, ShortInts]:
    """The score of every arc given a tree (head of each mention), and the cluster of each mention.

    Clusters to the left of a mention are those of the tree, so the sum over the tree's own arcs is its total.
    """
    n_templates = len(scoring.templates.seeds)
    totals = arc_scores.copy()
    states = new_states(np.int64(1), one.n)
    extra, stamp = np.zeros(one.n + 1), np.zeros(one.n + 1, np.int32)
    scratch, numbers = np.zeros(N_FACTS, np.int64), np.zeros(n_templates, np.int32)
    for j in range(1, one.n + 1):
        totals[one.offsets[j - 1]] += bias
        # A local model has no more features, so its antecedents need not be visited.
        begin = one.offsets[j - 1] + 1 if n_templates else one.offsets[j]
        for row in range(begin, one.offsets[j]):
            cluster = states.label[0, one.heads[row]]
            if stamp[cluster] != j:
                stamp[cluster] = j
                last, previous = states.last[0, cluster], states.previous[0]
                extra[cluster] = cluster_score(j, last, previous, one, scoring, scratch, numbers)
            totals[row] += extra[cluster]
        attach(j, tree[j - 1], states, np.int64(0))
    return totals, states.label[0], states.previous[0]


@kernel
def arcs_and_rivals(one: TreeInstance, totals: Floats, label: ShortInts, tree: Ints) -> tuple[Ints, Ints]:
    """The row of every mention's arc in a tree, and the best row of another decision (-1: there is none).

    Another antecedent in the same cluster would change nothing, so it is not a rival.
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
