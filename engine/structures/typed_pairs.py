"""Typed nodes and labelled ordered pairs of them: exact search, batched over a corpus.

A sentence has n nodes, each taking one of T types, and n(n-1) ordered pairs (i, j), i-major, each taking one of L
labels; label 0 declines. An output scores the sum of its types' and labels' scores, plus `fit[l, t, u]` for every pair
labelled l between types t and u, plus `both[l, m]` for labels l, m in the two directions of a pair, plus `tie` for tied
nodes that differ in type; -inf forbids. This is the program of Roth and Yih (2004) with its rows folded into tables.

Given the types, labels decide pair by pair; so the search is over types only: the best labels of an unordered pair make
one T x T table, tables are shifted until their bound is tight (block-coordinate descent on the dual of the LP
relaxation), and branch and bound does the rest, usually without branching.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FORBIDDEN: Final = -1e12
"""Stands for -inf while tables are shifted, because inf - inf has no value; any output this low is illegal."""
ILLEGAL: Final = -1e11
SWEEPS: Final = 12
MOST_NODES: Final = 2_000_000


@dataclass(frozen=True, eq=False)
class Tables:
    """What the types and labels of a pair have to do with each other, the same for every pair."""

    fit: Floats
    """[L, T, T]: added when a pair between these types takes the label."""
    both: Floats
    """[L, L]: added when the two directions of a pair take these labels."""

    @property
    def n_labels(self) -> int:
        return int(self.fit.shape[0])

    @property
    def n_types(self) -> int:
        return int(self.fit.shape[1])

    @classmethod
    def free(cls, n_types: int, n_labels: int) -> Tables:
        """No constraint at all."""
        return cls(np.zeros((n_labels, n_types, n_types)), np.zeros((n_labels, n_labels)))


@dataclass(frozen=True, eq=False)
class Corpus:
    """Scores of many sentences: nodes and ordered pairs one after the other, `starts` per sentence."""

    types: Floats
    """[nodes, T]"""
    labels: Floats
    """[pairs, L]"""
    node_starts: Ints
    pair_starts: Ints
    tie: Floats
    """[pairs]: added when the pair's two nodes differ in type; read where i < j."""

    @classmethod
    def of(cls, types: Floats, labels: Floats, sizes: Ints, tie: Floats | None = None) -> Corpus:
        sizes = np.asarray(sizes, dtype=np.int64)
        node_starts = np.concatenate([[0], np.cumsum(sizes)])
        pair_starts = np.concatenate([[0], np.cumsum(sizes * (sizes - 1))])
        if len(types) != node_starts[-1] or len(labels) != pair_starts[-1]:
            raise ValueError(f"sizes ask for {node_starts[-1]} nodes and {pair_starts[-1]} pairs")
        return cls(
            types=np.ascontiguousarray(types, dtype=np.float64),
            labels=np.ascontiguousarray(labels, dtype=np.float64),
            node_starts=node_starts,
            pair_starts=pair_starts,
            tie=np.zeros(len(labels)) if tie is None else np.asarray(tie, dtype=np.float64),
        )

    def __len__(self) -> int:
        return len(self.node_starts) - 1

    def sentence(self, index: int) -> Corpus:
        a, b = self.node_starts[index], self.node_starts[index + 1]
        p, q = self.pair_starts[index], self.pair_starts[index + 1]
        return Corpus.of(self.types[a:b], self.labels[p:q], np.array([b - a]), self.tie[p:q])


@dataclass(frozen=True, eq=False)
class Decoded:
    """The best output of every sentence."""

    types: Ints
    labels: Ints
    objective: Floats
    """-inf where no legal output exists."""
    proven: NDArray[np.bool_]
    """False where the search gave up after its allowance of nodes: ask another rung."""
    nodes: Ints


def pair_index(n: int) -> NDArray[np.int64]:
    """[n(n-1), 2]: the nodes of each ordered pair."""
    first, second = np.divmod(np.arange(n * n), n) if n else (np.zeros(0, np.int64), np.zeros(0, np.int64))
    keep = first != second
    return np.stack([first[keep], second[keep]], axis=1)


def position(n: int, i: int, j: int) -> int:
    """Where the ordered pair (i, j) stands."""
    return i * (n - 1) + j - (1 if j > i else 0)


def decode(corpus: Corpus, tables: Tables, bias: float | Floats = 0.0, *, most_nodes: int = MOST_NODES) -> Decoded:
    """The best output of every sentence, `bias` (one, or one per sentence) being added to label 0."""
    _check(corpus, tables)
    found = _decode(
        corpus.types,
        corpus.labels,
        corpus.tie,
        corpus.node_starts,
        corpus.pair_starts,
        tables.fit,
        tables.both,
        bool(np.any(tables.both != 0)),
        # A copy: a broadcast array is read-only, which would be another type to compile for.
        np.broadcast_to(np.asarray(bias, dtype=np.float64), len(corpus)).copy(),
        most_nodes,
    )
    return Decoded(*found)


