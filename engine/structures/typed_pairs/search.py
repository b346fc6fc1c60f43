"""The best types and labels of one sentence: fold labels into tables, tighten the bound, branch over types.

`tighten` is block-coordinate descent on the dual of the LP relaxation: MPLP's edge update (Globerson and Jaakkola
2007). `best_types` is depth-first branch and bound under that bound.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from engine.arrays import Flags, Floats, Ints
from engine.kernels import inlined, kernel

FORBIDDEN: Final = -1e12
"""Stands for -inf while tables are shifted, because inf - inf is undefined; any output with such a score is illegal."""
SWEEPS: Final = 12
FLAT: Final = 1e-9
"""Sweeps stop when one lowers the bound by less than this."""
AHEAD: Final = 1e-10
"""By how much an output must exceed the best one so far to replace it."""


class SentenceScores(NamedTuple):
    """Scores of one sentence: [n, T], [n(n-1), L], and for each pair the amount added if its nodes differ in type."""

    types: Floats
    labels: Floats
    tie: Floats


class Relations(NamedTuple):
    """Tables.fit and Tables.both for kernels; `coupled` if the two directions of a pair depend on each other."""

    fit: Floats
    both: Floats
    coupled: bool


@inlined
def at(n: int, i: int, j: int) -> int:
    """`position`, for kernels."""
    return i * (n - 1) + j - (1 if j > i else 0)


@kernel
def fold_coupled(there: Floats, back: Floats, relations: Relations, bias: float, table: Floats, choice: Ints) -> None:
    """One pair of `fold`, if the labels of the two directions depend on each other."""
    fit, both = relations.fit, relations.both
    n_labels, n_types = fit.shape[0], fit.shape[1]
    for t in range(n_types):
        for u in range(n_types):
            best, first, second = -np.inf, 0, 0
            for a in range(n_labels):
                left = there[a] + fit[a, t, u] + (bias if a == 0 else 0.0)
                if left == -np.inf:
                    continue
                total = left + (back[0] + fit[0, u, t] + bias) + both[a, 0]
                if total > best:
                    best, first, second = total, a, 0
                for b in range(1, n_labels):
                    total = left + (back[b] + fit[b, u, t]) + both[a, b]
                    if total > best:
                        best, first, second = total, a, b
            table[t, u] = best
            choice[t, u, 0] = first
            choice[t, u, 1] = second


@kernel
def fold_apart(there: Floats, back: Floats, fit: Floats, bias: float, table: Floats, choice: Ints) -> None:
    """One pair of `fold`, if the two directions are independent."""
    n_labels, n_types = fit.shape[0], fit.shape[1]
    for t in range(n_types):
        for u in range(n_types):
            one, first = there[0] + fit[0, t, u] + bias, 0
            other, second = back[0] + fit[0, u, t] + bias, 0
            for a in range(1, n_labels):
                left = there[a] + fit[a, t, u]
                if left > one:
                    one, first = left, a
                right = back[a] + fit[a, u, t]
                if right > other:
                    other, second = right, a
            table[t, u] = one + other
            choice[t, u, 0] = first
            choice[t, u, 1] = second


@kernel
def fold(sentence: SentenceScores, relations: Relations, bias: float, table: Floats, choice: Ints) -> None:
    """Fill table[i, j, t, u], i < j, with the best score of both directions of a pair between these types, and `choice`
    with their labels."""
    n, n_types = sentence.types.shape
    for i in range(n):
        for j in range(i + 1, n):
            p = at(n, i, j)
            there, back = sentence.labels[p], sentence.labels[at(n, j, i)]
            if relations.coupled:
                fold_coupled(there, back, relations, bias, table[i, j], choice[i, j])
            else:
                fold_apart(there, back, relations.fit, bias, table[i, j], choice[i, j])
            for t in range(n_types):
                for u in range(n_types):
                    if t != u:
                        table[i, j, t, u] += sentence.tie[p]
                    table[i, j, t, u] = max(table[i, j, t, u], FORBIDDEN)


@inlined
def share_out(first: Floats, second: Floats, table: Floats) -> None:
    """Give each end of a pair half of the joint score of the pair and its two nodes."""
    n_types = len(first)
    for t in range(n_types):
        for u in range(n_types):
            table[t, u] += first[t] + second[u]
    for t in range(n_types):
        most = -np.inf
        for u in range(n_types):
            most = max(most, table[t, u])
        first[t] = max(0.5 * most, FORBIDDEN)
    for u in range(n_types):
        most = -np.inf
        for t in range(n_types):
            most = max(most, table[t, u])
        second[u] = max(0.5 * most, FORBIDDEN)
    for t in range(n_types):
        for u in range(n_types):
            table[t, u] = max(table[t, u] - first[t] - second[u], 4 * FORBIDDEN)


@inlined
def upper_bound(unary: Floats, table: Floats) -> float:
    """The score if every node and every pair took its best option independently."""
    n, n_types = unary.shape
    bound = 0.0
    for i in range(n):
        most = -np.inf
        for t in range(n_types):
            most = max(most, unary[i, t])
        bound += most
        for j in range(i + 1, n):
            most = -np.inf
            for t in range(n_types):
                for u in range(n_types):
                    most = max(most, table[i, j, t, u])
            bound += most
    return bound


@kernel
def tighten(unary: Floats, table: Floats) -> None:
    """Move score between nodes and tables, leaving every output's score unchanged, until the bound stops falling."""
    n = unary.shape[0]
    last = np.inf
    for _ in range(SWEEPS):
        for i in range(n):
            for j in range(i + 1, n):
                share_out(unary[i], unary[j], table[i, j])
        bound = upper_bound(unary, table)
        if last - bound < FLAT:
            break
        last = bound


