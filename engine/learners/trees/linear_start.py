"""Boosting that starts from a linear structured SVM instead of a constant.

With little data, trees need many rounds for what a linear function expresses at once, such as that a higher count is
better. So F_0 is the score of a linear SSVM, scaled by the slope and offset with the least log loss, and the trees add
what is not linear. The paper starts from 0, as does `linear=false`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from engine.arrays import Array, Floats
from engine.learners.base import Instance, Saved
from engine.learners.linear.scaled import Linear
from engine.learners.margin.ssvm import SSVM
from engine.learners.training import prefixed, under
from engine.learners.trees.boosting import Boosting, TreeScorer
from engine.learners.trees.forest import Forest, Tree
from engine.learners.trees.shapley import shapley_values
from engine.settings import setting
from engine.structures.base import Batch, Mask, Scores
from engine.workers.crews import ALONE, Crew


@dataclass(frozen=True, eq=False)
class LinearForest:
    """A linear score and the trees on top of it."""

    linear: Linear
    forest: Forest

    @property
    def trees(self) -> tuple[Tree, ...]:
        return self.forest.trees

    def with_trees(self, trees: tuple[Tree, ...]) -> LinearForest:
        """The same linear score with other trees."""
        return LinearForest(self.linear, self.forest.with_trees(trees))

    def scores(self, features: Array) -> Floats:
        return self.linear.scores(features) + self.forest.scores(features)

    def contributions(self, features: Array) -> Floats:
        """What each feature adds to each score, [rows, features + 1]: its linear term and its Shapley value."""
        return self.linear.contributions(features) + shapley_values(self.forest, features)

    def to_parts(self) -> dict[str, Array]:
        return {**prefixed("line_", self.linear.to_parts()), **prefixed("tree_", self.forest.to_parts())}

    @staticmethod
    def from_parts(parts: Mapping[str, Array]) -> LinearForest:
        return LinearForest(Linear.from_parts(under("line_", parts)), Forest.from_parts(under("tree_", parts)))


@dataclass(frozen=True, kw_only=True)
class LinearStartBoosting(Boosting):
    """S-MART and its relatives, starting from a linear score."""

    linear: bool = setting(True, "Start from a linear structured SVM instead of a constant.")
    linear_C: float = setting(0.5, "Weight of the loss in the linear start.", low=1e-9)
    linear_rounds: int = setting(120, "The largest number of cutting planes of the linear start.", low=1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.linear and self.nil == "trees":
            raise ValueError("nil=trees goes with linear=false: a linear start scores entities only")

    def start(self, corpus: Instance[Batch], batch: Batch, crew: Crew = ALONE) -> tuple[TreeScorer, Scores]:
        if not self.linear:
            return super().start(corpus, batch, crew)
        learner = SSVM(C=self.linear_C, n_rounds=self.linear_rounds, tolerance=0.02, completions=2, seed=self.seed)
        *_, last = learner.rounds([Instance(batch, corpus.features, corpus.consistent, corpus.cost)], crew=crew)
        linear = last.scorer
        scores = linear.scores(corpus.features)
        if self.loss == "logistic":
            slope, offset = calibrate(batch, corpus.consistent, scores)
            linear = Linear(np.append(slope * linear.weights[:-1], slope * linear.weights[-1] + offset), linear.scaling)
            scores = slope * scores + offset
        return LinearForest(linear, Forest(())), scores

    def scorer_from(self, parts: Saved) -> TreeScorer:
        return LinearForest.from_parts(parts) if self.linear else super().scorer_from(parts)


def calibrate(batch: Batch, consistent: Mask, scores: Scores) -> tuple[float, float]:
    """Slope and offset for which the scores have the least log loss, by damped Newton steps."""
    design = np.stack([scores, np.ones_like(scores)], axis=1)
    at = np.array([1.0, 0.0])

    def loss(value: Floats) -> tuple[float, Floats, Floats]:
        log_z, on = batch.marginals_by_document(design @ value)
        gold_log_z, gold = batch.completion_marginals(design @ value, consistent)
        curvature = (design * (on * (1.0 - on))[:, None]).T @ design
        return float(log_z.sum() - gold_log_z.sum()), design.T @ (gold - on), curvature

    now, gradient, curvature = loss(at)
    for _ in range(30):
        step = np.linalg.solve(curvature + 1e-6 * np.eye(2), gradient)
        while np.abs(step).max() > 1e-6:
            then = loss(at + step)
            if then[0] <= now:
                break
            step = step / 2
        if np.abs(step).max() <= 1e-6:
            break
        at = at + step
        now, gradient, curvature = then
    return float(at[0]), float(at[1])