def value(corpus: Corpus, tables: Tables, types: Ints, labels: Ints) -> Floats:
    """Score of a given output of every sentence."""
    _check(corpus, tables)
    result: Floats = _values(
        corpus.types,
        corpus.labels,
        corpus.tie,
        corpus.node_starts,
        corpus.pair_starts,
        tables.fit,
        tables.both,
        np.asarray(types, dtype=np.int64),
        np.asarray(labels, dtype=np.int64),
    )
    return result


def _check(corpus: Corpus, tables: Tables) -> None:
    if corpus.types.shape[1:] != (tables.n_types,) or corpus.labels.shape[1:] != (tables.n_labels,):
        raise ValueError(
            f"scores are for {corpus.types.shape[1:]} types and {corpus.labels.shape[1:]} labels,"
            f" tables for {tables.n_types} and {tables.n_labels}"
        )


@njit(cache=True, nogil=True)
def _at(n: int, i: int, j: int) -> int:
    return i * (n - 1) + j - (1 if j > i else 0)


@njit(cache=True, nogil=True)
def _fold(
    labels: Any, tie: Any, n: int, fit: Any, both: Any, coupled: bool, bias: float, table: Any, choice: Any
) -> None:
    """table[i, j, t, u], i < j: the best both directions of a pair can do between these types; choice: their labels."""
    n_labels, n_types = fit.shape[0], fit.shape[1]
    for i in range(n):
        for j in range(i + 1, n):
            p, q = _at(n, i, j), _at(n, j, i)
            for t in range(n_types):
                for u in range(n_types):
                    if coupled:
                        best, first, second = -np.inf, 0, 0
                        for a in range(n_labels):
                            left = labels[p, a] + fit[a, t, u] + (bias if a == 0 else 0.0)
                            if left == -np.inf:
                                continue
                            for b in range(n_labels):
                                right = labels[q, b] + fit[b, u, t] + (bias if b == 0 else 0.0)
                                total = left + right + both[a, b]
                                if total > best:
                                    best, first, second = total, a, b
                    else:
                        one, first = -np.inf, 0
                        other, second = -np.inf, 0
                        for a in range(n_labels):
                            left = labels[p, a] + fit[a, t, u] + (bias if a == 0 else 0.0)
                            if left > one:
                                one, first = left, a
                            right = labels[q, a] + fit[a, u, t] + (bias if a == 0 else 0.0)
                            if right > other:
                                other, second = right, a
                        best = one + other
                    if t != u:
                        best += tie[p]
                    table[i, j, t, u] = max(best, FORBIDDEN)
                    choice[i, j, t, u, 0] = first
                    choice[i, j, t, u, 1] = second


@njit(cache=True, nogil=True)
def _tighten(unary: Any, table: Any, sweeps: int) -> None:
    """Move score between nodes and tables, leaving every output's score unchanged, until the bound stops falling.

    One step gives each end of a pair half of what the pair and its two nodes can do together (MPLP's edge update).
    """
    n, n_types = unary.shape
    last = np.inf
    for _ in range(sweeps):
        for i in range(n):
            for j in range(i + 1, n):
                for t in range(n_types):
                    for u in range(n_types):
                        table[i, j, t, u] += unary[i, t] + unary[j, u]
                for t in range(n_types):
                    most = -np.inf
                    for u in range(n_types):
                        most = max(most, table[i, j, t, u])
                    unary[i, t] = max(0.5 * most, FORBIDDEN)
                for u in range(n_types):
                    most = -np.inf
                    for t in range(n_types):
                        most = max(most, table[i, j, t, u])
                    unary[j, u] = max(0.5 * most, FORBIDDEN)
                for t in range(n_types):
                    for u in range(n_types):
                        table[i, j, t, u] = max(table[i, j, t, u] - unary[i, t] - unary[j, u], 4 * FORBIDDEN)
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
        if last - bound < 1e-9:
            break
        last = bound


