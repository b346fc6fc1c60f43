"""Boosting regression trees on the parts of any structure: S-MART, MART and TreeCRF are one loop.

Each round fits a tree to the negative gradient of the loss with respect to the score of every part (Yang and Chang
2015, equation 3 and algorithm 1) and adds it:

- logistic: loss = log Z - log Z(consistent), residual = P(part | consistent) - P(part)     (S-MART, section 3.1)
- hinge: loss = max(score + cost) - score(gold) - cost(gold), residual = gold - most violating output

The structure determines the method: the lattice gives S-MART, the lattice in which only entities of one mention exclude
each other gives MART with a softmax per mention, parts that do not exclude each other give MART on yes-or-no decisions,
a label chain gives TreeCRF.

The gradient is asked for block by block (engine.workers.crews); trees grow in one place.

Deviations from the paper, all settings: it adds trees with weight 1 from score 0, and trees score Nil as well. Here
trees are shrunk by `rate` and take Newton steps, training starts from the best constant score, and Nil scores 0;
`rate=1, newton=false, prior=false, nil=trees` is the paper's loop. If trees see samples of the features, several
`forests` can be averaged, which reduces the effect of chance.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Literal, Protocol

import numpy as np

from engine.arrays import Array, Bytes, Places, ShortInts
from engine.learners.base import FeatureMatrix, Instance, Round, Saved
from engine.learners.joined import join
from engine.learners.training import Training, prefixed, rng_from, rng_parts, under
from engine.learners.trees.additive import Shrinkage, boost_once
from engine.learners.trees.against_nil import AgainstNil, NilRows, WithNil
from engine.learners.trees.forest import Bins, Forest, Growth, Target, Tree
from engine.learners.trees.losses import Divided, Divisible, Gradient, Hinge, Logistic, Loss, best_constant, log_loss
from engine.settings import Settings, setting
from engine.structures.base import Batch, Scores, Structure
from engine.structures.nonoverlap import NonOverlapBatch
from engine.workers.crews import ALONE, Crew

__all__ = ["Boosting", "TreeScorer", "log_loss"]

# A leaf of confident errors has almost no curvature, so the length of its Newton step must be limited.
_LONGEST_STEP: Final = 10.0


class TreeScorer(Protocol):
    """A scorer that adds trees to another score."""

    @property
    def trees(self) -> tuple[Tree, ...]: ...

    def scores(self, features: FeatureMatrix) -> Scores: ...

    def to_parts(self) -> dict[str, Array]: ...

    def with_trees(self, trees: tuple[Tree, ...]) -> TreeScorer:
        """The same scorer with other trees."""
        ...


@dataclass(frozen=True, kw_only=True)
class Boosting(Settings):
    """S-MART and its relatives."""

    loss: Literal["logistic", "hinge"] = setting("logistic", "Likelihood, or margin against the worst output.")
    excludes: Literal["structure", "mention", "nothing"] = setting(
        "structure",
        "What a chosen part excludes in training: all parts that overlap it (S-MART), other entities of its mention"
        " (MART with softmax), or nothing (MART, yes or no).",
    )
    trees: int = setting(300, "Number of trees in each forest.", low=1)
    forests: int = setting(
        1, "Number of separate forests, each grown on its own sample of features; their mean is the scorer.", low=1
    )
    rate: float = setting(0.1, "The share of each tree that is added; 1 in the paper.", low=1e-4, high=1.0)
    max_leaves: int = setting(16, "The largest number of leaves of a tree, grown best first.", low=2, high=1024)
    max_depth: int | None = setting(
        None, "The largest number of splits from the root to a leaf; none means no limit.", low=1
    )
    min_leaf: int = setting(30, "The smallest number of training rows in a leaf.", low=1)
    newton: bool = setting(True, "Divide the residuals of a leaf by their curvature (logistic loss only).")
    l2: float = setting(1.0, "Added to the curvature of a leaf; pulls the values of small leaves towards 0.", low=0.0)
    prior: bool = setting(True, "Start from the best constant score instead of 0 (logistic loss only).")
    nil: Literal["zero", "trees"] = setting(
        "zero",
        "The score of declining a mention: 0, or the score that the same trees give to the mention without an entity,"
        " as in the paper (with newton=false and prior=false).",
    )
    row_share: float = setting(1.0, "Share of the rows each tree is grown on.", low=0.01, high=1.0)
    column_share: float = setting(1.0, "Share of the features that each tree may use.", low=0.01, high=1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.nil == "trees" and (self.newton or self.prior):
            raise ValueError("nil=trees goes with newton=false and prior=false")

    def rounds(
        self, instances: Sequence[Instance[Structure]], *, resume: Saved | None = None, crew: Crew = ALONE
    ) -> Iterator[Round[TreeScorer]]:
        """One round per tree of every forest; its objective is the exact mean loss per document of its scorer."""
        yield from _Boost(self, join(instances), crew, fresh=resume is None).rounds(self.trees, resume)

    def start(self, corpus: Instance[Batch], batch: Batch, crew: Crew = ALONE) -> tuple[TreeScorer, Scores]:
        """The scorer without trees, and its scores."""
        if self.nil == "trees" and corpus.shared is not None:
            return AgainstNil(Forest(()), corpus.shared), np.zeros(len(corpus.features))
        constant = best_constant(batch, corpus.consistent) if self.prior and self.loss == "logistic" else 0.0
        return Forest((), constant), np.full(len(corpus.features), constant)

    def scorer_from(self, parts: Saved) -> TreeScorer:
        """A scorer of this learner, from its saved parts."""
        return AgainstNil.from_parts(parts) if self.nil == "trees" else Forest.from_parts(parts)

    def training_batch(self, batch: Batch) -> Batch:
        """The structure that training sees."""
        if self.excludes == "structure":
            return batch
        if not isinstance(batch, NonOverlapBatch):
            raise ValueError(f"excludes={self.excludes!r} is about mentions; {type(batch).__name__} has none")
        return batch.by_span() if self.excludes == "mention" else batch.apart()


class _Rows:
    """What all forests share: codes of the rows, the loss of their scores, and the random samples."""

    def __init__(self, settings: Boosting, corpus: Instance[Batch], batch: Batch, crew: Crew) -> None:
        features = corpus.features
        whole: Divisible = (
            Logistic(batch, corpus.consistent)
            if settings.loss == "logistic"
            else Hinge(batch, corpus.consistent, corpus.cost)
        )
        self.loss: Loss = whole if crew.blocks == 1 else Divided(whole, crew)
        if settings.nil == "trees":
            nil = NilRows.of(corpus, batch)
            features, self.loss = np.concatenate([features, nil.features]), WithNil(self.loss, nil)
        self.bins = Bins.fit(features)
        self.codes: Bytes = self.bins.transform(features)
        self.by_column: Bytes = np.ascontiguousarray(self.codes.T)
        self.newton = settings.newton and settings.loss == "logistic"
        self.rng = np.random.default_rng(settings.seed)
        self._n_rows = max(round(settings.row_share * len(self.codes)), 1)
        self._n_columns = max(round(settings.column_share * self.codes.shape[1]), 1)

    def draw_rows(self) -> Places | None:
        n = len(self.codes)
        return self.rng.choice(n, self._n_rows, replace=False) if self._n_rows < n else None

    def draw_columns(self) -> Places | None:
        n = self.codes.shape[1]
        return self.rng.choice(n, self._n_columns, replace=False) if self._n_columns < n else None


class _Sum:
    """The scores of all rows in one forest, and the gradient of the loss there."""

    def __init__(self, rows: _Rows, scores: Scores, gradient: Gradient) -> None:
        self._rows, self.scores, self.gradient = rows, scores, gradient
        self.latest: Tree

    def target(self) -> Target:
        rows = self._rows
        return Target(
            rows.codes,
            self.gradient.residuals,
            hessians=self.gradient.curvature if rows.newton else None,
            rows=rows.draw_rows(),
            columns=rows.draw_columns(),
            by_column=rows.by_column,
        )

    def add(self, tree: Tree, leaf: ShortInts) -> None:
        self.scores += tree.value[leaf]
        self.gradient = self._rows.loss.gradient(self.scores)
        self.latest = tree


class _Boost(Training[Round[TreeScorer]]):
    kind: ClassVar[str] = "boosting"

    def __init__(self, settings: Boosting, corpus: Instance[Batch], crew: Crew, *, fresh: bool) -> None:
        super().__init__()
        batch = settings.training_batch(corpus.structure)
        self._settings = settings
        self._rows = _Rows(settings, corpus, batch, crew)
        self._growth = Growth(
            settings.max_depth, settings.max_leaves, settings.min_leaf, settings.l2 if self._rows.newton else 0.0
        )
        self._trees: list[Tree] = []
        self._sums: list[_Sum] = []
        self._base: TreeScorer = Forest(())
        if fresh:
            self._base, scores = settings.start(corpus, batch, crew)
            # Nil rows begin at 0.
            scores = np.concatenate([scores, np.zeros(len(self._rows.codes) - len(scores))])
            self._begin([scores] * settings.forests)

    @property
    def size(self) -> tuple[int, ...]:
        return self._rows.codes.shape

    def _begin(self, scores: Sequence[Scores]) -> None:
        # At the beginning all forests are equal.
        gradients = {id(one): self._rows.loss.gradient(one) for one in scores}
        self._sums = [_Sum(self._rows, one.copy(), gradients[id(one)]) for one in scores]

    def step(self) -> Round[TreeScorer]:
        n_forests = len(self._sums)
        shrinkage = Shrinkage(self._settings.rate, _LONGEST_STEP)
        for one in self._sums:
            boost_once(one, self._rows.bins, self._growth, shrinkage)
            self._trees.append(one.latest if n_forests == 1 else one.latest.scaled(1.0 / n_forests))
        if n_forests == 1:
            objective = self._sums[0].gradient.loss
        else:
            objective = self._rows.loss.gradient(np.mean([one.scores for one in self._sums], axis=0)).loss
        return Round(self.done, objective, self._base.with_trees(tuple(self._trees)))

    def save(self) -> Saved:
        scorer = self._base.with_trees(tuple(self._trees))
        return {
            "rng": rng_parts(self._rows.rng),
            "scores": np.array([one.scores for one in self._sums]),
            **prefixed("scorer_", scorer.to_parts()),
        }

    def restore(self, saved: Saved) -> None:
        self._rows.rng = rng_from(saved["rng"])
        scorer = self._settings.scorer_from(under("scorer_", saved))
        self._base, self._trees = scorer.with_trees(()), list(scorer.trees)
        self._begin(list(saved["scores"]))
