"""Perceptron and passive-aggressive learning, one document at a time, averaged, with latent gold.

Both find the best output, compare it with the best output that agrees with the annotation, and move the weights by
tau D, D = features(good) - features(bad). They differ in tau alone:

- perceptron: 1 whenever bad differs from good (Collins 2002)
- passive-aggressive: (loss - w.D) / |D|^2, at most C, with bad found under the cost (Crammer et al. 2006, PA-I);
  uncapped, the margin then holds with equality

Lattices of a whole corpus run in one compiled loop; any other structure goes through its own argmax.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numba import njit
from numpy.typing import NDArray

from engine.learners.base import Instance, Round, complete, contrast, worst
from engine.learners.joined import join
from engine.learners.linear.scaled import Linear, Scaling
from engine.settings import Settings, setting
from engine.structures.base import Structure
from engine.structures.nonoverlap import NonOverlapBatch
from engine.structures.nonoverlap_kernels import best_of_document, room_for_prefixes

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Online(Settings):
    """Structured perceptron or passive-aggressive learner."""

    step: Literal["perceptron", "pa"] = setting("perceptron", "Fixed steps, or just long enough to keep the margin.")
    epochs: int = setting(10, "Passes over the documents.", low=1)
    C: float = setting(1.0, "Longest passive-aggressive step.", low=1e-9)
    averaged: bool = setting(True, "Use the average of the weights over all documents instead of the last ones.")
    scaled: bool = setting(True, "Standardise features and add a constant one.")
    shuffle: bool = setting(True, "Visit documents in a new order each epoch.")

    def rounds(self, instances: Sequence[Instance[Structure]]) -> Iterator[Round]:
        """One round per epoch; the objective is the mean loss met on the way (perceptron: share of wrong outputs)."""
        rng = np.random.default_rng(self.seed)
        if all(isinstance(instance.structure, NonOverlapBatch) for instance in instances):
            corpus = join(instances)
            assert isinstance(corpus.structure, NonOverlapBatch)
            scaling = self._scaling(corpus.features)
            passes: _LatticePasses | _InstancePasses = _LatticePasses(
                corpus.structure, scaling.apply(corpus.features, constant=self.scaled), corpus, self
            )
        else:
            scaling = self._scaling(np.concatenate([instance.features for instance in instances]))
            passes = _InstancePasses(
                [
                    Instance(i.structure, scaling.apply(i.features, constant=self.scaled), i.consistent, i.cost)
                    for i in instances
                ],
                self,
            )
        for index in range(self.epochs):
            order = rng.permutation(passes.n) if self.shuffle else np.arange(passes.n)
            loss, updates = passes.run(order)
            weights = passes.average() if self.averaged else passes.weights.copy()
            yield Round(index, loss / max(passes.n, 1), Linear(weights, scaling), {"updates": float(updates)})

    def _scaling(self, features: NDArray[np.float32]) -> Scaling:
        return Scaling.fit(features) if self.scaled else Scaling.none(features.shape[1])


def perceptron_step(violation: float, squared_norm: float) -> float:
    return 1.0


def passive_aggressive_step(violation: float, squared_norm: float, C: float) -> float:
    """How far to move so that a violated margin just holds, at most C."""
    if violation <= 0.0 or squared_norm == 0.0:
        return 0.0
    return min(C, violation / squared_norm)


class _Averaged:
    """Weights with their running average: mean = weights - drift / count, drift = sum of (time x change)."""

    def __init__(self, n_features: int) -> None:
        self.weights = np.zeros(n_features)
        self.drift = np.zeros(n_features)
        self.seen = 0

    def average(self) -> Floats:
        return self.weights - self.drift / max(self.seen, 1)


class _InstancePasses(_Averaged):
    def __init__(self, instances: Sequence[Instance[Structure]], settings: Online) -> None:
        super().__init__(instances[0].features.shape[1])
        self._instances, self._settings = instances, settings
        self.n = len(instances)

    def run(self, order: NDArray[np.int64]) -> tuple[float, int]:
        total, updates = 0.0, 0
        margin = self._settings.step == "pa"
        for i in order:
            instance = self._instances[i]
            scores = instance.features @ self.weights
            good = complete(instance, scores)
            bad = worst(instance, scores) if margin else instance.structure.argmax(scores)
            if not np.array_equal(good, bad):
                change = contrast(instance, good, bad)
                if margin:
                    loss = float(instance.cost[bad].sum() - instance.cost[good].sum())
                    violation = loss - float(self.weights @ change)
                    tau = passive_aggressive_step(violation, float(change @ change), self._settings.C)
                    total += max(violation, 0.0)
                else:
                    tau = perceptron_step(0.0, 0.0)
                    total += 1.0
                updates += tau > 0.0
                self.weights += tau * change
                self.drift += self.seen * tau * change
            self.seen += 1
        return total, updates


class _LatticePasses(_Averaged):
    def __init__(
        self, batch: NonOverlapBatch, features: NDArray[np.float32], corpus: Instance, settings: Online
    ) -> None:
        super().__init__(features.shape[1])
        self._batch, self._features, self._corpus, self._settings = batch, features, corpus, settings
        self.n = batch.n_documents

    def run(self, order: NDArray[np.int64]) -> tuple[float, int]:
        batch = self._batch
        total, updates = _lattice_epoch(
            order,
            self._features,
            self._corpus.consistent,
            np.ascontiguousarray(self._corpus.cost, dtype=np.float64),
            batch.offsets,
            batch.lattice,
            self.weights,
            self.drift,
            self.seen,
            self._settings.step == "pa",
            self._settings.C,
        )
        self.seen += len(order)
        return total, updates


@njit(cache=True, nogil=True)
def _lattice_epoch(  # type: ignore[no-untyped-def]
    order,
    features,
    consistent,
    cost,
    offsets,
    lattice,
    weights,
    drift,
    seen,
    margin,
    C,
):
    """One pass over the documents in this order; weights and drift change in place."""
    n_parts, n_features = features.shape
    n_positions = len(lattice.end_ptr) - 1
    scores = np.empty(n_parts)
    raised = np.empty(n_parts)
    prefixes = room_for_prefixes(n_positions)
    good = np.empty(n_positions, np.intp)
    bad = np.empty(n_positions, np.intp)
    change = np.empty(n_features)
    total, updates = 0.0, 0
    for d in order:
        begin, end = offsets[d], offsets[d + 1]
        size = 0.0
        for p in range(begin, end):
            score = 0.0
            for f in range(n_features):
                score += features[p, f] * weights[f]
            scores[p] = score
            if consistent[p]:
                size += abs(score)
        # Consistent parts lifted so far that as many as possible are on (as NonOverlapBatch.completion does).
        for p in range(begin, end):
            raised[p] = scores[p] + 2.0 * size + 1.0 if consistent[p] else -np.inf
        n_good = best_of_document(raised, lattice, d, prefixes, good)
        for p in range(begin, end):
            raised[p] = scores[p] + cost[p] if margin else scores[p]
        n_bad = best_of_document(raised, lattice, d, prefixes, bad)
        same = n_good == n_bad
        for i in range(n_good):
            same = same and good[i] == bad[i]
        if not same:
            change[:] = 0.0
            violation = 0.0
            for i in range(n_good):
                violation -= scores[good[i]] + cost[good[i]]
                for f in range(n_features):
                    change[f] += features[good[i], f]
            for i in range(n_bad):
                violation += scores[bad[i]] + cost[bad[i]]
                for f in range(n_features):
                    change[f] -= features[bad[i], f]
            tau = 1.0
            if margin:
                norm = 0.0
                for f in range(n_features):
                    norm += change[f] * change[f]
                tau = min(C, violation / norm) if violation > 0.0 and norm > 0.0 else 0.0
                total += max(violation, 0.0)
            else:
                total += 1.0
            if tau > 0.0:
                updates += 1
                for f in range(n_features):
                    weights[f] += tau * change[f]
                    drift[f] += seen * tau * change[f]
        seen += 1
    return total, updates
