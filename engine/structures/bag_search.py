"""Kernels for the best output of a bag: branching over labels with a price, matching those with a bonus, subsets.

Scores are finite. `engine.structures.bag` defines the problem and prepares the scores.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from engine.arrays import Flags, Floats, Int, Ints
from engine.kernels import inlined, kernel

UNSOLVED: Final = -1
MATCHING: Final = 0
SUBSETS: Final = 1
# Beyond this limit, branch and bound takes longer than the integer program.
_MOST_NODES: Final = 20_000
_FEW_MENTIONS: Final = 6
_UNDECIDED: Final = 0
_OPENED: Final = 1
_CLOSED: Final = -1


@kernel
def solve_all(scores: Floats, prices: Floats, offsets: Ints, labels: Ints) -> Flags:
    """Fill in the labels of all bags; returns flags of those that took too long."""
    n_bags = len(offsets) - 1
    unsolved = np.zeros(n_bags, dtype=np.bool_)
    for b in range(n_bags):
        first, last = offsets[b], offsets[b + 1]
        if last > first:
            unsolved[b] = solve_bag(scores[first:last], prices[b], labels[first:last], UNSOLVED) == UNSOLVED
    return unsolved


@kernel
def solve_bag(scores: Floats, prices: Floats, labels: Ints, method: int) -> int:
    """Fill in the labels; returns the method used, or UNSOLVED."""
    n, width = scores.shape
    if n == 1 and method != SUBSETS:
        best, at = scores[0, 0], 0
        for label in range(1, width):
            value = scores[0, label] + prices[label - 1]
            if value > best:
                best, at = value, label
        labels[0] = at
        return MATCHING
    # The best score of each mention without any label that must be paid for.
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
        if prices[label - 1] < 0.0 and _gain(scores, prices, label, free) > 0.0:
            priced[n_priced] = label
            n_priced += 1
    if method == SUBSETS or (method == UNSOLVED and n <= _FEW_MENTIONS and n_priced > 2 * n):
        _by_subsets(scores, prices, labels)
        return SUBSETS
    limit = _MOST_NODES if method == UNSOLVED else -1
    return MATCHING if _by_matching(scores, prices, free, priced[:n_priced], labels, limit) else UNSOLVED


@kernel
def _gain(scores: Floats, prices: Floats, label: int, base: Floats) -> float:
    """An upper bound of what opening a label can add: its price, plus the gains of the mentions."""
    gain = prices[label - 1]
    for m in range(len(base)):
        if scores[m, label] > base[m]:
            gain += scores[m, label] - base[m]
    return float(gain)


class _Search(NamedTuple):
    """The state of branch and bound: per depth, the scores of all mentions, the sum paid, and the label branched on."""

    base: Floats
    paid: Floats
    branch: Ints
    state: Ints
    """Per label: undecided, opened or closed."""


@kernel
def _by_matching(scores: Floats, prices: Floats, free: Floats, priced: Ints, labels: Ints, limit: int) -> bool:
    """Branch and bound over the labels to pay for, with a matching at each leaf. Returns False if it took too long.

    Opening further labels can only lower what another one adds and what the matching adds, so the sum of all these
    gains bounds a branch.
    """
    n, width = scores.shape
    depths = len(priced) + 1
    search = _Search(
        np.empty((depths, n)), np.zeros(depths), np.zeros(depths, dtype=np.int64), np.zeros(width, dtype=np.int64)
    )
    search.base[0] = free
    bonus = np.empty(width, dtype=np.int64)
    choice = np.empty(n, dtype=np.int64)
    best = -np.inf
    depth = nodes = 0
    while True:
        nodes += 1
        if nodes == limit:
            return False
        here = search.base[depth]
        value = search.paid[depth] + here.sum()
        bound, label = _next_to_open(scores, prices, priced, search.state, here, value)
        bound, n_bonus = _worth_matching(scores, prices, here, bonus, bound)
        if bound > best:
            if label:
                _open(scores, prices, search, depth, label)
                depth += 1
                continue
            _take_base(scores, prices, search.state, here, choice)
            if n_bonus:
                value += _match(scores, prices, here, bonus[:n_bonus], choice)
            if value > best:
                best = value
                labels[:] = choice
        depth = _close_last(search, depth)
        if depth == 0:
            return True


@kernel
def _next_to_open(
    scores: Floats, prices: Floats, priced: Ints, state: Ints, here: Floats, bound: float
) -> tuple[float, int]:
    """The bound including all that undecided labels can add, and the label that can add most (0 if none can)."""
    most, at = 0.0, 0
    for k in range(len(priced)):
        if state[priced[k]] == _UNDECIDED:
            gain = _gain(scores, prices, priced[k], here)
            if gain > 0.0:
                bound += gain
                if gain > most:
                    most, at = gain, priced[k]
    return bound, at


@kernel
def _worth_matching(scores: Floats, prices: Floats, here: Floats, bonus: Ints, bound: float) -> tuple[float, int]:
    """The bound including the most that bonuses can add; the labels that can collect theirs are listed in `bonus`."""
    n, width = scores.shape
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
    return bound, n_bonus


@kernel
def _open(scores: Floats, prices: Floats, search: _Search, depth: int, label: int) -> None:
    """Pay for a label at the next depth, where every mention may take it."""
    search.branch[depth] = label
    search.state[label] = _OPENED
    search.paid[depth + 1] = search.paid[depth] + prices[label - 1]
    for m in range(len(scores)):
        search.base[depth + 1, m] = max(search.base[depth, m], scores[m, label])


@kernel
def _close_last(search: _Search, depth: int) -> int:
    """Go back to the last label that was opened and close it instead; returns the depth to continue at, 0 if none is
    left."""
    while depth:
        depth -= 1
        label = search.branch[depth]
        if search.state[label] == _OPENED:
            search.state[label] = _CLOSED
            search.paid[depth + 1] = search.paid[depth]
            search.base[depth + 1] = search.base[depth]
            return depth + 1
        search.state[label] = _UNDECIDED
    return 0


@kernel
def _take_base(scores: Floats, prices: Floats, state: Ints, here: Floats, choice: Ints) -> None:
    """Choose for every mention the best of nil and the labels that are free or paid for."""
    n, width = scores.shape
    for m in range(n):
        choice[m] = 0
        for label in range(1, width):
            usable = prices[label - 1] >= 0.0 or state[label] == _OPENED
            if usable and scores[m, label] == here[m] and scores[m, 0] < here[m]:
                choice[m] = label
                break


class _Matching(NamedTuple):
    """The matching so far, numbered from 1, and the prices which prove that no better matching of these rows exists.

    Rows are the smaller side. After the other side's `n_real` columns every row has a column of its own, where it stays
    unmatched at no cost; column 0 stands for the row that is being placed.
    """

    owner: Ints
    """The row at a column; 0: none."""
    before: Ints
    """The column from which the shortest path reaches a column."""
    row_price: Floats
    column_price: Floats
    shortest: Floats
    done: Flags


@kernel
def _match(scores: Floats, prices: Floats, base: Floats, bonus: Ints, choice: Ints) -> float:
    """What the best matching of mentions and bonus labels adds, by shortest augmenting paths, one row after another.

    `choice` is changed where a mention is given to a label.
    """
    by_mention = len(base) <= len(bonus)
    gains = _gains(scores, prices, base, bonus) if by_mention else _gains(scores, prices, base, bonus).T.copy()
    n_rows, n_real = gains.shape
    width = n_real + n_rows + 1
    matching = _Matching(
        np.zeros(width, dtype=np.int64),
        np.zeros(width, dtype=np.int64),
        np.zeros(n_rows + 1),
        np.zeros(width),
        np.empty(width),
        np.empty(width, dtype=np.bool_),
    )
    for row in range(1, n_rows + 1):
        column = _nearest_free_column(gains, matching, row)
        _shift_owners(matching, column)
    owner = matching.owner
    total = 0.0
    for j in range(1, n_real + 1):
        if owner[j]:
            gain = gains[owner[j] - 1, j - 1]
            if gain > 0.0:
                total += gain
                m, k = (owner[j], j) if by_mention else (j, owner[j])
                choice[m - 1] = bonus[k - 1]
    return total


@kernel
def _gains(scores: Floats, prices: Floats, base: Floats, bonus: Ints) -> Floats:
    """What giving a mention (row) to a label (column) adds to its base."""
    gains = np.empty((len(base), len(bonus)))
    for m in range(len(base)):
        for k in range(len(bonus)):
            label = bonus[k]
            gains[m, k] = prices[label - 1] + scores[m, label] - base[m]
    return gains


@inlined
def _nearest_free_column(gains: Floats, matching: _Matching, row: Int) -> int:
    """The free column with the shortest augmenting path from a row; `before` leads back, prices are raised."""
    owner, before = matching.owner, matching.before
    row_price, column_price = matching.row_price, matching.column_price
    shortest, done = matching.shortest, matching.done
    n_real = gains.shape[1]
    owner[0] = row
    column = 0
    shortest[:] = np.inf
    done[:] = False
    while True:
        done[column] = True
        at, delta, following = owner[column], np.inf, 0
        for j in range(1, len(owner)):
            if done[j]:
                continue
            # A loss is never accepted, since staying unmatched is free.
            gain = gains[at - 1, j - 1] if j <= n_real else 0.0
            reduced = (-gain if gain > 0.0 else 0.0) - row_price[at] - column_price[j]
            if reduced < shortest[j]:
                shortest[j] = reduced
                before[j] = column
            if shortest[j] < delta:
                delta, following = shortest[j], j
        for j in range(len(owner)):
            if done[j]:
                row_price[owner[j]] += delta
                column_price[j] -= delta
            else:
                shortest[j] -= delta
        column = following
        if owner[column] == 0:
            return column


@inlined
def _shift_owners(matching: _Matching, column: Int) -> None:
    """Move every row along the path to a column to the next column."""
    owner, before = matching.owner, matching.before
    while column != 0:
        owner[column] = owner[before[column]]
        column = before[column]


@kernel
def _by_subsets(scores: Floats, prices: Floats, labels: Ints) -> None:
    """Dynamic program: after label l, best[S] is the best score with labels up to l on the mentions in S; each label
    takes one subset."""
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
