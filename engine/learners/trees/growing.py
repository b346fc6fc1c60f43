"""Growing one regression tree on bins, best split first.

A node's histogram says for every feature and bin how many rows fall there and what their targets sum to. The
smaller child of a split is counted, the larger one is the parent minus it. Targets are rounded to whole
numbers and share one 64-bit integer with the count (sum << bits | count), so that one addition does both and no order
of additions can change a sum: equal splits stay equal, on any machine.
With n rows the rounding is 2^(63 - 2 log2 n) steps (2^23 for half a million rows); values of leaves
do not suffer from it, they are computed from the targets themselves.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from engine.learners.trees.bins import MISSING

_WIDTH = MISSING + 1


@njit(cache=True, nogil=True)
def grow(  # type: ignore[no-untyped-def]
    binned, by_column, targets, sampled, columns, sizes, max_leaves, max_depth, min_leaf
):
    """Nodes of the tree, and the leaf of every sampled row (0 for the others)."""
    n = len(sampled)
    bits = np.int64(0)
    while (np.int64(1) << bits) <= n:
        bits += 1
    mask = (np.int64(1) << bits) - np.int64(1)
    rows = sampled.copy()
    packed = np.empty(n, np.int64)
    largest = 0.0
    for i in range(n):
        largest = max(largest, abs(targets[rows[i]]))
    scale = (np.int64(1) << min(np.int64(40), np.int64(63) - 2 * bits)) / largest if largest > 0 else 0.0
    squares = 0.0
    for i in range(n):
        whole = np.rint(targets[rows[i]] * scale)
        squares += whole * whole
        packed[i] = (np.int64(whole) << bits) + np.int64(1)
    # A split must explain more than rounding could.
    least = 1e-12 * squares

    n_nodes = 2 * max_leaves - 1
    feature = np.full(n_nodes, -1, np.int32)
    split_bin = np.zeros(n_nodes, np.uint8)
    missing_left = np.zeros(n_nodes, np.bool_)
    left = np.full(n_nodes, -1, np.int32)
    right = np.full(n_nodes, -1, np.int32)
    depth = np.zeros(n_nodes, np.int32)
    begin = np.zeros(n_nodes, np.int64)
    end = np.zeros(n_nodes, np.int64)
    gain = np.full(n_nodes, -1.0)
    gain_column = np.zeros(n_nodes, np.int32)
    gain_bin = np.zeros(n_nodes, np.uint8)
    gain_missing_left = np.zeros(n_nodes, np.bool_)
    slot = np.full(n_nodes, -1, np.int32)
    # Pages that are never written are never paid for; slots of closed leaves are used again.
    histograms = np.empty((max_leaves, len(columns), _WIDTH), np.int64)
    free = np.arange(max_leaves)[::-1].copy()
    n_free = max_leaves
    open_nodes = np.empty(n_nodes, np.int32)
    n_open = 0
    spare_rows = np.empty(n, np.int32)
    spare_packed = np.empty(n, np.int64)

    used = 1
    n_leaves = 1
    end[0] = n
    if max_leaves > 1 and max_depth > 0 and n >= 2 * min_leaf and len(columns) > 0:
        n_free -= 1
        slot[0] = free[n_free]
        _count(histograms[slot[0]], binned, columns, rows, packed, np.int64(0), n)
        gain[0], gain_column[0], gain_bin[0], gain_missing_left[0] = _best_split(
            histograms[slot[0]], columns, sizes, bits, mask, min_leaf, least
        )
        if gain[0] > 0:
            open_nodes[0] = 0
            n_open = 1
    while n_open > 0 and n_leaves < max_leaves:
        at = 0
        for i in range(1, n_open):
            if gain[open_nodes[i]] > gain[open_nodes[at]]:
                at = i
        node = open_nodes[at]
        # Keep the others in the order in which they came: ties go to the older node.
        for i in range(at, n_open - 1):
            open_nodes[i] = open_nodes[i + 1]
        n_open -= 1

        column = columns[gain_column[node]]
        feature[node] = column
        split_bin[node] = gain_bin[node]
        missing_left[node] = gain_missing_left[node]
        codes = by_column[column] if len(by_column) else binned[:, column]
        middle = _partition(
            codes,
            split_bin[node],
            missing_left[node],
            rows,
            packed,
            begin[node],
            end[node],
            spare_rows,
            spare_packed,
        )
        left[node], right[node] = used, used + 1
        used += 2
        n_leaves += 1
        begin[left[node]], end[left[node]] = begin[node], middle
        begin[right[node]], end[right[node]] = middle, end[node]
        depth[left[node]] = depth[right[node]] = depth[node] + 1

        small, large = left[node], right[node]
        if end[small] - begin[small] > end[large] - begin[large]:
            small, large = large, small
        growing = n_leaves < max_leaves and depth[small] < max_depth
        small_grows = growing and end[small] - begin[small] >= 2 * min_leaf
        large_grows = growing and end[large] - begin[large] >= 2 * min_leaf
        if not large_grows:
            free[n_free] = slot[node]
            n_free += 1
            continue
        n_free -= 1
        slot[small] = free[n_free]
        slot[large] = slot[node]
        _count(histograms[slot[small]], binned, columns, rows, packed, begin[small], end[small])
        _subtract(histograms[slot[large]], histograms[slot[small]])
        for turn in range(2):
            # Left before right, so that ties between them do not depend on which is larger.
            child = left[node] if turn == 0 else right[node]
            if child == large or small_grows:
                gain[child], gain_column[child], gain_bin[child], gain_missing_left[child] = _best_split(
                    histograms[slot[child]], columns, sizes, bits, mask, min_leaf, least
                )
            if gain[child] > 0:
                open_nodes[n_open] = child
                n_open += 1
            else:
                free[n_free] = slot[child]
                n_free += 1

    leaf = np.zeros(len(binned), np.int32)
    for node in range(used):
        if feature[node] < 0:
            for i in range(begin[node], end[node]):
                leaf[rows[i]] = node
    return feature[:used], split_bin[:used], missing_left[:used], left[:used], right[:used], leaf


@njit(cache=True, nogil=True)
def _count(histogram, binned, columns, rows, packed, begin, end):  # type: ignore[no-untyped-def]
    histogram[:] = 0
    n_columns = len(columns)
    every = n_columns == binned.shape[1]
    i = begin
    # Four rows at a time: the next ones are on their way from memory while one is being added.
    while i + 4 <= end:
        r0, r1, r2, r3 = rows[i], rows[i + 1], rows[i + 2], rows[i + 3]
        g0, g1, g2, g3 = packed[i], packed[i + 1], packed[i + 2], packed[i + 3]
        for c in range(n_columns):
            f = c if every else columns[c]
            histogram[c, binned[r0, f]] += g0
            histogram[c, binned[r1, f]] += g1
            histogram[c, binned[r2, f]] += g2
            histogram[c, binned[r3, f]] += g3
        i += 4
    while i < end:
        for c in range(n_columns):
            histogram[c, binned[rows[i], columns[c]]] += packed[i]
        i += 1


@njit(cache=True, nogil=True)
def _subtract(histogram, other):  # type: ignore[no-untyped-def]
    for c in range(histogram.shape[0]):
        for b in range(_WIDTH):
            histogram[c, b] -= other[c, b]


@njit(cache=True, nogil=True)
def _best_split(histogram, columns, sizes, bits, mask, min_leaf, least):  # type: ignore[no-untyped-def]
    """Gain over not splitting (in squared rounded units), column, bin, and the side of missing values.

    Of equal gains the first column wins, then the lowest bin.
    """
    best_column, best_bin, best_missing_left = np.int32(0), np.uint8(0), False
    everything = np.int64(0)
    for b in range(_WIDTH):
        everything += histogram[0, b]
    n = everything & mask
    total = float(everything >> bits)
    level = total * total / n
    best = level + least
    found = False
    for c in range(histogram.shape[0]):
        size = sizes[columns[c]]
        missing = histogram[c, MISSING]
        n_sides = 2 if missing & mask else 1
        for side in range(n_sides):
            running = missing if side == 1 else np.int64(0)
            # All present values left and the missing ones right is a split too.
            last = size if n_sides == 2 and side == 0 else size - 1
            for b in range(last):
                if histogram[c, b] == 0:
                    continue
                running += histogram[c, b]
                n_left = running & mask
                n_right = n - n_left
                if n_left < min_leaf:
                    continue
                if n_right < min_leaf:
                    break
                sum_left = float(running >> bits)
                sum_right = total - sum_left
                value = sum_left * sum_left / n_left + sum_right * sum_right / n_right
                if value > best:
                    found = True
                    best = value
                    best_column = np.int32(c)
                    best_bin = np.uint8(b)
                    # Where nothing was missing, a missing value later on follows the majority.
                    best_missing_left = side == 1 if n_sides == 2 else n_left >= n_right
    return best - level if found else -1.0, best_column, best_bin, best_missing_left


@njit(cache=True, nogil=True)
def _partition(  # type: ignore[no-untyped-def]
    codes, split_bin, missing_left, rows, packed, begin, end, spare_rows, spare_packed
):
    """Rows of the left child first, each side in its old order."""
    n_left = begin
    n_spare = 0
    for i in range(begin, end):
        row = rows[i]
        code = codes[row]
        goes_left = (code <= split_bin) | (missing_left & (code == MISSING))
        # Both are written and one counter moves: no branch to mispredict.
        g = packed[i]
        rows[n_left] = row
        packed[n_left] = g
        spare_rows[n_spare] = row
        spare_packed[n_spare] = g
        n_left += goes_left
        n_spare += not goes_left
    rows[n_left:end] = spare_rows[:n_spare]
    packed[n_left:end] = spare_packed[:n_spare]
    return n_left


@njit(cache=True, nogil=True)
def walk(binned, feature, split_bin, missing_left, left, right):  # type: ignore[no-untyped-def]
    """The leaf of every row."""
    leaf = np.empty(len(binned), np.int32)
    for i in range(len(binned)):
        node = np.int32(0)
        while feature[node] >= 0:
            code = binned[i, feature[node]]
            goes_left = code <= split_bin[node] if code != MISSING else missing_left[node]
            node = left[node] if goes_left else right[node]
        leaf[i] = node
    return leaf
