"""Kernels for the best output of a bag: branching over labels with a price, matching those with a bonus, subsets.

Scores are finite; `engine.structures.bag` says what is being solved and prepares them.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import njit

UNSOLVED: Final = -1
MATCHING: Final = 0
SUBSETS: Final = 1
# Beyond this, branch and bound costs more than the integer program.
_MOST_NODES: Final = 20_000
_FEW_MENTIONS: Final = 6


@njit(cache=True, nogil=True)
def solve_all(scores, prices, offsets, labels):  # type: ignore[no-untyped-def]
    n_bags = len(offsets) - 1
    unsolved = np.zeros(n_bags, dtype=np.bool_)
    for b in range(n_bags):
        first, last = offsets[b], offsets[b + 1]
        if last > first:
            unsolved[b] = solve_bag(scores[first:last], prices[b], labels[first:last], np.int64(UNSOLVED)) == UNSOLVED
    return unsolved


@njit(cache=True, nogil=True)
def solve_bag(scores, prices, labels, method):  # type: ignore[no-untyped-def]
    """Fill in the labels; which way answered, or UNSOLVED."""
    n, width = scores.shape
    if n == 1 and method != SUBSETS:
        best, at = scores[0, 0], 0
        for label in range(1, width):
            value = scores[0, label] + prices[label - 1]
            if value > best:
                best, at = value, label
        labels[0] = at
        return MATCHING
    # What a mention has without any label that must be paid for.
    free = np.empty(n)
    for m in range(n):
        best = scores[m, 0]
        for label in range(1, width):
            if prices[label - 1] >= 0.0 and scores[m, label] > best:
                best = scores[m, label]
        free[m] = best
    priced = np.empty(width, dtype=np.int64)
    n_priced = 0
    for label in range(1, width):
        if _gain(scores, prices, label, free) > 0.0 and prices[label - 1] < 0.0:
            priced[n_priced] = label
            n_priced += 1
    if method == SUBSETS or (method == UNSOLVED and n <= _FEW_MENTIONS and n_priced > 2 * n):
        _by_subsets(scores, prices, labels)
        return SUBSETS
    limit = _MOST_NODES if method == UNSOLVED else -1
    return MATCHING if _by_matching(scores, prices, free, priced[:n_priced], labels, limit) else UNSOLVED


@njit(cache=True, nogil=True)
def _gain(scores, prices, label, base):  # type: ignore[no-untyped-def]
    """At most what opening a label can add: its price, and what it raises the mentions by."""
    gain = prices[label - 1]
    for m in range(len(base)):
        if scores[m, label] > base[m]:
            gain += scores[m, label] - base[m]
    return gain


@njit(cache=True, nogil=True)
def _by_matching(scores, prices, free, priced, labels, limit):  # type: ignore[no-untyped-def]
    """Branch and bound over the labels to pay for; at each leaf a matching. False when it took too long.

    Opening further labels can only lower what another one adds and what the matching adds, so the sum of all these
    gains bounds a branch.
    """
    n, width = scores.shape
    depths = len(priced) + 1
    base = np.empty((depths, n))
    base[0] = free
    paid = np.zeros(depths)
    state = np.zeros(width, dtype=np.int64)  # 0 undecided, 1 opened, -1 closed
    branch = np.zeros(depths, dtype=np.int64)
    bonus = np.empty(width, dtype=np.int64)
    choice = np.empty(n, dtype=np.int64)
    best = -np.inf
    depth = nodes = 0
    while True:
        nodes += 1
        if nodes == limit:
            return False
        here = base[depth]
        value = paid[depth] + here.sum()
        bound = value
        most, at = 0.0, 0
        for k in range(len(priced)):
            if state[priced[k]] == 0:
                gain = _gain(scores, prices, priced[k], here)
                if gain > 0.0:
                    bound += gain
                    if gain > most:
                        most, at = gain, priced[k]
        n_bonus = 0
        for label in range(1, width):
            price = prices[label - 1]
            if price > 0.0:
                top = 0.0
                for m in range(n):
                    top = max(top, price + scores[m, label] - here[m])
                if top > 0.0:
                    bonus[n_bonus] = label
                    n_bonus += 1
                    bound += top
        if bound > best:
            if at:
                branch[depth] = at
                state[at] = 1
                paid[depth + 1] = paid[depth] + prices[at - 1]
                for m in range(n):
                    base[depth + 1, m] = max(here[m], scores[m, at])
                depth += 1
                continue
            for m in range(n):
                choice[m] = 0
                for label in range(1, width):
                    usable = prices[label - 1] >= 0.0 or state[label] == 1
                    if usable and scores[m, label] == here[m] and scores[m, 0] < here[m]:
                        choice[m] = label
                        break
            if n_bonus:
                value += _match(scores, prices, here, bonus[:n_bonus], choice)
            if value > best:
                best = value
                labels[:] = choice
        # Back to the last label that was opened, and close it instead.
        while depth:
            depth -= 1
            at = branch[depth]
            if state[at] == 1:
                state[at] = -1
                paid[depth + 1] = paid[depth]
                base[depth + 1] = base[depth]
                depth += 1
                break
            state[at] = 0
        if depth == 0:
            return True


@njit(cache=True, nogil=True)
def _match(scores, prices, base, bonus, choice):  # type: ignore[no-untyped-def]
    """Best matching of mentions and bonus labels by shortest augmenting paths; `choice` is changed where a mention
    is given to a label. Rows are the smaller side; every row may also stay alone at a private column of gain 0."""
    n, n_bonus = len(base), len(bonus)
    by_mention = n <= n_bonus
    n_rows = n if by_mention else n_bonus
    n_real = n_bonus if by_mention else n
    n_columns = n_real + n_rows
    row_price = np.zeros(n_rows + 1)
    column_price = np.zeros(n_columns + 1)
    owner = np.zeros(n_columns + 1, dtype=np.int64)
    way = np.zeros(n_columns + 1, dtype=np.int64)
    shortest = np.empty(n_columns + 1)
    done = np.empty(n_columns + 1, dtype=np.bool_)
    for row in range(1, n_rows + 1):
        owner[0] = row
        column = 0
        shortest[:] = np.inf
        done[:] = False
        while True:
            done[column] = True
            at, delta, following = owner[column], np.inf, 0
            for j in range(1, n_columns + 1):
                if done[j]:
                    continue
                if j <= n_real:
                    m = at - 1 if by_mention else j - 1
                    label = bonus[j - 1] if by_mention else bonus[at - 1]
                    gain = prices[label - 1] + scores[m, label] - base[m]
                    # A loss is never taken: staying alone is free.
                    cost = -gain if gain > 0.0 else 0.0
                else:
                    cost = 0.0
                reduced = cost - row_price[at] - column_price[j]
                if reduced < shortest[j]:
                    shortest[j] = reduced
                    way[j] = column
                if shortest[j] < delta:
                    delta, following = shortest[j], j
            for j in range(n_columns + 1):
                if done[j]:
                    row_price[owner[j]] += delta
                    column_price[j] -= delta
                else:
                    shortest[j] -= delta
            column = following
            if owner[column] == 0:
                break
        while column != 0:
            before = way[column]
            owner[column] = owner[before]
            column = before
    total = 0.0
    for j in range(1, n_real + 1):
        if owner[j]:
            m = owner[j] - 1 if by_mention else j - 1
            label = bonus[j - 1] if by_mention else bonus[owner[j] - 1]
            gain = prices[label - 1] + scores[m, label] - base[m]
            if gain > 0.0:
                total += gain
                choice[m] = label
    return total


@njit(cache=True, nogil=True)
def _by_subsets(scores, prices, labels):  # type: ignore[no-untyped-def]
    """best[S] after label l: the mentions in S have labels up to l, at best score; each label takes a subset once."""
    n, width = scores.shape
    full = 1 << n
    best = np.full(full, -np.inf)
    best[0] = 0.0
    took = np.zeros((width, full), dtype=np.int64)
    sums = np.empty(full)
    for label in range(width):
        sums[0] = 0.0
        for subset in range(1, full):
            low = subset & -subset
            m = 0
            while not low >> m & 1:
                m += 1
            sums[subset] = sums[subset ^ low] + scores[m, label]
        price = prices[label - 1] if label else 0.0
        for target in range(full - 1, 0, -1):
            value, taken = best[target], 0
            subset = target
            while subset:
                other = best[target ^ subset] + sums[subset] + price
                if other > value:
                    value, taken = other, subset
                subset = (subset - 1) & target
            best[target] = value
            took[label, target] = taken
    rest = full - 1
    for label in range(width - 1, -1, -1):
        taken = took[label, rest]
        for m in range(n):
            if taken >> m & 1:
                labels[m] = label
        rest ^= taken