@njit(cache=True, nogil=True)
def _search(unary: Any, table: Any, most_nodes: int, found: Any) -> Any:
    """Best types by depth-first branch and bound; returns the number of nodes, negative when the allowance ran out."""
    n, n_types = unary.shape
    if n == 0:
        return 0
    # Nodes that are surest come first: their choice is rarely taken back.
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
        # Insertion, because a general sort takes longer to compile than everything here takes to run.
        d = i
        while d > 0 and margin[order[d - 1]] > margin[i]:
            order[d] = order[d - 1]
            d -= 1
        order[d] = i
    # ahead[d, t]: the most that node order[d] taking t can gain from pairs with nodes that come later.
    ahead = np.zeros((n, n_types))
    for d in range(n):
        i = order[d]
        for e in range(d + 1, n):
            j = order[e]
            for t in range(n_types):
                most = -np.inf
                for u in range(n_types):
                    most = max(most, table[i, j, t, u] if i < j else table[j, i, u, t])
                ahead[d, t] += most
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
        rest = 0.0
        for e in range(d + 1, n):
            most = -np.inf
            for t in range(n_types):
                most = max(most, gain[d, e, t] + ahead[e, t])
            rest += most
        choice, most = -1, -np.inf
        for t in range(n_types):
            if not tried[d, t] and gain[d, d, t] + ahead[d, t] > most:
                choice, most = t, gain[d, d, t] + ahead[d, t]
        if choice < 0 or score[d] + most + rest <= best + 1e-10:
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
                best = score[n]
                for e in range(n):
                    found[order[e]] = types[e]
            continue
        i = order[d]
        for e in range(d + 1, n):
            j = order[e]
            for t in range(n_types):
                pair = table[i, j, choice, t] if i < j else table[j, i, t, choice]
                gain[d + 1, e, t] = gain[d, e, t] + pair
        d += 1
    return nodes


@njit(cache=True, nogil=True)
def _value(types: Any, labels: Any, tie: Any, n: int, fit: Any, both: Any, chosen: Any, taken: Any) -> float:
    total = 0.0
    for i in range(n):
        total += types[i, chosen[i]]
        for j in range(n):
            if i != j:
                p = _at(n, i, j)
                total += labels[p, taken[p]] + fit[taken[p], chosen[i], chosen[j]]
                if i < j:
                    total += both[taken[p], taken[_at(n, j, i)]]
                    if chosen[i] != chosen[j]:
                        total += tie[p]
    return total


@njit(cache=True, nogil=True)
def _best(
    types: Any, labels: Any, tie: Any, n: int, fit: Any, both: Any, coupled: bool, bias: float, most_nodes: int,
    chosen: Any, taken: Any,
) -> int:  # fmt: skip
    """The best output of one sentence into `chosen` and `taken`; the number of nodes as in `_search`."""
    n_types = fit.shape[1]
    table = np.empty((n, n, n_types, n_types))
    choice = np.empty((n, n, n_types, n_types, 2), np.int64)
    _fold(labels, tie, n, fit, both, coupled, bias, table, choice)
    unary = np.empty((n, n_types))
    for i in range(n):
        for t in range(n_types):
            unary[i, t] = max(types[i, t], FORBIDDEN)
    if n > 3:
        _tighten(unary, table, SWEEPS)
    nodes = _search(unary, table, most_nodes, chosen)
    for i in range(n):
        for j in range(i + 1, n):
            taken[_at(n, i, j)] = choice[i, j, chosen[i], chosen[j], 0]
            taken[_at(n, j, i)] = choice[i, j, chosen[i], chosen[j], 1]
    return nodes


@njit(cache=True, nogil=True)
def _decode(
    types: Any, labels: Any, tie: Any, node_starts: Any, pair_starts: Any, fit: Any, both: Any, coupled: bool,
    biases: Any, most_nodes: int,
) -> Any:  # fmt: skip
    n_sentences = len(node_starts) - 1
    chosen = np.zeros(len(types), np.int64)
    taken = np.zeros(len(labels), np.int64)
    objective = np.zeros(n_sentences)
    proven = np.ones(n_sentences, np.bool_)
    nodes = np.zeros(n_sentences, np.int64)
    for s in range(n_sentences):
        a, b, p, q = node_starts[s], node_starts[s + 1], pair_starts[s], pair_starts[s + 1]
        bias = biases[s]
        used = _best(
            types[a:b], labels[p:q], tie[p:q], b - a, fit, both, coupled, bias, most_nodes, chosen[a:b], taken[p:q]
        )
        total = _value(types[a:b], labels[p:q], tie[p:q], b - a, fit, both, chosen[a:b], taken[p:q])
        for k in range(p, q):
            if taken[k] == 0:
                total += bias
        objective[s] = total if total > ILLEGAL else -np.inf
        proven[s] = used >= 0
        nodes[s] = abs(used)
    return chosen, taken, objective, proven, nodes


@njit(cache=True, nogil=True)
def _values(
    types: Any, labels: Any, tie: Any, node_starts: Any, pair_starts: Any, fit: Any, both: Any, chosen: Any, taken: Any
) -> Any:
    out = np.zeros(len(node_starts) - 1)
    for s in range(len(out)):
        a, b, p, q = node_starts[s], node_starts[s + 1], pair_starts[s], pair_starts[s + 1]
        out[s] = _value(types[a:b], labels[p:q], tie[p:q], b - a, fit, both, chosen[a:b], taken[p:q])
    return out
