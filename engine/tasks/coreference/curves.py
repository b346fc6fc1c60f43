"""Precision and recall of coreference links (MUC) at every root bias.

With local features each mention leaves its antecedent at one bias, so the steps are exact; with non-local features the
search is repeated on a grid of biases, and the curve says so.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import njit
from numpy.typing import NDArray

from engine.learners.laso.arrays import ClusterTemplates
from engine.learners.laso.learner import search
from engine.tasks.coreference.prepare import Prepared, State
from engine.tuning.curve import Curve, merge_paths

GRID = 33


def gold_links(prepared: Sequence[Prepared]) -> NDArray[np.int64]:
    """Links that the gold clusters of each document need, missed mentions included."""
    return np.array(
        [sum(len(cluster) - 1 for cluster in one.document.gold.clusters) for one in prepared], dtype=np.int64
    )


def exact_curve(prepared: Sequence[Prepared], state: State) -> Curve:
    documents, biases, counts = [], [], []
    for number, one in enumerate(prepared):
        bias, steps = _document_path(one, state)
        documents.append(np.full(len(bias), number, dtype=np.int64))
        biases.append(bias)
        counts.append(steps)
    return merge_paths(
        np.concatenate([*documents, np.zeros(0, np.int64)]),
        np.concatenate([*biases, np.zeros(0)]),
        np.concatenate([*counts, np.zeros((0, 3), np.int64)]),
        gold_links(prepared),
    )


def breaks(one: Prepared, state: State) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Per mention the root bias from which on it starts a cluster of its own, and its best antecedent (0: none)."""
    return _breaks(one.arcs.n, one.arcs.offsets, one.arcs.heads, one.scored_by(state.weights))


def _document_path(one: Prepared, state: State) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    bias, antecedent = breaks(one, state)
    finite = np.unique(bias[bias > -np.inf])
    # At the break itself the antecedent still wins a tie, so the step begins just above it.
    steps = np.concatenate([[-np.inf], np.nextafter(finite, np.inf)])
    return steps, _counts(steps, bias, antecedent, one.gold)


def grid_curve(
    prepared: Sequence[Prepared], state: State, templates: ClusterTemplates, beam: int, *, own: float
) -> Curve:
    """`own`, the bias of the model, is one of the points."""
    documents, biases, counts = [], [], []
    grid = bias_grid(prepared, state, GRID, own)
    for number, one in enumerate(prepared):
        scores = one.scored_by(state.weights)
        for position, bias in enumerate(grid):
            found = search(state.weights, one.arcs, templates, beam=beam, bias=float(bias), scores=scores)
            documents.append(number)
            biases.append(-np.inf if position == 0 else float(bias))
            counts.append(_count(found.heads.astype(np.int64), one.gold))
    return merge_paths(
        np.array(documents, dtype=np.int64),
        np.array(biases, dtype=np.float64),
        np.array(counts, dtype=np.int64).reshape(-1, 3),
        gold_links(prepared),
        grid_from=float(grid[0]),
    )


def bias_grid(prepared: Sequence[Prepared], state: State, points: int, own: float) -> NDArray[np.float64]:
    """Biases spread over where decisions change by their local scores; 0 and the model's own are among them."""
    found = np.concatenate([breaks(one, state)[0] for one in prepared] + [np.zeros(1)])
    found = found[np.isfinite(found)]
    return np.unique(np.append(np.quantile(found, np.linspace(0.0, 1.0, points)), [0.0, own]))


@njit(cache=True, nogil=True)
def _breaks(n, offsets, heads, scores):
    bias, antecedent = np.full(n, -np.inf), np.zeros(n, np.int64)
    for j in range(n):
        best = -np.inf
        for row in range(offsets[j] + 1, offsets[j + 1]):
            if scores[row] >= best:
                best, antecedent[j] = scores[row], heads[row]
        bias[j] = best - scores[offsets[j]]
    return bias, antecedent


@njit(cache=True, nogil=True)
def _count(heads, gold):
    """Correct, found and predicted links of a tree: MUC's counts."""
    n = len(heads)
    label = np.zeros(n + 1, np.int64)
    correct, predicted = 0, 0
    for j in range(1, n + 1):
        head = heads[j - 1]
        label[j] = label[head] if head else j
        predicted += head > 0
    for j in range(1, n + 1):
        if not gold[j]:
            continue
        # A mention adds a right link if an earlier one shares both its clusters.
        for i in range(j - 1, 0, -1):
            if label[i] == label[j] and gold[i] == gold[j]:
                correct += 1
                break
    return correct, correct, predicted


@njit(cache=True, nogil=True)
def _counts(steps, bias, antecedent, gold):
    out = np.zeros((len(steps), 3), np.int64)
    heads = np.zeros(len(antecedent), np.int64)
    for s in range(len(steps)):
        for j in range(len(antecedent)):
            heads[j] = antecedent[j] if bias[j] >= steps[s] else 0
        out[s, 0], out[s, 1], out[s, 2] = _count(heads, gold)
    return out
