"""Scores Nil with the same trees as the entities: F(x, Nil) of Yang and Chang 2015, section 3.

An output of a lattice scores the sum of F(x, y_k) over all mentions k, most of which take Nil. Up to a constant that is
the sum of F(x, u) - F(x, Nil) over the chosen parts, so lattices need not change: the score of a part is the difference
between its row and the Nil row of its mention. The Nil row describes the mention without an entity: columns that depend
on the entity are missing in it. Its probability is one minus those of the mention's parts, so its residual is minus the
sum of theirs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from engine.arrays import Array, Flags, Floats, Ints, Singles
from engine.learners.base import FeatureMatrix, Instance
from engine.learners.trees.forest import Forest
from engine.learners.trees.losses import Gradient, Loss
from engine.learners.trees.regression import Tree
from engine.learners.trees.shapley import shapley_values
from engine.structures.base import Batch, Scores
from engine.structures.nonoverlap import NonOverlapBatch


def of_nil(features: FeatureMatrix, shared: Flags) -> Singles:
    """The rows of Nil: columns that depend on the entity are missing."""
    rows = features.astype(np.float32, copy=True)
    rows[:, ~shared] = np.nan
    return rows


@dataclass(frozen=True, eq=False)
class AgainstNil:
    """The score of a part minus that of Nil, by the same trees. `shared` marks the columns that Nil has too."""

    forest: Forest
    shared: Flags

    @property
    def trees(self) -> tuple[Tree, ...]:
        return self.forest.trees

    def with_trees(self, trees: tuple[Tree, ...]) -> AgainstNil:
        """Other trees for the same columns."""
        return AgainstNil(self.forest.with_trees(trees), self.shared)

    def scores(self, features: Array) -> Floats:
        return self.forest.scores(features) - self.forest.scores(of_nil(features, self.shared))

    def contributions(self, features: Array) -> Floats:
        """What each feature adds to each score, [rows, features + 1]: its Shapley value minus that for Nil."""
        return shapley_values(self.forest, features) - shapley_values(self.forest, of_nil(features, self.shared))

    def to_parts(self) -> dict[str, Array]:
        return {**self.forest.to_parts(), "shared": self.shared}

    @staticmethod
    def from_parts(parts: Mapping[str, Array]) -> AgainstNil:
        rest = {name: part for name, part in parts.items() if name != "shared"}
        return AgainstNil(Forest.from_parts(rest), parts["shared"])


@dataclass(frozen=True, eq=False)
class NilRows:
    """The Nil rows of a corpus, which follow its parts: their features, and the Nil row of each part."""

    features: Singles
    of_part: Ints

    @staticmethod
    def of(corpus: Instance[Batch], batch: Batch) -> NilRows:
        """One row for every mention of the structure that training sees."""
        if not isinstance(batch, NonOverlapBatch) or corpus.shared is None:
            raise ValueError(
                "nil=trees needs mentions, and to know which of their features do not depend on the entity"
            )
        _, first, mention = np.unique(batch.span_of_part, return_index=True, return_inverse=True)
        shared = corpus.features[:, corpus.shared]
        if not np.array_equal(shared, shared[first][mention], equal_nan=True):
            raise ValueError("features that Nil shares differ within a mention")
        return NilRows(of_nil(corpus.features[first], corpus.shared), len(mention) + mention.astype(np.int64))


class WithNil:
    """A loss on parts turned into a loss on parts and Nil rows."""

    def __init__(self, loss: Loss, nil: NilRows) -> None:
        self._loss, self._of_part = loss, nil.of_part
        self._n_rows = len(nil.of_part) + len(nil.features)

    def gradient(self, scores: Scores) -> Gradient:
        n_parts = len(self._of_part)
        found = self._loss.gradient(scores[:n_parts] - scores[self._of_part])
        residuals: Floats = -np.bincount(self._of_part, found.residuals, minlength=self._n_rows).astype(np.float64)
        residuals[:n_parts] = found.residuals
        return Gradient(found.loss, residuals, None)
