"""Forced decisions: where a relation is known to hold somewhere in a sentence, is the right pair named?

Roth and Yih (2004), section 4. The constraint "this relation holds somewhere" is met by trying it on every pair and
keeping the best output.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.data.errors import InputError
from engine.structures.program import Conflict
from engine.tasks.joint.constraints.base import Constraint
from engine.tasks.joint.inference import Decoder, PartPin, Sentences
from engine.tasks.joint.scored import JointScored


@dataclass(frozen=True)
class Forced:
    """The forced-decision test of one relation: in how many sentences the right pair was named."""

    relation: str
    sentences: int
    right: int

    @property
    def accuracy(self) -> float:
        return self.right / self.sentences if self.sentences else 0.0


def forced_by_system(scored: JointScored, relation: str) -> dict[str, Forced]:
    """The classifiers alone and under the constraints, both at the same bias."""
    alone, together = scored.systems
    return {alone: forced(scored, (), relation), together: forced(scored, scored.constraints, relation)}


def forced(scored: JointScored, constraints: Sequence[Constraint], relation: str) -> Forced:
    """Sentences known to hold the relation: is the pair that is named under these constraints one of gold's?"""
    if relation not in scored.space.relations:
        known = ", ".join(scored.space.relations)
        raise InputError(f"the model knows no relation {relation!r}; it has {known}")
    label = scored.space.label(relation)
    decoder = Decoder(scored.space, tuple(constraints))
    sentences = decoder.sentences(scored)
    starts = scored.pair_offsets
    asked = [s for s in range(len(scored)) if (scored.gold_label[starts[s] : starts[s + 1]] == label).any()]
    right = 0
    for s in asked:
        named = _named_pair(decoder, sentences.one(s), label, scored.bias)
        right += named is not None and bool(scored.gold_label[starts[s] + named] == label)
    return Forced(relation, len(asked), right)


def _named_pair(decoder: Decoder, one: Sentences, label: int, bias: float) -> int | None:
    """The pair of this sentence that takes the label in the best output in which some pair does; None where none
    can."""
    n_pairs = len(one.labels)
    pins = [PartPin(one.numbering().pair(p, label), True, "forced") for p in range(n_pairs)]
    repeated = one.take(np.zeros(n_pairs, dtype=np.int64)).pinned({p: [pin] for p, pin in enumerate(pins)})
    try:
        values = decoder.settle(repeated, np.full(n_pairs, bias)).objective
    except Conflict:
        # Some pairs cannot take it under the hard constraints: each has to be asked by itself.
        values = np.array([_value(decoder, one.pinned({0: [pin]}), bias) for pin in pins])
    best = int(np.argmax(values))
    return best if np.isfinite(values[best]) else None


def _value(decoder: Decoder, one: Sentences, bias: float) -> float:
    try:
        return float(decoder.settle(one, np.array([bias])).objective[0])
    except Conflict:
        return -np.inf


def forced_report(tests: dict[str, Forced]) -> dict[str, Any]:
    """The tests of all systems, as `evaluate --json` prints them."""
    first = next(iter(tests.values()))
    systems = {name: {"right": test.right, "accuracy": test.accuracy} for name, test in tests.items()}
    return {"relation": first.relation, "sentences": first.sentences, "systems": systems}


def forced_row(system: str, test: Forced) -> dict[str, Any]:
    """The test of one system as people read it."""
    return {
        "system": system,
        "sentences that hold it": test.sentences,
        "right pair named": test.right,
        "share": test.accuracy,
    }