@inlined
def surest_first(unary: Floats) -> Ints:
    """Nodes ordered by the lead of their best type, because the most certain choices are rarely revised."""
    n, n_types = unary.shape
    margin = np.empty(n)
    for i in range(n):
        top, next_best = -np.inf, -np.inf
        for t in range(n_types):
            if unary[i, t] > top:
                top, next_best = unary[i, t], top
            elif unary[i, t] > next_best:
                next_best = unary[i, t]
        margin[i] = next_best - top if n_types > 1 else 0.0
    order = np.empty(n, np.int64)
    for i in range(n):
        # Insertion sort, because a general sort takes longer to compile than this takes to run.
        d = i
        while d > 0 and margin[order[d - 1]] > margin[i]:
            order[d] = order[d - 1]
            d -= 1
        order[d] = i
    return order


@inlined
def between(table: Floats, i: int, j: int, t: int, u: int) -> float:
    """The table's entry for node i taking t and node j taking u, whichever comes first."""
    return float(table[i, j, t, u] if i < j else table[j, i, u, t])


@inlined
def most_ahead(table: Floats, order: Ints) -> Floats:
    """[d, t]: the most that node order[d] taking t can gain from pairs with nodes that come later."""
    n, n_types = len(order), table.shape[2]
    ahead = np.zeros((n, n_types))
    for d in range(n):
        i = order[d]
        for e in range(d + 1, n):
            j = order[e]
            for t in range(n_types):
                most = -np.inf
                for u in range(n_types):
                    most = max(most, between(table, i, j, t, u))
                ahead[d, t] += most
    return ahead


@inlined
def most_of_rest(gain: Floats, ahead: Floats, d: int) -> float:
    """The most that the nodes after order[d] can add."""
    n, n_types = ahead.shape
    rest = 0.0
    for e in range(d + 1, n):
        most = -np.inf
        for t in range(n_types):
            most = max(most, gain[d, e, t] + ahead[e, t])
        rest += most
    return rest


@inlined
def best_untried(gain: Floats, ahead: Floats, tried: Flags, d: int) -> tuple[int, float]:
    """The most promising type of order[d] not tried yet, and its bound; -1 if none is left."""
    choice, most = -1, -np.inf
    for t in range(ahead.shape[1]):
        if not tried[d, t] and gain[d, d, t] + ahead[d, t] > most:
            choice, most = t, gain[d, d, t] + ahead[d, t]
    return choice, most


@kernel
def best_types(unary: Floats, table: Floats, most_nodes: int, found: Ints) -> int:
    """Best types by depth-first branch and bound; returns the number of nodes visited, negative if the limit was
    reached."""
    n, n_types = unary.shape
    if n == 0:
        return 0
    order = surest_first(unary)
    ahead = most_ahead(table, order)
    # gain[d, e, t]: score of order[e] taking t from itself and from the d nodes decided so far.
    gain = np.empty((n + 1, n, n_types))
    for e in range(n):
        gain[0, e] = unary[order[e]]
    types = np.zeros(n, np.int64)
    tried = np.zeros((n, n_types), np.bool_)
    score = np.zeros(n + 1)
    best = -np.inf
    nodes = 0
    d = 0
    while d >= 0:
        choice, most = best_untried(gain, ahead, tried, d)
        if choice < 0 or score[d] + most + most_of_rest(gain, ahead, d) <= best + AHEAD:
            tried[d] = False
            d -= 1
            continue
        nodes += 1
        if nodes > most_nodes:
            return -nodes
        tried[d, choice] = True
        types[d] = choice
        score[d + 1] = score[d] + gain[d, d, choice]
        if d + 1 == n:
            if score[n] > best:
                best = float(score[n])
                for e in range(n):
                    found[order[e]] = types[e]
            continue
        i = order[d]
        for e in range(d + 1, n):
            j = order[e]
            for t in range(n_types):
                gain[d + 1, e, t] = gain[d, e, t] + between(table, i, j, choice, t)
        d += 1
    return nodes


@kernel
def best_output(
    sentence: SentenceScores, relations: Relations, bias: float, most_nodes: int, chosen: Ints, taken: Ints
) -> int:
    """Write the best types to `chosen` and the best labels to `taken`; returns the number of nodes like
    `best_types`."""
    n, n_types = sentence.types.shape
    table = np.empty((n, n, n_types, n_types))
    choice = np.empty((n, n, n_types, n_types, 2), np.int64)
    fold(sentence, relations, bias, table, choice)
    unary = np.empty((n, n_types))
    for i in range(n):
        for t in range(n_types):
            unary[i, t] = max(sentence.types[i, t], FORBIDDEN)
    if n > 3:
        tighten(unary, table)
    nodes = best_types(unary, table, most_nodes, chosen)
    for i in range(n):
        for j in range(i + 1, n):
            taken[at(n, i, j)] = choice[i, j, chosen[i], chosen[j], 0]
            taken[at(n, j, i)] = choice[i, j, chosen[i], chosen[j], 1]
    return nodes


@kernel
def value(sentence: SentenceScores, relations: Relations, chosen: Ints, taken: Ints) -> float:
    """Score of an output, without any bias."""
    n = sentence.types.shape[0]
    total = 0.0
    for i in range(n):
        total += sentence.types[i, chosen[i]]
        for j in range(n):
            if i != j:
                p = at(n, i, j)
                total += sentence.labels[p, taken[p]] + relations.fit[taken[p], chosen[i], chosen[j]]
                if i < j:
                    total += relations.both[taken[p], taken[at(n, j, i)]]
                    if chosen[i] != chosen[j]:
                        total += sentence.tie[p]
    return total
