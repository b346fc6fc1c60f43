"""The forced-decision test: given that a relation holds somewhere in a sentence, is the right pair named?

Roth and Yih (2004), section 4. The constraint "this relation holds somewhere" is met by trying it on every pair and
keeping the best output. A sentence may contain the relation twice, and the best output may name it on further pairs. So
the test reports not only the share of sentences whose named pair is right, but also precision, recall and F1 of all
pairs with the relation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from engine.arrays import Ints
from engine.data.errors import InputError
from engine.metrics.joint import prf
from engine.metrics.tally import Tally
from engine.structures.program import Conflict
from engine.tasks.joint.constraints.base import Constraint
from engine.tasks.joint.inference import Decoder, PartPin, Sentences
from engine.tasks.joint.scored import JointScored

FORCED_SHARES: Final = ("share", "precision", "recall", "f1")
"""Columns of `forced_row` that are shares."""
_COUNTS: Final = ("sentences", "right", "correct", "predicted", "gold")


@dataclass(frozen=True)
class Forced:
    """The forced-decision test of one relation."""

    relation: str
    sentences: int
    right: int
    """The number of sentences whose named pair is in gold."""
    correct: int
    predicted: int
    gold: int
    """Pairs of these sentences with the relation: predicted correctly, predicted at all, and in gold."""

    @property
    def accuracy(self) -> float:
        return self.right / self.sentences if self.sentences else 0.0

    @property
    def scores(self) -> dict[str, float]:
        return prf(self.correct, self.predicted, self.gold)


def forced_by_system(scored: JointScored, relation: str) -> dict[str, Forced]:
    """The classifiers alone and under the constraints, both at the same bias."""
    alone, together = scored.systems
    return {alone: forced(scored, (), relation), together: forced(scored, scored.constraints, relation)}


def forced(scored: JointScored, constraints: Sequence[Constraint], relation: str) -> Forced:
    """The test on all sentences known to contain the relation: is the pair named under these constraints in gold?"""
    if relation not in scored.space.relations:
        known = ", ".join(scored.space.relations)
        raise InputError(f"the model does not know the relation {relation!r}; it has {known}")
    label = scored.space.label(relation)
    decoder = Decoder(scored.space, tuple(constraints))
    sentences = decoder.sentences(scored)
    starts = scored.pair_offsets
    asked = [s for s in range(len(scored)) if (scored.gold_label[starts[s] : starts[s + 1]] == label).any()]
    right = correct = predicted = gold = 0
    for s in asked:
        holds = scored.gold_label[starts[s] : starts[s + 1]] == label
        gold += int(holds.sum())
        best = _best_that_holds(decoder, sentences.one(s), label, bias=scored.bias)
        if best is not None:
            named, labels = best
            right += bool(holds[named])
            correct += int((holds & (labels == label)).sum())
            predicted += int((labels == label).sum())
    return Forced(relation, len(asked), right, correct, predicted, gold)


def _best_that_holds(decoder: Decoder, one: Sentences, label: int, *, bias: float) -> tuple[int, Ints] | None:
    """A pair with the label in the best output in which some pair has it, and the labels of that output; None if no
    pair can take the label."""
    n_pairs = len(one.labels)
    pins = [PartPin(one.numbering().pair(p, label), True, "forced") for p in range(n_pairs)]
    repeated = one.take(np.zeros(n_pairs, dtype=np.int64)).pinned({p: [pin] for p, pin in enumerate(pins)})
    try:
        decided = decoder.settle(repeated, np.full(n_pairs, bias))
    except Conflict:
        # Some pairs cannot take it under the hard constraints, so each has to be tried by itself.
        return _best_asked_singly(decoder, one, pins, bias)
    best = int(np.argmax(decided.objective))
    return best, decided.labels[best * n_pairs : (best + 1) * n_pairs]


def _best_asked_singly(
    decoder: Decoder, one: Sentences, pins: Sequence[PartPin], bias: float
) -> tuple[int, Ints] | None:
    best, highest = None, -np.inf
    for p, pin in enumerate(pins):
        try:
            decided = decoder.settle(one.pinned({0: [pin]}), np.array([bias]))
        except Conflict:
            continue
        if decided.objective[0] > highest:
            best, highest = (p, decided.labels), float(decided.objective[0])
    return best


def forced_tally(scored: JointScored, relation: str) -> Tally:
    """What these sentences contribute to the tests of both systems."""
    made = Tally(facts={"relation": relation, "systems": list(scored.systems)})
    for name, test in forced_by_system(scored, relation).items():
        made.count_all(name, numbers={field: getattr(test, field) for field in _COUNTS})
    return made


def forced_told(found: Tally) -> dict[str, Any]:
    """The tests of all sentences, as `evaluate --json` prints them."""
    return forced_report(
        {
            name: Forced(found.facts["relation"], **{field: found.number(name, field) for field in _COUNTS})
            for name in found.facts["systems"]
        }
    )


def forced_report(tests: dict[str, Forced]) -> dict[str, Any]:
    """The tests of all systems, as `evaluate --json` prints them."""
    first = next(iter(tests.values()))
    systems = {name: {"right": test.right, "accuracy": test.accuracy, **test.scores} for name, test in tests.items()}
    return {"relation": first.relation, "sentences": first.sentences, "systems": systems}


def forced_row(system: str, test: Forced) -> dict[str, Any]:
    """The test of one system as a row for people to read."""
    return {
        "system": system,
        "sentences that hold it": test.sentences,
        "right pair named": test.right,
        "share": test.accuracy,
        **test.scores,
    }
