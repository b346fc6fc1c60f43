"""Structured SVM by one-slack cutting planes, with the gap to the optimum reported every round.

    min over w of |w|^2 / 2 + C sum over documents of
        max over outputs of (loss - w . (features(gold) - features(output)))

The most violating output of each document is one argmax of scores + cost; the sum over the corpus is one plane (see
cutting_plane.py). Where the annotation leaves the gold open, the best consistent output takes its place and training
is repeated with the new weights (the concave-convex procedure; Yu and Joachims 2009): each time the objective falls.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.learners.base import Instance, Round, Scorer
from engine.learners.joined import join
from engine.learners.linear.scaled import Linear, Scaling, dot_rows
from engine.learners.margin.cutting_plane import Plane, one_slack
from engine.settings import Settings, setting
from engine.structures.base import Parts, Scores, Structure

Floats = NDArray[np.float64]
Rows = NDArray[np.float32]

# How far from the best weights towards the newest solution the next plane is sought: with the whole way the method
# swings to and fro. On 600 synthetic tweets the gap after 100 planes is 27 % of the objective with 1, 0.2 % with 0.1.
_STEP: Final = 0.1


class FeatureMap(Protocol):
    """What the weights are weights of: features as they are, or products of them."""

    dim: int

    def scores(self, weights: Floats) -> Scores:
        """One score per part."""
        ...

    def total(self, parts: Parts) -> Floats:
        """Mapped features summed over parts."""
        ...

    def scorer(self, weights: Floats) -> Scorer: ...


@dataclass(frozen=True, kw_only=True)
class SSVM(Settings):
    """Linear structured SVM."""

    C: float = setting(
        1.0, "Weight of each document's loss against small weights; the paper tries 0.5, 1, 5, 10.", low=1e-9
    )
    tolerance: float = setting(0.01, "Stop when the mean loss per document is known to this accuracy.", low=1e-9)
    most_rounds: int = setting(300, "Planes at most.", low=1)
    completions: int = setting(3, "How often open gold is filled in again.", low=1)

    def rounds(self, instances: Sequence[Instance[Structure]]) -> Iterator[Round]:
        """One round per plane: the objective is the primal value per unit of C and document; dual and gap beside it."""
        corpus = join(instances)
        batch, cost = corpus.structure, corpus.cost
        n = max(batch.n_documents, 1)
        mapped = self._map(corpus.features)
        weights = np.zeros(mapped.dim)
        good = batch.completion(np.zeros(batch.n_parts), corpus.consistent)
        total_C = self.C * n
        index = 0
        for _ in range(self.completions):
            good_features, good_cost = mapped.total(good), float(cost[good].sum())

            def most_violated(at: Floats, gold: Floats = good_features, gold_cost: float = good_cost) -> Plane:
                bad = batch.argmax(mapped.scores(at) + cost)
                return Plane((gold - mapped.total(bad)) / n, (float(cost[bad].sum()) - gold_cost) / n)

            for plane_round in one_slack(
                most_violated, mapped.dim, total_C, self.tolerance, most=self.most_rounds, start=weights, step=_STEP
            ):
                weights = plane_round.weights
                scores = {"primal": plane_round.primal, "dual": plane_round.dual, "gap": plane_round.gap}
                yield Round(index, plane_round.primal / total_C, mapped.scorer(weights), scores)
                index += 1
            completed = batch.completion(mapped.scores(weights), corpus.consistent)
            if np.array_equal(completed, good):
                return
            good = completed

    def _map(self, features: NDArray[Any]) -> FeatureMap:
        return LinearMap(features)


class LinearMap:
    """Standardised features and a constant."""

    def __init__(self, features: NDArray[Any]) -> None:
        self._scaling = Scaling.fit(features)
        self._rows = self._scaling.apply(features)
        self.dim = self._rows.shape[1]

    def scores(self, weights: Floats) -> Scores:
        return dot_rows(self._rows, np.asarray(weights, dtype=np.float64))

    def total(self, parts: Parts) -> Floats:
        return self._rows[parts].sum(axis=0, dtype=np.float64)

    def scorer(self, weights: Floats) -> Linear:
        return Linear(weights, self._scaling)
