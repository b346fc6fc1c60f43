"""Perceptron and passive-aggressive learning, one document at a time, averaged, with latent gold.

Both find the best output, compare it with the best output that agrees with the annotation, and move the weights by tau
D, D = features(good) - features(bad). They differ only in tau:

- perceptron: 1 whenever bad differs from good (Collins 2002)
- passive-aggressive: (loss - w.D) / |D|^2, at most C, with bad found under the cost (Crammer et al. 2006, PA-I);
  uncapped, the margin then holds with equality

Lattices of a whole corpus run in one compiled loop (lattices.py); any other structure goes through its own argmax.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from engine.arrays import Floats, Ints, Singles
from engine.learners.base import Instance, Round, Saved, complete, contrast, worst
from engine.learners.joined import join
from engine.learners.linear.lattices import Averaging, Parts, Step, lattice_pass
from engine.learners.linear.scaled import Linear, Scaling
from engine.learners.linear.steps import passive_aggressive_step
from engine.learners.training import Training, rng_from, rng_parts
from engine.settings import Settings, setting
from engine.structures.base import Structure
from engine.structures.nonoverlap import NonOverlapBatch


@dataclass(frozen=True, kw_only=True)
class Online(Settings):
    """Structured perceptron or passive-aggressive learner."""

    step: Literal["perceptron", "pa"] = setting("perceptron", "Fixed steps, or just long enough to keep the margin.")
    n_rounds: int = setting(10, "Passes over the documents.", low=1, formerly=("epochs",))
    C: float = setting(1.0, "Longest passive-aggressive step.", low=1e-9)
    averaged: bool = setting(True, "Use the average of the weights over all documents instead of the last ones.")
    scaled: bool = setting(True, "Standardise features and add a constant one.")
    shuffle: bool = setting(True, "Visit documents in a new order each time.")

    def rounds(
        self, instances: Sequence[Instance[Structure]], *, resume: Saved | None = None
    ) -> Iterator[Round[Linear]]:
        """One round per pass; the objective is the mean loss met on the way (perceptron: share of wrong outputs)."""
        yield from self._training(instances).rounds(self.n_rounds, resume)

    def _training(self, instances: Sequence[Instance[Structure]]) -> _Passes:
        if all(isinstance(instance.structure, NonOverlapBatch) for instance in instances):
            corpus = join(instances)
            if isinstance(corpus.structure, NonOverlapBatch):
                return _LatticePasses(self, corpus.structure, corpus)
        return _InstancePasses(self, instances)


class _Passes(Training[Round[Linear]]):
    """Weights with their running average: mean = weights - drift / count, drift = sum of (time x change)."""

    kind: ClassVar[str] = "online"

    def __init__(self, settings: Online, features: Singles, n_documents: int) -> None:
        super().__init__()
        self.settings = settings
        self.scaling = Scaling.fit(features) if settings.scaled else Scaling.none(features.shape[1])
        self._size = (n_documents, *features.shape)
        n_weights = features.shape[1] + settings.scaled
        self.weights: Floats = np.zeros(n_weights)
        self.drift: Floats = np.zeros(n_weights)
        self.seen = 0
        self._rng = np.random.default_rng(settings.seed)
        self._n = n_documents

    @property
    def size(self) -> tuple[int, ...]:
        return self._size

    @abstractmethod
    def run(self, order: Ints) -> tuple[float, int]:
        """Visit the documents in this order; returns the sum of losses and the number of updates."""

    def step(self) -> Round[Linear]:
        order = self._rng.permutation(self._n) if self.settings.shuffle else np.arange(self._n)
        loss, updates = self.run(order)
        weights = self.average() if self.settings.averaged else self.weights.copy()
        return Round(self.done, loss / max(self._n, 1), Linear(weights, self.scaling), {"updates": float(updates)})

    def average(self) -> Floats:
        return self.weights - self.drift / max(self.seen, 1)

    def rows(self, features: Singles) -> Singles:
        return self.scaling.apply(features, constant=self.settings.scaled)

    def save(self) -> Saved:
        return {
            "weights": self.weights.copy(),
            "drift": self.drift.copy(),
            "seen": np.array(self.seen),
            "rng": rng_parts(self._rng),
        }

    def restore(self, saved: Saved) -> None:
        self.weights, self.drift = saved["weights"].copy(), saved["drift"].copy()
        self.seen, self._rng = int(saved["seen"]), rng_from(saved["rng"])


class _InstancePasses(_Passes):
    def __init__(self, settings: Online, instances: Sequence[Instance[Structure]]) -> None:
        super().__init__(settings, np.concatenate([instance.features for instance in instances]), len(instances))
        self._instances = [Instance(i.structure, self.rows(i.features), i.consistent, i.cost) for i in instances]

    def run(self, order: Ints) -> tuple[float, int]:
        total, updates = 0.0, 0
        margin = self.settings.step == "pa"
        for i in order:
            instance = self._instances[i]
            scores = instance.features @ self.weights
            good = complete(instance, scores)
            bad = worst(instance, scores) if margin else instance.structure.argmax(scores)
            if not np.array_equal(good, bad):
                change = contrast(instance, good, bad)
                tau = 1.0
                if margin:
                    loss = float(instance.cost[bad].sum() - instance.cost[good].sum())
                    violation = loss - float(self.weights @ change)
                    tau = passive_aggressive_step(violation, float(change @ change), self.settings.C)
                    total += max(violation, 0.0)
                else:
                    total += 1.0
                updates += tau > 0.0
                self.weights += tau * change
                self.drift += self.seen * tau * change
            self.seen += 1
        return total, updates


class _LatticePasses(_Passes):
    def __init__(self, settings: Online, batch: NonOverlapBatch, corpus: Instance[Structure]) -> None:
        super().__init__(settings, corpus.features, batch.n_documents)
        cost = np.ascontiguousarray(corpus.cost, dtype=np.float64)
        self._parts = Parts(batch.offsets, self.rows(corpus.features), corpus.consistent, cost)
        self._lattice = batch.lattice

    def run(self, order: Ints) -> tuple[float, int]:
        averaging = Averaging(self.weights, self.drift)
        step = Step(self.settings.step == "pa", self.settings.C)
        total, updates = lattice_pass(order, self._lattice, self._parts, averaging, self.seen, step)
        self.seen += len(order)
        return total, updates
