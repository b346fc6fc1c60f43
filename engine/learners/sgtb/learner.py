"""Structured gradient tree boosting over sequences of choices (Yang, Irsoy and Rahman 2018).

Each epoch searches the documents with the present trees, computes the gradient of -log p(gold) at every point that the
search visited (Eq. 6), and fits one regression tree to the negative gradients (Eq. 5 and 7). The policies differ in
what the search does with the gold prefix; `local` looks at every decision alone, without pair features. Documents are
independent within an epoch: blocks of them go to joblib's workers, and their points come back in document order,
so a tree does not depend on who computed them.

Deviations from the paper: shrinkage, a share of the columns and a share of the documents per tree. The paper adds whole
trees fitted on everything, which overfits here after about 150 trees.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from engine.arrays import Bytes, Floats, Ints, Places
from engine.learners.base import Round
from engine.learners.sgtb.blocks import NIL_ROW, SKIPPED, Block, Choices, Decoded, FlatForest, Points, Search
from engine.learners.sgtb.pools import EXTRA, code_values
from engine.learners.sgtb.workers import BLOCKS, Job, workers_for
from engine.learners.trees.forest import Bins, Forest, Tree, fit_tree
from engine.settings import Settings, setting

__all__ = ["NIL_ROW", "SGTB", "SKIPPED", "Block", "Choices", "Decoded", "FlatForest", "Search", "all_bins", "boost"]


@dataclass(frozen=True, kw_only=True)
class SGTB(Settings):
    """How the boosting goes."""

    trees: int = setting(
        500, "Trees at most; training stops earlier when dev accuracy no longer rises.", low=1, high=2000
    )
    depth: Literal[3, 5, 8] = setting(3, "Depth of every tree.")
    beam: int = setting(4, "Sequences that the search keeps.", low=1, high=64)
    rate: float = setting(0.3, "How much of each tree is added (1 in the paper).", low=0.01, high=1.0)
    columns: float = setting(0.3, "Share of the features that each tree may look at.", low=0.05, high=1.0)
    documents: float = setting(0.7, "Share of the documents that each tree is fitted on.", low=0.1, high=1.0)
    min_leaf: int = setting(5, "Gradient points that a leaf needs.", low=1)
    check_every: int = setting(25, "Trees between two checks on dev.", low=1)
    patience: int = setting(6, "Checks without a better dev accuracy before training stops.", low=1)


def all_bins(own: Bins, n_pooled: int) -> Bins:
    """Bins of the candidates' own columns followed by those of the pooled ones, whose codes are fixed."""
    if not n_pooled:
        return own
    values = code_values()
    means = np.append((values[:-1] + values[1:]) / 2, np.inf)
    counts = np.append(np.arange(254) + 0.5, np.inf)
    columns = [means] * (n_pooled - EXTRA) + [counts] * EXTRA
    offsets = own.offsets[-1] + np.cumsum([len(column) for column in columns])
    return Bins(np.concatenate([own.edges, *columns]), np.concatenate([own.offsets, offsets]))


def boost(
    train: Choices,
    dev: Choices | None,
    own_bins: Bins,
    how: Search,
    settings: SGTB,
    *,
    jobs: int = 1,
    cluster: str | None = None,
) -> Iterator[Round[Forest]]:
    """One round per check; the last one holds the trees that did best on dev (all of them without dev)."""
    rng = np.random.default_rng(settings.seed)
    bins = all_bins(own_bins, train.n_pooled)
    bounds = train.bounds(BLOCKS)
    spans = [(first, last) for first, last in pairwise(bounds) if first < last]
    first_rows = [int(train.row_offsets[train.document_offsets[first]]) for first, _ in spans]
    # The direction is no column to draw: it is asked first where there are two.
    n_drawn = bins.n_features - (1 if train.n_pooled else 0)
    n_columns = max(1, round(settings.columns * n_drawn))
    forest = FlatForest()
    checking = None if dev is None else Block(dev)
    best, best_at = -1.0, 0
    with workers_for([train.part(first, last) for first, last in spans], jobs, cluster) as workers:
        for epoch in range(settings.trees):
            picked = rng.random(train.n_documents) < settings.documents
            columns = rng.choice(n_drawn, n_columns, replace=False)
            tasks: list[Job] = [(b, np.flatnonzero(picked[first:last])) for b, (first, last) in enumerate(spans)]
            found = workers.points(tasks, forest.arrays, epoch, how)
            points = _join(found, first_rows)
            codes = np.hstack([train.codes[points.rows], points.pooled])
            tree = _fit(codes, points.residuals, bins, settings, columns, both=how.backward > 0 and train.n_pooled > 0)
            forest.add(tree.scaled(settings.rate))
            done = epoch + 1
            if done % settings.check_every and done < settings.trees:
                continue
            objective = float(points.losses.sum() / max(1, len(points.losses)))
            scores: dict[str, float] = {}
            if checking is not None:
                scores["accuracy"] = accuracy(checking, forest, epoch, how)
                if scores["accuracy"] > best:
                    best, best_at = scores["accuracy"], done
            yield Round(done, objective, Forest(tuple(forest.trees)), scores)
            if checking is not None and done - best_at >= settings.patience * settings.check_every:
                break
    if checking is not None and best_at < done:
        yield Round(best_at, objective, Forest(tuple(forest.trees[:best_at])), {"accuracy": best})


def _fit(codes: Bytes, residuals: Floats, bins: Bins, settings: SGTB, columns: Ints, *, both: bool) -> Tree:
    """One tree; with both directions, one for each under a first question for the direction."""

    def fit(rows: Places | None) -> Tree:
        return fit_tree(
            codes,
            residuals,
            bins=bins,
            max_depth=settings.depth,
            min_leaf=settings.min_leaf,
            columns=columns,
            rows=rows,
        )

    if not both:
        return fit(None)
    backward = codes[:, -1] > 0
    return Tree.asking(bins.n_features - 1, bins, 0, fit(np.flatnonzero(~backward)), fit(np.flatnonzero(backward)))


def accuracy(block: Block, forest: FlatForest, epoch: int, how: Search) -> float:
    """Share of the choices with a right row in which that row is chosen."""
    gold = block.choices.gold
    known = gold >= 0
    rows = block.decode(forest.arrays, epoch, how, np.zeros(len(gold))).rows
    return float(np.mean(rows[known] == gold[known])) if known.any() else 0.0


def _join(found: list[Points], first_rows: list[int]) -> Points:
    return Points(
        np.concatenate([points.rows + first for points, first in zip(found, first_rows, strict=True)]),
        np.concatenate([points.pooled for points in found]),
        np.concatenate([points.residuals for points in found]),
        np.concatenate([points.losses for points in found]),
    )
