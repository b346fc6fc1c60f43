"""Structured gradient tree boosting over sequences of choices (Yang, Irsoy and Rahman 2018).

Each epoch searches the documents with the present trees, computes the gradient of -log p(gold) at every point that the
search visited (Eq. 6), and fits one regression tree to the negative gradients (Eq. 5 and 7). The policies differ in
what the search does with the gold prefix; `local` looks at every decision alone, without pair features. Documents are
independent within an epoch: blocks of them are searched by the workers of a crew (engine.workers.crews), and points
come back in document order, so a tree does not depend on who computed them.

Deviations from the paper: shrinkage, a share of the columns and a share of the documents per tree. The paper adds whole
trees fitted on everything, which overfits here after about 150 trees.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from engine.arrays import Ints, ShortInts
from engine.learners.base import Round, Saved
from engine.learners.sgtb.blocks import Block, Points, Search
from engine.learners.sgtb.cache import FlatForest
from engine.learners.sgtb.choices import Choices
from engine.learners.sgtb.columns import all_bins, grow_by_direction
from engine.learners.sgtb.pools import Trees
from engine.learners.training import Training, prefixed, rng_from, rng_parts, under
from engine.learners.trees.additive import Grower, Shrinkage, boost_once
from engine.learners.trees.bins import Bins
from engine.learners.trees.forest import Forest
from engine.learners.trees.regression import Growth, Target, Tree, grow_tree
from engine.settings import Settings, setting
from engine.workers.crews import ALONE, BLOCKS, Crew


@dataclass(frozen=True, kw_only=True)
class SGTB(Settings):
    """The settings of boosting."""

    trees: int = setting(
        500, "The largest number of trees; training stops earlier if dev accuracy no longer rises.", low=1, high=2000
    )
    depth: Literal[3, 5, 8] = setting(3, "Depth of every tree.")
    beam: int = setting(4, "Number of sequences that the search keeps.", low=1, high=64)
    rate: float = setting(0.3, "The share of each tree that is added (1 in the paper).", low=0.01, high=1.0)
    columns: float = setting(0.3, "Share of the features that each tree may use.", low=0.05, high=1.0)
    documents: float = setting(0.7, "Share of the documents that each tree is fitted on.", low=0.1, high=1.0)
    min_leaf: int = setting(5, "The smallest number of gradient points in a leaf.", low=1)
    check_every: int = setting(25, "Trees between two checks on dev.", low=1)
    patience: int = setting(6, "Checks without a better dev accuracy before training stops.", low=1)


@dataclass(frozen=True, eq=False)
class SequenceBoosting:
    """SGTB with what else it needs: how it searches, the bins of the candidates' own columns, the documents that it
    checks itself on."""

    settings: SGTB
    how: Search
    bins: Bins
    dev: Choices | None = None
    start: Forest | None = None
    """What boosting starts from: these trees are part of every round and none of those that settings count."""

    def rounds(
        self, instances: Sequence[Choices], *, resume: Saved | None = None, crew: Crew = ALONE
    ) -> Iterator[Round[Forest]]:
        """One round per check; the last one holds the trees that did best on dev (all of them without dev)."""
        most_checks = math.ceil(self.settings.trees / self.settings.check_every)
        yield from _Boost(self, Choices.joined(instances), crew).rounds(most_checks + 1, resume)


@dataclass(frozen=True, eq=False)
class _Asked:
    """What blocks are told before they are searched."""

    forest: Trees
    epoch: int
    how: Search


def _points(block: Block, asked: _Asked, documents: Ints) -> Points:
    return block.points(documents, asked.forest, asked.epoch, asked.how)


class _Factors:
    """The sum of trees that scores every factor of a search, and the points at which the search asked for it."""

    def __init__(self, learner: SequenceBoosting, train: Choices, crew: Crew) -> None:
        self._train, self._how = train, learner.how
        self._spans = train.spans(BLOCKS)
        self._keepers = crew.keep([Block(train.part(first, last)) for first, last in self._spans])
        self._first_rows = [int(train.row_offsets[train.document_offsets[first]]) for first, _ in self._spans]
        self.bins = all_bins(learner.bins, train.n_pooled)
        # The direction is not sampled like other columns: if there are two, every tree splits on it first.
        self._n_columns = self.bins.n_features - (1 if train.n_pooled else 0)
        self._n_drawn = max(1, round(learner.settings.columns * self._n_columns))
        self._share = learner.settings.documents
        self.rng = np.random.default_rng(learner.settings.seed)
        given = () if learner.start is None else learner.start.trees
        self.n_given = len(given)
        self.forest = FlatForest(given)
        self.loss = math.nan
        """The mean loss of the documents that the latest tree was fitted on, before the tree was added."""

    def target(self) -> Target:
        picked = self.rng.random(self._train.n_documents) < self._share
        columns = self.rng.choice(self._n_columns, self._n_drawn, replace=False)
        asked = _Asked(self.forest.arrays, len(self.forest.trees), self._how)
        found = self._keepers.ask(_points, asked, [np.flatnonzero(picked[first:last]) for first, last in self._spans])
        rows = np.concatenate([points.rows + first for points, first in zip(found, self._first_rows, strict=True)])
        losses = np.concatenate([points.losses for points in found])
        self.loss = float(losses.sum() / max(1, len(losses)))
        codes = np.hstack([self._train.codes[rows], np.concatenate([points.pooled for points in found])])
        return Target(codes, np.concatenate([points.residuals for points in found]), columns=columns)

    def add(self, tree: Tree, leaf: ShortInts) -> None:
        self.forest.add(tree)


class _Boost(Training[Round[Forest]]):
    kind: ClassVar[str] = "sgtb"

    def __init__(self, learner: SequenceBoosting, train: Choices, crew: Crew) -> None:
        super().__init__()
        settings = learner.settings
        self._settings, self._how = settings, learner.how
        self._factors = _Factors(learner, train, crew)
        self._growth = Growth(max_depth=settings.depth, min_leaf=settings.min_leaf)
        apart = learner.how.backward > 0 and not learner.how.look_ahead and train.n_pooled > 0
        self._grow: Grower = grow_by_direction if apart else grow_tree
        self._dev = None if learner.dev is None else Block(learner.dev)
        self._best, self._best_at = -1.0, 0
        self._size = (train.n_documents, *train.codes.shape, train.n_pooled)

    @property
    def size(self) -> tuple[int, ...]:
        return self._size

    @property
    def _trees(self) -> tuple[Tree, ...]:
        return tuple(self._factors.forest.trees)

    def step(self) -> Round[Forest]:
        if self._is_over:
            # The last checks found nothing better.
            self.finished = True
            best = Forest(self._trees[: self._best_at])
            return Round(self.done, self._factors.loss, best, {"accuracy": self._best})
        self._grow_to_next_check()
        scores: dict[str, float] = {}
        n_trees = len(self._trees)
        if self._dev is not None:
            scores["accuracy"] = accuracy(self._dev, self._factors.forest, self._how)
            if scores["accuracy"] > self._best:
                self._best, self._best_at = scores["accuracy"], n_trees
        self.finished = self._is_over and (self._dev is None or self._best_at == n_trees)
        return Round(self.done, self._factors.loss, Forest(self._trees), scores)

    def _grow_to_next_check(self) -> None:
        settings = self._settings
        for _ in range(min(settings.check_every, settings.trees - self._n_grown)):
            boost_once(self._factors, self._factors.bins, self._growth, Shrinkage(settings.rate), self._grow)

    @property
    def _n_grown(self) -> int:
        return len(self._trees) - self._factors.n_given

    @property
    def _is_over(self) -> bool:
        """Whether there are enough trees, or too many since dev accuracy last rose."""
        settings = self._settings
        waited = 0 if self._dev is None else len(self._trees) - self._best_at
        return self._n_grown >= settings.trees or waited >= settings.patience * settings.check_every

    def save(self) -> Saved:
        return {
            "rng": rng_parts(self._factors.rng),
            "loss": np.array(self._factors.loss),
            "best": np.array(self._best),
            "best_at": np.array(self._best_at),
            **prefixed("forest_", Forest(self._trees).to_parts()),
        }

    def restore(self, saved: Saved) -> None:
        self._factors.rng = rng_from(saved["rng"])
        self._factors.loss = float(saved["loss"])
        self._factors.forest = FlatForest(Forest.from_parts(under("forest_", saved)).trees)
        self._best, self._best_at = float(saved["best"]), int(saved["best_at"])


def accuracy(block: Block, forest: FlatForest, how: Search) -> float:
    """Share of the choices with a right row in which that row is chosen."""
    gold = block.choices.gold
    known = gold >= 0
    rows = block.decode(forest.arrays, len(forest.trees), how, np.zeros(len(gold))).rows
    return float(np.mean(rows[known] == gold[known])) if known.any() else 0.0
