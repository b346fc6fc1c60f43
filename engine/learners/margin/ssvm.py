"""Structured SVM by one-slack cutting planes, with the gap to the optimum reported every round.

    min over w of |w|^2 / 2 + C sum over documents of
        max over outputs of (loss - w . (features(gold) - features(output)))

The most violating output of each document is one argmax of scores + cost; the sum over the corpus is one plane (see
cutting_plane.py). Where the annotation leaves the gold open, the best consistent output takes its place and training
is repeated with the new weights (the concave-convex procedure; Yu and Joachims 2009): each time the objective falls.
Documents are searched block by block (engine.workers.crews).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Generic, Protocol, TypeVar

import numpy as np

from engine.arrays import Floats, Singles
from engine.learners.base import FeatureMatrix, Instance, Round, Saved, Scorer
from engine.learners.joined import join
from engine.learners.linear.scaled import Linear, Scaling, dot_rows
from engine.learners.margin.cutting_plane import CuttingPlanes, Plane, PlaneRound, Problem, Weights
from engine.learners.training import Training, prefixed, under
from engine.settings import Settings, setting
from engine.structures.base import Batch, Parts, Scores, Structure
from engine.workers.crews import ALONE, BLOCKS, Crew, spans

# How far from the best weights towards the newest solution the next plane is sought: with the whole way the method
# swings to and fro. On 600 synthetic tweets the gap after 100 planes is 27 % of the objective with 1, 0.2 % with 0.1.
_STEP: Final = 0.1

R = TypeVar("R", bound=Scorer)
R_co = TypeVar("R_co", bound=Scorer, covariant=True)


class FeatureMap(Protocol[R_co]):
    """What the weights are weights of: features as they are, or products of them."""

    @property
    def dim(self) -> int:
        """How many weights there are."""
        ...

    is_by_row: ClassVar[bool]
    """Whether a part's score is the same to the last bit whatever rows stand beside its own."""

    def part(self, first: int, last: int) -> FeatureMap[R_co]:
        """The rows [first, last)."""
        ...

    def scores(self, weights: Floats) -> Scores:
        """One score per part."""
        ...

    def total(self, parts: Parts) -> Floats:
        """Mapped features summed over parts."""
        ...

    def scorer(self, weights: Floats) -> R_co: ...


@dataclass(frozen=True, kw_only=True)
class MarginSettings(Settings):
    """The settings that structured SVMs share."""

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
        self, instances: Sequence[Instance[Structure]], *, resume: Saved | None = None, crew: Crew = ALONE
    ) -> Iterator[Round[Linear]]:
        """One round per plane: the objective is the primal value per unit of C and document; dual and gap beside it."""
        corpus = join(instances)
        yield from MarginTraining(self, corpus, LinearMap.of(corpus.features), crew).all_rounds(resume)


@dataclass(frozen=True, eq=False)
class _Block(Generic[R]):
    """Some documents: what their parts are scored by, which of them go together, and what each costs."""

    mapped: FeatureMap[R]
    batch: Batch
    cost: Scores


def _worst(block: _Block[R], weights: Floats, _: None) -> Parts:
    """The most violating output of a block."""
    return block.batch.argmax(block.mapped.scores(weights) + block.cost)


