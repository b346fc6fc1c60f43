"""Histograms of packed targets, from which the splits of a tree are found.

A histogram holds, for every column and bin, the number of rows and the sum of their targets. Targets are rounded to
whole numbers and share one 64-bit integer with the count (sum << bits | count), so that one addition does both and no
order of additions can change a sum: equal splits stay equal, on any machine. With n rows, targets are rounded to 2^(63
- 2 log2 n) steps (2^23 for half a million rows). The values of leaves are not affected; they are computed from the
targets themselves.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from engine.arrays import Bytes, Floats, Int, Ints, ShortInts
from engine.kernels import kernel
from engine.learners.trees.bins import MISSING

WIDTH: Final = MISSING + 1
"""Number of bins of a histogram, including that of missing values."""
_FINEST: Final = 40
"""Maximum number of bits of a rounded target."""


class Table(NamedTuple):
    """Codes by row and, unless empty, by column as well; the columns that may be used; the number of bins of each."""

    binned: Bytes
    by_column: Bytes
    columns: ShortInts
    sizes: Ints


class Packing(NamedTuple):
    """The number of bits of the count in a packed target, their mask, and the gain below which a split is
    meaningless."""

    bits: np.int64
    mask: np.int64
    least: float


class Sample(NamedTuple):
    """The rows of all nodes, grouped by node, with their packed targets; and working space for partitioning them."""

    rows: ShortInts
    packed: Ints
    spare_rows: ShortInts
    spare_packed: Ints


@kernel
def pack(targets: Floats, sampled: ShortInts) -> tuple[Sample, Packing]:
    """Sampled rows with their targets rounded and packed with a count of one."""
    n = len(sampled)
    bits = np.int64(0)
    while (np.int64(1) << bits) <= n:
        bits += 1
    rows = sampled.copy()
    packed = np.empty(n, np.int64)
    largest = 0.0
    for i in range(n):
        largest = max(largest, abs(targets[rows[i]]))
    steps = np.int64(1) << min(np.int64(_FINEST), np.int64(63) - 2 * bits)
    scale = steps / largest if largest > 0 else 0.0
    squares = 0.0
    for i in range(n):
        whole = np.rint(targets[rows[i]] * scale)
        squares += whole * whole
        packed[i] = (np.int64(whole) << bits) + np.int64(1)
    sample = Sample(rows, packed, np.empty(n, np.int32), np.empty(n, np.int64))
    # A split must gain more than rounding errors could.
    return sample, Packing(bits, (np.int64(1) << bits) - np.int64(1), 1e-12 * squares)


@kernel
def count(histogram: Ints, table: Table, sample: Sample, begin: Int, end: Int) -> None:
    """Packed sums of rows [begin, end) by column and bin."""
    binned, columns, rows, packed = table.binned, table.columns, sample.rows, sample.packed
    histogram[:] = 0
    n_columns = len(columns)
    every = n_columns == binned.shape[1]
    i = begin
    # Four rows at a time, so that the next ones are fetched from memory while one is being added.
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


@kernel
def subtract(histogram: Ints, other: Ints) -> None:
    for c in range(histogram.shape[0]):
        for b in range(WIDTH):
            histogram[c, b] -= other[c, b]


@kernel
def best_split(
    histogram: Ints, table: Table, packing: Packing, min_leaf: Int
) -> tuple[float, np.int32, np.uint8, bool]:
    """The best split: gain over not splitting (in squared rounded units), column, bin, and the side of missing values.

    Among equal gains the first column wins, then the lowest bin.
    """
    columns, sizes, bits, mask = table.columns, table.sizes, packing.bits, packing.mask
    best_column, best_bin, best_missing_left = np.int32(0), np.uint8(0), False
    everything = np.int64(0)
    for b in range(WIDTH):
        everything += histogram[0, b]
    n = everything & mask
    total = float(everything >> bits)
    level = total * total / n
    best = level + packing.least
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
                    # If nothing was missing in training, a missing value follows the majority.
                    best_missing_left = side == 1 if n_sides == 2 else n_left >= n_right
    return float(best - level) if found else -1.0, best_column, best_bin, best_missing_left


@kernel
def part(codes: Bytes, split: np.uint8, missing_left: bool, sample: Sample, begin: Int, end: Int) -> int:
    """Partition the rows, left child first, each side in its old order; returns where the right child begins."""
    rows, packed, spare_rows, spare_packed = sample.rows, sample.packed, sample.spare_rows, sample.spare_packed
    n_left: Int = begin
    n_spare = 0
    for i in range(begin, end):
        row = rows[i]
        code = codes[row]
        goes_left = (code <= split) | (missing_left & (code == MISSING))
        # Both are written and one counter advances, so there is no branch to mispredict.
        g = packed[i]
        rows[n_left] = row
        packed[n_left] = g
        spare_rows[n_spare] = row
        spare_packed[n_spare] = g
        n_left += goes_left
        n_spare += not goes_left
    # A loop, because numba takes a second to compile the assignment of a slice, with the text of its error.
    for i in range(n_spare):
        rows[n_left + i] = spare_rows[i]
        packed[n_left + i] = spare_packed[i]
    return int(n_left)
