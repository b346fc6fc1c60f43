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
from typing import ClassVar, Final, Generic, Protocol, TypeVar

import numpy as np

from engine.arrays import Floats
from engine.learners.base import FeatureMatrix, Instance, Round, Saved, Scorer
from engine.learners.joined import join
from engine.learners.linear.scaled import Linear, Scaling, dot_rows
from engine.learners.margin.cutting_plane import CuttingPlanes, Plane, PlaneRound, Problem, Weights
from engine.learners.training import Training, prefixed, under
from engine.settings import Settings, setting
from engine.structures.base import Batch, Parts, Scores, Structure

# How far from the best weights towards the newest solution the next plane is sought: with the whole way the method
# swings to and fro. On 600 synthetic tweets the gap after 100 planes is 27 % of the objective with 1, 0.2 % with 0.1.
_STEP: Final = 0.1

R = TypeVar("R", bound=Scorer)
R_co = TypeVar("R_co", bound=Scorer, covariant=True)


class FeatureMap(Protocol[R_co]):
    """What the weights are weights of: features as they are, or products of them."""

    dim: int

    def scores(self, weights: Floats) -> Scores:
        """One score per part."""
        ...

    def total(self, parts: Parts) -> Floats:
        """Mapped features summed over parts."""
        ...

    def scorer(self, weights: Floats) -> R_co: ...


@dataclass(frozen=True, kw_only=True)
class MarginSettings(Settings):
    """What structured SVMs can be told."""

    C: float = setting(
        1.0, "Weight of each document's loss against small weights; the paper tries 0.5, 1, 5, 10.", low=1e-9
    )
    tolerance: float = setting(0.01, "Stop when the mean loss per document is known to this accuracy.", low=1e-9)
    n_rounds: int = setting(300, "Planes at most, each time that gold is filled in.", low=1, formerly=("most_rounds",))
    completions: int = setting(3, "How many times latent gold is completed again.", low=1)


@dataclass(frozen=True, kw_only=True)
class SSVM(MarginSettings):
    """Linear structured SVM."""

    def rounds(
        self, instances: Sequence[Instance[Structure]], *, resume: Saved | None = None
    ) -> Iterator[Round[Linear]]:
        """One round per plane: the objective is the primal value per unit of C and document; dual and gap beside it."""
        corpus = join(instances)
        yield from MarginTraining(self, corpus, LinearMap(corpus.features)).all_rounds(resume)


class MarginTraining(Training[Round[R]], Generic[R]):
    """One plane per step; where a problem is solved, open gold is filled in again and the next one begins."""

    kind: ClassVar[str] = "ssvm"

    def __init__(self, settings: MarginSettings, corpus: Instance[Batch], mapped: FeatureMap[R]) -> None:
        super().__init__()
        self._settings, self._corpus, self._mapped = settings, corpus, mapped
        self._batch = corpus.structure
        self._n = max(self._batch.n_documents, 1)
        self._solved = 0
        self._begin(self._batch.completion(np.zeros(self._batch.n_parts), corpus.consistent), np.zeros(mapped.dim))

    @property
    def size(self) -> tuple[int, ...]:
        return (self._n, self._batch.n_parts, self._mapped.dim)

    def all_rounds(self, resume: Saved | None) -> Iterator[Round[R]]:
        return self.rounds(self._settings.completions * self._settings.n_rounds, resume)

    def _begin(self, good: Parts, start: Floats) -> None:
        """A problem for this gold, from these weights."""
        settings = self._settings
        self._good = good
        self._good_features, self._good_cost = self._mapped.total(good), float(self._corpus.cost[good].sum())
        problem = Problem(self._mapped.dim, settings.C * self._n, settings.tolerance, settings.n_rounds, _STEP)
        self._planes = CuttingPlanes(problem, start=start)

    def step(self) -> Round[R]:
        found = self._planes.advance(self._most_violated)
        scores = {"primal": found.primal, "dual": found.dual, "gap": found.gap}
        objective = found.primal / (self._settings.C * self._n)
        unsolved = ""
        if self._planes.finished:
            solved = self._planes.solved
            self._complete()
            if self.finished and not solved:
                unsolved = self._short_of(found)
        return Round(self.done, objective, self._mapped.scorer(found.weights), scores, unsolved=unsolved)

    def _short_of(self, found: PlaneRound) -> str:
        settings = self._settings
        gap = found.gap / (settings.C * self._n)
        return (
            f"training stopped at its limit of {settings.n_rounds} planes: the loss per document is known to"
            f" {gap:.3g} only, not to {settings.tolerance:g}; raise n_rounds"
        )

    def _most_violated(self, at: Weights) -> Plane:
        cost = self._corpus.cost
        bad = self._batch.argmax(self._mapped.scores(at) + cost)
        direction = (self._good_features - self._mapped.total(bad)) / self._n
        return Plane(direction, (float(cost[bad].sum()) - self._good_cost) / self._n)

    def _complete(self) -> None:
        """Fill in open gold again; training ends where that changes nothing."""
        self._solved += 1
        weights = self._planes.best
        completed = self._batch.completion(self._mapped.scores(weights), self._corpus.consistent)
        if self._solved == self._settings.completions or np.array_equal(completed, self._good):
            self.finished = True
        else:
            self._begin(completed, weights)

    def save(self) -> Saved:
        return {"good": self._good, "solved": np.array(self._solved), **prefixed("planes_", self._planes.to_parts())}

    def restore(self, saved: Saved) -> None:
        self._begin(saved["good"], np.zeros(self._mapped.dim))
        self._solved = int(saved["solved"])
        self._planes.restore(under("planes_", saved))


class LinearMap:
    """Standardised features and a constant."""

    def __init__(self, features: FeatureMatrix) -> None:
        self._scaling = Scaling.fit(features)
        self._rows = self._scaling.apply(features)
        self.dim = self._rows.shape[1]

    def scores(self, weights: Floats) -> Scores:
        return dot_rows(self._rows, np.asarray(weights, dtype=np.float64))

    def total(self, parts: Parts) -> Floats:
        summed: Floats = self._rows[parts].sum(axis=0, dtype=np.float64)
        return summed

    def scorer(self, weights: Floats) -> Linear:
        return Linear(weights, self._scaling)
