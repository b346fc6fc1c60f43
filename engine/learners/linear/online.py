"""Perceptron and passive-aggressive learning, one document at a time, averaged, with latent gold.

Both find the best output, compare it with the best output that agrees with the annotation, and move the weights by tau
D, D = features(good) - features(bad). They differ only in tau:

- perceptron: 1 whenever bad differs from good (Collins 2002)
- passive-aggressive: (loss - w.D) / |D|^2, at most C, with bad found under the cost (Crammer et al. 2006, PA-I);
  uncapped, the margin then holds with equality

Lattices of a whole corpus run in one compiled loop (lattices.py); any other structure goes through its own argmax.
With several shards, each pass learns them side by side and averages their weights (engine/learners/mixing.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, Protocol

import numpy as np

from engine.arrays import Floats, Ints, Singles
from engine.learners.base import Instance, Round, Saved, complete, contrast, worst
from engine.learners.joined import join
from engine.learners.linear.lattices import Averaging, Parts, Step, lattice_pass
from engine.learners.linear.scaled import Linear, Scaling
from engine.learners.linear.steps import passive_aggressive_step
from engine.learners.mixing import Learnt, Mixing, mix, orders_of, shards_of
from engine.learners.training import Training, rng_from, rng_parts
from engine.settings import setting
from engine.structures.base import Structure
from engine.structures.nonoverlap import NonOverlapBatch
from engine.workers.crews import ALONE, Crew, Keepers


@dataclass(frozen=True, kw_only=True)
class Online(Mixing):
    """Structured perceptron or passive-aggressive learner."""

    step: Literal["perceptron", "pa"] = setting(
        "perceptron", ("Fixed steps, or steps just large enough to reach the margin.")
    )
    n_rounds: int = setting(10, "Passes over the documents.", low=1, formerly=("epochs",))
    C: float = setting(1.0, "The largest passive-aggressive step.", low=1e-9)
    averaged: bool = setting(True, "Use the average of the weights over all documents instead of the last ones.")
    scaled: bool = setting(True, "Standardise features and add a constant feature.")
    shuffle: bool = setting(True, "Visit documents in a new order each time.")

    def rounds(
        self, instances: Sequence[Instance[Structure]], *, resume: Saved | None = None, crew: Crew = ALONE
    ) -> Iterator[Round[Linear]]:
        """One round per pass; the objective is the mean loss during the pass (perceptron: share of wrong outputs).

        With one shard the crew has nothing to do: each document is learnt with the weights that the previous one left.
        """
        yield from _Passes(self, instances, crew).rounds(self.n_rounds, resume)


class _Seen(NamedTuple):
    """What happened in a pass: the sum of losses, and the number of updates."""

    loss: float
    updates: int


class _Documents(Protocol):
    """What is learnt from, with scaled features."""

    def visit(self, order: Ints, moving: Averaging, seen: int, step: Step) -> _Seen:
        """Learn from the documents in this order; the first is the one after `seen` others."""
        ...

    def part(self, first: int, last: int) -> _Documents:
        """Documents [first, last)."""
        ...


class _Told(NamedTuple):
    """What a shard tells after a pass."""

    learnt: Learnt
    seen: _Seen


def _learn(shard: _Documents, shared: tuple[Floats, Step], order: Ints) -> _Told:
    """One pass over a shard, from the weights that all shards begin with."""
    weights, step = shared
    moving = Averaging(weights.copy(), np.zeros(len(weights)))
    seen = shard.visit(order, moving, 0, step)
    return _Told(Learnt(moving.weights, len(order) * moving.weights - moving.drift), seen)


class _Passes(Training[Round[Linear]]):
    """Weights with their running average: mean = weights - drift / count, drift = sum of (time x change)."""

    kind: ClassVar[str] = "online"

    def __init__(self, settings: Online, instances: Sequence[Instance[Structure]], crew: Crew) -> None:
        super().__init__()
        self.settings = settings
        self._step = Step(settings.step == "pa", settings.C)
        batches = all(isinstance(instance.structure, NonOverlapBatch) for instance in instances)
        known = [join(instances)] if batches else instances
        features = known[0].features if batches else np.concatenate([instance.features for instance in known])
        self.scaling = Scaling.fit(features) if settings.scaled else Scaling.none(features.shape[1])
        self._documents, self._n = self._scaled(known)
        self._size = (self._n, *features.shape)
        n_weights = features.shape[1] + settings.scaled
        self.weights: Floats = np.zeros(n_weights)
        self.drift: Floats = np.zeros(n_weights)
        self.seen = 0
        self._rng = np.random.default_rng(settings.seed)
        self._shards: Keepers[_Documents] | None = None
        if settings.shards > 1:
            self._cuts = shards_of(self._n, settings.shards)
            self._shards = crew.keep([self._documents.part(first, last) for first, last in self._cuts])

    @property
    def size(self) -> tuple[int, ...]:
        return self._size

    def _scaled(self, instances: Sequence[Instance[Structure]]) -> tuple[_Documents, int]:
        """The documents with scaled features, and how many they are."""
        [one, *others] = instances
        if isinstance(one.structure, NonOverlapBatch) and not others:
            cost = np.ascontiguousarray(one.cost, dtype=np.float64)
            parts = Parts(one.structure.offsets, self.rows(one.features), one.consistent, cost)
            return _Lattices(one.structure, parts), one.structure.n_documents
        scaled = [Instance(one.structure, self.rows(one.features), one.consistent, one.cost) for one in instances]
        return _Instances(scaled), len(scaled)

    def step(self) -> Round[Linear]:
        loss, updates = self._in_turn() if self._shards is None else self._side_by_side(self._shards)
        weights = self.average() if self.settings.averaged else self.weights.copy()
        return Round(self.done, loss / max(self._n, 1), Linear(weights, self.scaling), {"updates": float(updates)})

    def _in_turn(self) -> _Seen:
        [order] = orders_of([self._n], self._rng, shuffle=self.settings.shuffle)
        seen = self._documents.visit(order, Averaging(self.weights, self.drift), self.seen, self._step)
        self.seen += self._n
        return seen

    def _side_by_side(self, shards: Keepers[_Documents]) -> _Seen:
        orders = orders_of([last - first for first, last in self._cuts], self._rng, shuffle=self.settings.shuffle)
        told = shards.ask(_learn, (self.weights, self._step), orders)
        learnt = [one.learnt for one in told]
        self.weights, self.drift = mix(self.weights, self.drift, self.seen, learnt, self._n)
        self.seen += self._n
        return _Seen(sum(one.seen.loss for one in told), sum(one.seen.updates for one in told))

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


@dataclass(frozen=True, eq=False)
class _Instances:
    """Documents with structures of any kind."""

    instances: Sequence[Instance[Structure]]

    def part(self, first: int, last: int) -> _Instances:
        return _Instances(self.instances[first:last])

    def visit(self, order: Ints, moving: Averaging, seen: int, step: Step) -> _Seen:
        weights, drift = moving
        total, updates = 0.0, 0
        for i in order:
            instance = self.instances[i]
            scores = instance.features @ weights
            good = complete(instance, scores)
            bad = worst(instance, scores) if step.margin else instance.structure.argmax(scores)
            if not np.array_equal(good, bad):
                change = contrast(instance, good, bad)
                tau = 1.0
                if step.margin:
                    loss = float(instance.cost[bad].sum() - instance.cost[good].sum())
                    violation = loss - float(weights @ change)
                    tau = passive_aggressive_step(violation, float(change @ change), step.longest)
                    total += max(violation, 0.0)
                else:
                    total += 1.0
                updates += tau > 0.0
                weights += tau * change
                drift += seen * tau * change
            seen += 1
        return _Seen(total, updates)


@dataclass(frozen=True, eq=False)
class _Lattices:
    """Documents with lattices, as one batch."""

    batch: NonOverlapBatch
    parts: Parts

    def part(self, first: int, last: int) -> _Lattices:
        batch, (offsets, features, consistent, cost) = self.batch.part(first, last), self.parts
        rows = slice(offsets[first], offsets[last])
        return _Lattices(batch, Parts(batch.offsets, features[rows], consistent[rows], cost[rows]))

    def visit(self, order: Ints, moving: Averaging, seen: int, step: Step) -> _Seen:
        return _Seen(*lattice_pass(order, self.batch.lattice, self.parts, moving, seen, step))
