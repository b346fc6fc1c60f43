"""Growing one regression tree on bins, best split first.

Only the smaller child of a split is counted; the histogram of the larger one is the difference to the parent's (see
histograms.py).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.arrays import Bytes, Flags, Floats, Int, Ints, ShortInts
from engine.kernels import inlined, kernel
from engine.learners.trees.bins import MISSING
from engine.learners.trees.histograms import WIDTH, Packing, Sample, Table, best_split, count, pack, part, subtract


class Limits(NamedTuple):
    """How large a tree may grow, and how many rows a leaf needs."""

    max_leaves: int
    max_depth: int
    min_leaf: int


class Branches(NamedTuple):
    """Nodes of a tree: node 0 is the root, feature -1 marks a leaf. Codes up to the split go left."""

    feature: ShortInts
    split: Bytes
    missing_left: Flags
    left: ShortInts
    right: ShortInts


class Nodes(NamedTuple):
    """Per node: its depth, its rows [begin, end), its histogram, and its best split."""

    depth: ShortInts
    begin: Ints
    end: Ints
    slot: ShortInts
    gain: Floats
    column: ShortInts
    bin: Bytes
    missing_left: Flags


class Workshop(NamedTuple):
    """Working space: histograms, a list of the free ones, and the nodes that may be split; `counts` holds the numbers
    in use."""

    histograms: Ints
    free: Ints
    open_nodes: ShortInts
    counts: Ints


N_FREE, N_OPEN, N_NODES, N_LEAVES = range(4)
"""Indices of `Workshop.counts`."""


@kernel
def grow(table: Table, targets: Floats, sampled: ShortInts, limits: Limits) -> tuple[Branches, ShortInts]:
    """The tree, and the leaf of every sampled row (0 for the others)."""
    sample, packing = pack(targets, sampled)
    tree, nodes, shop = room_for(limits, len(table.columns))
    nodes.end[0] = len(sampled)
    if (
        limits.max_leaves > 1
        and limits.max_depth > 0
        and len(sampled) >= 2 * limits.min_leaf
        and len(table.columns) > 0
    ):
        nodes.slot[0] = take_slot(shop)
        count(shop.histograms[nodes.slot[0]], table, sample, np.int64(0), np.int64(len(sampled)))
        consider(np.int64(0), table, nodes, shop, packing, limits.min_leaf)
        open_or_close(np.int64(0), nodes, shop)
    while shop.counts[N_OPEN] > 0 and shop.counts[N_LEAVES] < limits.max_leaves:
        node = best_open_node(nodes, shop)
        divide(node, table, sample, tree, nodes, shop)
        look_into_children(node, table, sample, tree, nodes, shop, packing, limits)
    used = shop.counts[N_NODES]
    leaf = np.zeros(len(table.binned), np.int32)
    for node in range(used):
        if tree.feature[node] < 0:
            for i in range(nodes.begin[node], nodes.end[node]):
                leaf[sample.rows[i]] = node
    grown = Branches(
        tree.feature[:used], tree.split[:used], tree.missing_left[:used], tree.left[:used], tree.right[:used]
    )
    return grown, leaf


@kernel
def room_for(limits: Limits, n_columns: Int) -> tuple[Branches, Nodes, Workshop]:
    """A tree of one leaf, with room to grow."""
    n_nodes = 2 * limits.max_leaves - 1
    tree = Branches(
        np.full(n_nodes, -1, np.int32),
        np.zeros(n_nodes, np.uint8),
        np.zeros(n_nodes, np.bool_),
        np.full(n_nodes, -1, np.int32),
        np.full(n_nodes, -1, np.int32),
    )
    nodes = Nodes(
        np.zeros(n_nodes, np.int32),
        np.zeros(n_nodes, np.int64),
        np.zeros(n_nodes, np.int64),
        np.full(n_nodes, -1, np.int32),
        np.full(n_nodes, -1.0),
        np.zeros(n_nodes, np.int32),
        np.zeros(n_nodes, np.uint8),
        np.zeros(n_nodes, np.bool_),
    )
    counts = np.zeros(4, np.int64)
    counts[N_FREE], counts[N_NODES], counts[N_LEAVES] = limits.max_leaves, 1, 1
    shop = Workshop(
        # Memory pages that are never written cost nothing; those of closed leaves are reused.
        np.empty((limits.max_leaves, n_columns, WIDTH), np.int64),
        np.arange(limits.max_leaves)[::-1].copy(),
        np.empty(n_nodes, np.int32),
        counts,
    )
    return tree, nodes, shop


@inlined
def take_slot(shop: Workshop) -> Int:
    """Take a free histogram."""
    shop.counts[N_FREE] -= 1
    return np.int64(shop.free[shop.counts[N_FREE]])


@inlined
def give_back(slot: Int, shop: Workshop) -> None:
    shop.free[shop.counts[N_FREE]] = slot
    shop.counts[N_FREE] += 1


@inlined
def open_or_close(node: Int, nodes: Nodes, shop: Workshop) -> None:
    """Queue a node that can be split; free the histogram of one that cannot."""
    if nodes.gain[node] > 0:
        shop.open_nodes[shop.counts[N_OPEN]] = node
        shop.counts[N_OPEN] += 1
    else:
        give_back(nodes.slot[node], shop)


@inlined
def best_open_node(nodes: Nodes, shop: Workshop) -> Int:
    """Take out the node whose split gains most; ties go to the older node."""
    open_nodes, gain, n_open = shop.open_nodes, nodes.gain, shop.counts[N_OPEN]
    at = 0
    for i in range(1, n_open):
        if gain[open_nodes[i]] > gain[open_nodes[at]]:
            at = i
    node = np.int64(open_nodes[at])
    # The others keep their order.
    for i in range(at, n_open - 1):
        open_nodes[i] = open_nodes[i + 1]
    shop.counts[N_OPEN] = n_open - 1
    return node


@inlined
def divide(node: Int, table: Table, sample: Sample, tree: Branches, nodes: Nodes, shop: Workshop) -> None:
    """Split a node: two new leaves with its rows, each side in its old order."""
    column = table.columns[nodes.column[node]]
    tree.feature[node], tree.split[node], tree.missing_left[node] = column, nodes.bin[node], nodes.missing_left[node]
    codes = table.by_column[column] if len(table.by_column) else table.binned[:, column]
    begin, end = nodes.begin[node], nodes.end[node]
    middle = part(codes, tree.split[node], tree.missing_left[node], sample, begin, end)
    left = shop.counts[N_NODES]
    right = left + 1
    shop.counts[N_NODES] += 2
    shop.counts[N_LEAVES] += 1
    tree.left[node], tree.right[node] = left, right
    nodes.begin[left], nodes.end[left] = begin, middle
    nodes.begin[right], nodes.end[right] = middle, end
    nodes.depth[left] = nodes.depth[right] = nodes.depth[node] + 1


@inlined
def look_into_children(
    node: Int,
    table: Table,
    sample: Sample,
    tree: Branches,
    nodes: Nodes,
    shop: Workshop,
    packing: Packing,
    limits: Limits,
) -> None:
    """Histograms and best splits of the two children of a node, unless they must stay leaves."""
    begin, end, slot = nodes.begin, nodes.end, nodes.slot
    small, large = tree.left[node], tree.right[node]
    if end[small] - begin[small] > end[large] - begin[large]:
        small, large = large, small
    growing = shop.counts[N_LEAVES] < limits.max_leaves and nodes.depth[small] < limits.max_depth
    small_grows = growing and end[small] - begin[small] >= 2 * limits.min_leaf
    large_grows = growing and end[large] - begin[large] >= 2 * limits.min_leaf
    if not large_grows:
        give_back(slot[node], shop)
        return
    slot[small] = take_slot(shop)
    slot[large] = slot[node]
    count(shop.histograms[slot[small]], table, sample, begin[small], end[small])
    subtract(shop.histograms[slot[large]], shop.histograms[slot[small]])
    for turn in range(2):
        # Left before right, so that ties between them do not depend on which is larger.
        child = np.int64(tree.left[node] if turn == 0 else tree.right[node])
        if child == large or small_grows:
            consider(child, table, nodes, shop, packing, limits.min_leaf)
        open_or_close(child, nodes, shop)


@inlined
def consider(node: Int, table: Table, nodes: Nodes, shop: Workshop, packing: Packing, min_leaf: Int) -> None:
    """Note the best split of a node."""
    nodes.gain[node], nodes.column[node], nodes.bin[node], nodes.missing_left[node] = best_split(
        shop.histograms[nodes.slot[node]], table, packing, min_leaf
    )


@kernel
def walk(binned: Bytes, tree: Branches) -> ShortInts:
    """The leaf of every row."""
    feature, split, missing_left, left, right = tree.feature, tree.split, tree.missing_left, tree.left, tree.right
    leaf = np.empty(len(binned), np.int32)
    for i in range(len(binned)):
        node = np.int32(0)
        while feature[node] >= 0:
            code = binned[i, feature[node]]
            goes_left = code <= split[node] if code != MISSING else missing_left[node]
            node = left[node] if goes_left else right[node]
        leaf[i] = node
    return leaf
