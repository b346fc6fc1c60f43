"""Precision and recall of coreference links (MUC) at every root bias.

With local scores each mention leaves its antecedent at one particular bias, so the steps are exact. With a scorer of
the steps the search is repeated on a grid of biases, and the curve is marked as such.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.arrays import Floats, Ints
from engine.kernels import kernel
from engine.metrics.tally import Tally
from engine.tasks.coreference.deciding import best_tree
from engine.tasks.coreference.scored import CoreferenceScored
from engine.tuning.curve import Curve, merge_paths

GRID: Final = 33
"""Number of biases in a grid, besides 0 and the chosen one."""


def curve(scored: CoreferenceScored, whole: Tally | None = None) -> Curve:
    """The corpus curve. For a grid, `whole` is the outline of the larger corpus if this one is only a part of it."""
    return exact_curve(scored) if scored.steps is None else grid_curve(scored, whole)


def exact_curve(scored: CoreferenceScored) -> Curve:
    documents, biases, counts = [], [], []
    for number, one in enumerate(scored.each()):
        bias, steps = _document_path(one)
        documents.append(np.full(len(bias), number, dtype=np.int64))
        biases.append(bias)
        counts.append(steps)
    return merge_paths(
        np.concatenate([*documents, np.zeros(0, np.int64)]),
        np.concatenate([*biases, np.zeros(0)]),
        np.concatenate([*counts, np.zeros((0, 3), np.int64)]),
        _gold_links(scored),
    )


def grid_curve(scored: CoreferenceScored, whole: Tally | None = None) -> Curve:
    """The curve on a grid of biases, one of which is the chosen bias."""
    documents, biases, counts = [], [], []
    grid = _bias_grid(scored, outline(scored) if whole is None else whole)
    for number, one in enumerate(scored.each()):
        for position, bias in enumerate(grid.tolist()):
            documents.append(number)
            biases.append(-np.inf if position == 0 else bias)
            counts.append(_count(best_tree(one.at(bias)).heads.astype(np.int64), _gold_of_nodes(one)))
    return merge_paths(
        np.array(documents, dtype=np.int64),
        np.array(biases, dtype=np.float64),
        np.array(counts, dtype=np.int64).reshape(-1, 3),
        _gold_links(scored),
        grid_from=float(grid[0]),
    )


def breaks(one: CoreferenceScored) -> tuple[Floats, Ints]:
    """For each mention, the root bias above which it starts a cluster of its own, and its best antecedent (0: none), by
    arc scores alone."""
    bias, linked, _ = one.tree().root_path(one.score)
    return bias, np.where(linked >= 0, one.head[linked], 0).astype(np.int64)


def _document_path(one: CoreferenceScored) -> tuple[Floats, Ints]:
    bias, antecedent = breaks(one)
    finite = np.unique(bias[bias > -np.inf])
    # At the break itself the antecedent still wins a tie, so the step begins just above it.
    steps = np.concatenate([[-np.inf], np.nextafter(finite, np.inf)])
    return steps, _counts(steps, bias, antecedent, _gold_of_nodes(one))


def outline(scored: CoreferenceScored) -> Tally:
    """The biases at which decisions would change by local scores."""
    found = np.concatenate([breaks(one)[0] for one in scored.each()] + [np.zeros(0)])
    made = Tally()
    made.extend("breaks", found[np.isfinite(found)])
    return made


def _bias_grid(scored: CoreferenceScored, whole: Tally) -> Floats:
    """Biases spread over the range in which decisions change, including 0 and the chosen one."""
    found = np.append(whole.column("breaks"), 0.0)
    return np.unique(np.append(np.quantile(found, np.linspace(0.0, 1.0, GRID)), [0.0, scored.bias]))


def _gold_links(scored: CoreferenceScored) -> Ints:
    """The number of links in the gold clusters of each document, including those of missed mentions."""
    return np.array(
        [sum(len(cluster) - 1 for cluster in document.gold.clusters) for document in scored.documents], dtype=np.int64
    )


def _gold_of_nodes(one: CoreferenceScored) -> Ints:
    """The gold cluster of every mention from 1, with a place for the root."""
    return np.concatenate([[0], one.gold])


@kernel
def _count(heads: Ints, gold: Ints) -> tuple[int, int, int]:
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


@kernel
def _counts(steps: Floats, bias: Floats, antecedent: Ints, gold: Ints) -> Ints:
    """The same counts at every step, where each mention keeps its antecedent up to its own bias."""
    out = np.zeros((len(steps), 3), np.int64)
    heads = np.zeros(len(antecedent), np.int64)
    for s in range(len(steps)):
        for j in range(len(antecedent)):
            heads[j] = antecedent[j] if bias[j] >= steps[s] else 0
        out[s, 0], out[s, 1], out[s, 2] = _count(heads, gold)
    return out
