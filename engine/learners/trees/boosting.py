"""Boosting regression trees on the parts of any structure: S-MART, MART and TreeCRF are one loop.

Each round fits a tree to the negative gradient of the loss with respect to the score of every part (Yang and Chang
2015, equation 3 and algorithm 1) and adds it:

- logistic: loss = log Z - log Z(consistent), residual = P(part | consistent) - P(part)     (S-MART, section 3.1)
- hinge: loss = max(score + cost) - score(gold) - cost(gold), residual = gold - most violating output

What the structure is makes the method: the lattice gives S-MART, the lattice in which only entities of one mention
exclude each other gives MART with a softmax per mention, parts that do not exclude each other give MART on yes-or-no
decisions, a label chain gives TreeCRF.

Deviations from the paper, both settings: it adds trees with weight 1 from score 0. Here trees are shrunk by `rate` and
take Newton steps, and training starts from the best constant score; `rate=1, newton=false, prior=false` is its loop.
Where trees see samples of the features, `forests` of them can be averaged: what one sample makes of chance differs.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

from engine.learners.base import Instance, Round
from engine.learners.joined import join
from engine.learners.trees.forest import Bins, Forest, Tree, grow_tree
from engine.settings import Settings, setting
from engine.structures.base import Batch, Mask, Scores, Structure, as_mask
from engine.structures.nonoverlap import NonOverlapBatch

# A leaf of certain errors has almost no curvature; its Newton step must stay finite in effect.
_LONGEST_STEP: Final = 10.0


@dataclass(frozen=True, kw_only=True)
class Boosting(Settings):
    """S-MART and its relatives."""

    loss: Literal["logistic", "hinge"] = setting("logistic", "Likelihood, or margin against the worst output.")
    excludes: Literal["structure", "mention", "nothing"] = setting(
        "structure",
        "What a chosen part rules out in training: all that overlap (S-MART), other entities of its mention (MART with "
        "softmax), nothing (MART, yes or no).",
    )
    trees: int = setting(300, "Trees to grow, in each forest.", low=1)
    forests: int = setting(
        1, "Forests that grow apart, each on its own sample of features; their mean is the scorer.", low=1
    )
    rate: float = setting(0.1, "How much of each tree is added; 1 as in the paper.", low=1e-4, high=1.0)
    max_leaves: int = setting(16, "Leaves of a tree at most, grown best first.", low=2, high=1024)
    max_depth: int | None = setting(None, "Questions from the root to a leaf at most; none leaves it free.", low=1)
    min_leaf: int = setting(30, "Training rows in a leaf at least.", low=1)
    newton: bool = setting(True, "Divide the residuals of a leaf by their curvature (logistic loss only).")
    l2: float = setting(1.0, "Added to the curvature of a leaf: pulls small leaves towards nothing.", low=0.0)
    prior: bool = setting(True, "Start from the best constant score instead of 0 (logistic loss only).")
    row_share: float = setting(1.0, "Share of the rows each tree is grown on.", low=0.01, high=1.0)
    column_share: float = setting(1.0, "Share of the features each tree may ask about.", low=0.01, high=1.0)

    def rounds(self, instances: Sequence[Instance[Structure]]) -> Iterator[Round]:
        """One round per tree of every forest; its objective is the exact mean loss per document of its scorer."""
        corpus = join(instances)
        batch = self._training_batch(corpus.structure)
        problem = _Logistic(batch, corpus.consistent) if self.loss == "logistic" else _Hinge(batch, corpus)
        features = corpus.features
        n, n_features = features.shape
        bins = Bins.fit(features)
        binned = bins.transform(features)
        by_column = np.ascontiguousarray(binned.T)
        rng = np.random.default_rng(self.seed)
        start, finish = self._start(corpus, batch)
        forests = [start.copy() for _ in range(self.forests)]
        trees: list[Tree] = []
        n_rows, n_columns = max(round(self.row_share * n), 1), max(round(self.column_share * n_features), 1)
        gradients = [problem.gradient(start)] * self.forests
        for index in range(self.trees):
            for forest, scores in enumerate(forests):
                _, residuals, curvature = gradients[forest]
                tree, leaf = grow_tree(
                    binned,
                    residuals,
                    bins=bins,
                    max_leaves=self.max_leaves,
                    max_depth=self.max_depth,
                    min_leaf=self.min_leaf,
                    rows=rng.choice(n, n_rows, replace=False) if n_rows < n else None,
                    columns=rng.choice(n_features, n_columns, replace=False) if n_columns < n_features else None,
                    hessians=curvature if self.newton else None,
                    l2=self.l2 if self.newton and curvature is not None else 0.0,
                    by_column=by_column,
                )
                tree = dataclasses.replace(tree, value=self.rate * np.clip(tree.value, -_LONGEST_STEP, _LONGEST_STEP))
                scores += tree.value[leaf]
                trees.append(tree if self.forests == 1 else tree.scaled(1.0 / self.forests))
            gradients = [problem.gradient(scores) for scores in forests]
            objective = gradients[0][0] if self.forests == 1 else problem.gradient(np.mean(forests, axis=0))[0]
            yield Round(index, objective, finish(tuple(trees)))

    def _start(self, corpus: Instance[Batch], batch: Batch) -> tuple[Scores, Callable[[tuple[Tree, ...]], Any]]:
        """Scores before the first tree, and how trees that were grown on top of them become a scorer."""
        start = _best_constant(batch, corpus.consistent) if self.prior and self.loss == "logistic" else 0.0
        return np.full(len(corpus.features), start), lambda trees: Forest(trees, start)

    def _training_batch(self, batch: Batch) -> Batch:
        if self.excludes == "structure":
            return batch
        if not isinstance(batch, NonOverlapBatch):
            raise ValueError(f"excludes={self.excludes!r} is about mentions; {type(batch).__name__} has none")
        return batch.by_span() if self.excludes == "mention" else batch.apart()


def log_loss(batch: Batch, consistent: Mask, scores: Scores) -> float:
    """Mean over documents of log Z - log Z(consistent)."""
    return float(_Logistic(batch, consistent).gradient(scores)[0])


class _Logistic:
    def __init__(self, batch: Batch, consistent: Mask) -> None:
        self._batch, self._consistent = batch, consistent
        self._n = max(batch.n_documents, 1)
        # With one consistent output per document, which is the rule, its marginals never change.
        at_zero = batch.completion_marginals(np.zeros(batch.n_parts), consistent)[1]
        rounded = np.rint(at_zero)
        self._gold = rounded if np.abs(at_zero - rounded).max(initial=0.0) < 1e-9 else None
        self._gold_parts = np.flatnonzero(rounded)

    def gradient(self, scores: Scores) -> tuple[float, Scores, Scores | None]:
        log_z, on = self._batch.marginals_by_document(scores)
        if self._gold is not None:
            # Not a dot product: the threads that BLAS keeps spinning for it would take a core from the fold learners.
            gold, gold_log_z = self._gold, float(scores[self._gold_parts].sum())
        else:
            by_document, gold = self._batch.completion_marginals(scores, self._consistent)
            gold_log_z = float(by_document.sum())
        return (float(log_z.sum()) - gold_log_z) / self._n, gold - on, on * (1.0 - on)


class _Hinge:
    def __init__(self, batch: Batch, corpus: Instance[Batch]) -> None:
        self._batch, self._consistent, self._cost = batch, corpus.consistent, corpus.cost
        self._n = max(batch.n_documents, 1)

    def gradient(self, scores: Scores) -> tuple[float, Scores, Scores | None]:
        raised = scores + self._cost
        good = self._batch.completion(scores, self._consistent)
        bad = self._batch.argmax(raised)
        residuals = as_mask(good, len(scores)).astype(np.float64)
        residuals[bad] -= 1.0
        return float(raised[bad].sum() - raised[good].sum()) / self._n, residuals, None


def _best_constant(batch: Batch, consistent: Mask) -> float:
    """The score that, given to every part, has the least log loss: by Newton's method with halved steps."""
    if not batch.n_parts:
        return 0.0
    problem = _Logistic(batch, consistent)
    at = 0.0
    value, residuals, curvature = problem.gradient(np.full(batch.n_parts, at))
    for _ in range(50):
        assert curvature is not None
        step = float(residuals.sum()) / (float(curvature.sum()) + 1e-9)
        step = float(np.clip(step, -2.0, 2.0))
        while abs(step) > 1e-7:
            candidate, new_residuals, new_curvature = problem.gradient(np.full(batch.n_parts, at + step))
            if candidate <= value:
                break
            step /= 2
        if abs(step) <= 1e-7 or abs(at + step) > 20.0:
            break
        at, value, residuals, curvature = at + step, candidate, new_residuals, new_curvature
    return at