class MarginTraining(Training[Round[R]], Generic[R]):
    """One plane per step; when a problem is solved, latent gold is completed again and the next problem begins."""

    kind: ClassVar[str] = "ssvm"

    def __init__(self, settings: MarginSettings, corpus: Instance[Batch], mapped: FeatureMap[R], crew: Crew) -> None:
        super().__init__()
        self._settings, self._corpus, self._mapped = settings, corpus, mapped
        self._batch = corpus.structure
        bounds = self._batch.offsets
        cuts = spans(bounds, crew.blocks if mapped.is_by_row else BLOCKS)
        rows = [(int(bounds[first]), int(bounds[last])) for first, last in cuts]
        self._begins = [begin for begin, _ in rows]
        self._keepers = crew.keep(
            [
                _Block(mapped.part(begin, end), self._batch.part(first, last), corpus.cost[begin:end])
                for (first, last), (begin, end) in zip(cuts, rows, strict=True)
            ]
        )
        self._n = max(self._batch.n_documents, 1)
        self._solved = 0
        self._begin(self._batch.completion(np.zeros(self._batch.n_parts), corpus.consistent), np.zeros(mapped.dim))

    @property
    def size(self) -> tuple[int, ...]:
        return (self._n, self._batch.n_parts, self._mapped.dim)

    def all_rounds(self, resume: Saved | None) -> Iterator[Round[R]]:
        return self.rounds(self._settings.completions * self._settings.n_rounds, resume)

    def _begin(self, good: Parts, start: Floats) -> None:
        """Begin a problem for this gold, starting from these weights."""
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
            changed = self._complete()
            if self.finished:
                unsolved = self._short_of(found, solved, changed)
        return Round(self.done, objective, self._mapped.scorer(found.weights), scores, unsolved=unsolved)

    def _short_of(self, found: PlaneRound, solved: bool, changed: int) -> str:
        """What the last problem leaves unsolved."""
        settings = self._settings
        if solved and changed:
            return (
                f"completing gold still changed {changed} parts after the last of {settings.completions} times; raise"
                " completions"
            )
        if solved:
            return ""
        gap = found.gap / (settings.C * self._n)
        return (
            f"training stopped at its limit of {settings.n_rounds} planes: the loss per document is known to"
            f" {gap:.3g} only, not to {settings.tolerance:g}; raise n_rounds"
        )

    def _most_violated(self, at: Weights) -> Plane:
        cost = self._corpus.cost
        found = self._keepers.ask(_worst, at, [None] * len(self._begins))
        # Few parts are on: their features are summed here, in one order for any number of workers.
        bad = np.concatenate([parts + begin for parts, begin in zip(found, self._begins, strict=True)])
        direction = (self._good_features - self._mapped.total(bad)) / self._n
        return Plane(direction, (float(cost[bad].sum()) - self._good_cost) / self._n)

    def _complete(self) -> int:
        """Complete latent gold again; training ends if that changes nothing. Returns how many parts differ."""
        self._solved += 1
        weights = self._planes.best
        completed = self._batch.completion(self._mapped.scores(weights), self._corpus.consistent)
        changed = len(np.setxor1d(completed, self._good))
        if self._solved == self._settings.completions or not changed:
            self.finished = True
        else:
            self._begin(completed, weights)
        return changed

    def save(self) -> Saved:
        return {"good": self._good, "solved": np.array(self._solved), **prefixed("planes_", self._planes.to_parts())}

    def restore(self, saved: Saved) -> None:
        self._begin(saved["good"], np.zeros(self._mapped.dim))
        self._solved = int(saved["solved"])
        self._planes.restore(under("planes_", saved))


@dataclass(frozen=True, eq=False)
class LinearMap:
    """Standardised features and a constant."""

    is_by_row: ClassVar[bool] = True
    scaling: Scaling
    rows: Singles

    @classmethod
    def of(cls, features: FeatureMatrix) -> LinearMap:
        scaling = Scaling.fit(features)
        return cls(scaling, scaling.apply(features))

    @property
    def dim(self) -> int:
        return int(self.rows.shape[1])

    def part(self, first: int, last: int) -> LinearMap:
        return LinearMap(self.scaling, self.rows[first:last])

    def scores(self, weights: Floats) -> Scores:
        return dot_rows(self.rows, np.asarray(weights, dtype=np.float64))

    def total(self, parts: Parts) -> Floats:
        summed: Floats = self.rows[parts].sum(axis=0, dtype=np.float64)
        return summed

    def scorer(self, weights: Floats) -> Linear:
        return Linear(weights, self.scaling)
