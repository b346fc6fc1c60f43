"""One pass of online learning over the lattices of a corpus, in compiled code."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.arrays import Flags, Floats, Int, Ints, Places, Singles
from engine.kernels import inlined, kernel
from engine.learners.linear.steps import passive_aggressive_step
from engine.structures.nonoverlap_kernels import Lattice, best_of_document, room_for_prefixes


class Parts(NamedTuple):
    """The training data: features, flags of the parts that the annotation allows, and the cost of each part.

    `offsets[d]:offsets[d + 1]` are the parts of document d.
    """

    offsets: Ints
    features: Singles
    consistent: Flags
    cost: Floats


class Averaging(NamedTuple):
    """Weights and the sums for their average: mean = weights - drift / count, drift = sum of (time x change)."""

    weights: Floats
    drift: Floats


class Step(NamedTuple):
    """Whether to enforce margins (passive-aggressive) or to correct outputs (perceptron), and the longest step."""

    margin: bool
    longest: float


@kernel
def lattice_pass(
    order: Ints, lattice: Lattice, parts: Parts, averaging: Averaging, seen: Int, step: Step
) -> tuple[float, int]:
    """One pass over the documents in this order; returns the sum of losses and the number of updates."""
    offsets, features, consistent, cost = parts.offsets, parts.features, parts.consistent, parts.cost
    weights, drift = averaging.weights, averaging.drift
    n_parts, n_features = features.shape
    n_positions = len(lattice.end_ptr) - 1
    scores, raised, change = np.empty(n_parts), np.empty(n_parts), np.empty(n_features)
    prefixes = room_for_prefixes(n_positions)
    good, bad = np.empty(n_positions, np.intp), np.empty(n_positions, np.intp)
    total, updates = 0.0, 0
    for d in order:
        begin, end = offsets[d], offsets[d + 1]
        _score(features, weights, begin, end, scores)
        _lift(scores, consistent, begin, end, raised)
        n_good = best_of_document(raised, lattice, d, prefixes, good)
        for p in range(begin, end):
            raised[p] = scores[p] + cost[p] if step.margin else scores[p]
        n_bad = best_of_document(raised, lattice, d, prefixes, bad)
        if _differ(good[:n_good], bad[:n_bad]):
            violation = _contrast(good[:n_good], bad[:n_bad], features, scores, cost, change)
            tau = 1.0
            if step.margin:
                norm = 0.0
                for f in range(n_features):
                    norm += change[f] * change[f]
                tau = passive_aggressive_step(violation, norm, step.longest)
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


@inlined
def _score(features: Singles, weights: Floats, begin: Int, end: Int, scores: Floats) -> None:
    for p in range(begin, end):
        score = 0.0
        for f in range(len(weights)):
            score += features[p, f] * weights[f]
        scores[p] = score


@inlined
def _lift(scores: Floats, consistent: Flags, begin: Int, end: Int, raised: Floats) -> None:
    """Raise consistent parts so far that as many as possible are on (as NonOverlapBatch.completion does)."""
    size = 0.0
    for p in range(begin, end):
        if consistent[p]:
            size += abs(scores[p])
    for p in range(begin, end):
        raised[p] = scores[p] + 2.0 * size + 1.0 if consistent[p] else -np.inf


@inlined
def _differ(good: Places, bad: Places) -> bool:
    differ = len(good) != len(bad)
    for i in range(min(len(good), len(bad))):
        differ = differ or good[i] != bad[i]
    return differ


@inlined
def _contrast(good: Places, bad: Places, features: Singles, scores: Floats, cost: Floats, change: Floats) -> float:
    """Write the features of the good output minus those of the bad one to `change`; returns the margin violation."""
    change[:] = 0.0
    violation = 0.0
    for p in good:
        violation -= scores[p] + cost[p]
        for f in range(len(change)):
            change[f] += features[p, f]
    for p in bad:
        violation += scores[p] + cost[p]
        for f in range(len(change)):
            change[f] -= features[p, f]
    return violation
