"""What joint inference did on one sentence: decisions before and after, violations, the LP's fractions, costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from engine.arrays import Floats, Ints
from engine.data.pins import Pin, SpanRange
from engine.structures.program import Conflict, Rung
from engine.structures.typed_pairs import Numbering
from engine.tasks.joint.constraints.base import Constraint
from engine.tasks.joint.constraints.space import Space
from engine.tasks.joint.constraints.terms import Output
from engine.tasks.joint.constraints.together import Violation, violations
from engine.tasks.joint.deciding import part_pins
from engine.tasks.joint.inference import Decoder, SentencePath
from engine.tasks.joint.scored import JointScored

NEAR: Final = 4.0
"""The maximum distance from the current bias at which a relation may first appear and still be listed."""


@dataclass(frozen=True)
class Strongest:
    """A pair's highest-scoring relation, whether or not it beats none."""

    pair: int
    label: int
    until: float
    """The bias above which none beats it."""
    breaks: tuple[str, ...]
    """The constraints that it breaks: together with the classifiers' other choices if it is one of them, else alone."""


@dataclass(frozen=True, eq=False)
class JointTrace:
    """One sentence. Nodes are mentions in order, pairs are ordered pairs, i-major; scores are log probabilities."""

    document: str
    surfaces: tuple[str, ...]
    spans: tuple[SpanRange, ...]
    pairs: tuple[tuple[int, int], ...]
    space: Space
    constraints: tuple[Constraint, ...]
    bias: float
    type_scores: Floats
    label_scores: Floats
    gold_types: Ints
    """-1 if there is no gold type."""
    gold_labels: Ints
    before_types: Ints
    before_labels: Ints
    after_types: Ints
    after_labels: Ints
    before_violations: tuple[Violation, ...]
    after_violations: tuple[Violation, ...]
    before_score: float
    """The sum of scores of the classifiers' own choices, legal or not, with the bias."""
    strongest: tuple[Strongest, ...]
    """The strongest relation of every pair for which it beats none at a bias near the current one."""
    objective: float
    """The objective of inference: the decision's scores with the bias, minus the prices of soft constraints it
    breaks."""
    rung: Rung
    integral: bool
    bound: float
    relaxed_types: Floats
    relaxed_labels: Floats
    binding: tuple[str, ...]
    """The constraints that bind the decision: rows at their bound."""
    conflict: tuple[str, ...]
    """A minimal set of constraints and pins that cannot hold together; in that case `after` equals `before`."""
    path: SentencePath | None
    """Every best output as the bias rises, ignoring pins."""

    @property
    def gap(self) -> float:
        return max(0.0, self.bound - self.objective)

    @property
    def cost(self) -> float:
        return -self.objective

    @property
    def has_gold(self) -> bool:
        return bool(np.any(self.gold_types >= 0))

    @property
    def numbering(self) -> Numbering:
        return self.space.numbering(len(self.spans))


def trace(scored: JointScored, pins: Sequence[Pin] = ()) -> JointTrace:
    """Decide one sentence (a scored corpus of one) and record the steps."""
    space, bias = scored.space, scored.bias
    decoder, free = Decoder.of(scored), Decoder(space, ())
    chosen = part_pins(scored, 0, pins)
    before = free.decode(scored)
    conflict: tuple[str, ...] = ()
    try:
        after = decoder.decode(scored, {0: chosen})
        solution, program = decoder.solve(decoder.sentences(scored).pinned({0: chosen}), bias)
    except Conflict as clash:
        conflict = clash.names
        after = before
        solution, program = free.solve(free.sentences(scored), bias)
    relaxed_types, relaxed_labels = scored.numbering.split(solution.relaxed)
    alone = Output(space, before.types, before.labels, scored.sameness)
    together = Output(space, after.types, after.labels, scored.sameness)
    broken = violations(scored.constraints, alone)
    return JointTrace(
        document=scored.documents[0].id,
        surfaces=tuple(scored.surfaces(0)),
        spans=tuple(scored.spans(0)),
        pairs=tuple(alone.pairs),
        space=space,
        constraints=scored.constraints,
        bias=bias,
        type_scores=scored.type_score,
        label_scores=scored.label_score,
        gold_types=scored.gold_type,
        gold_labels=scored.gold_label,
        before_types=before.types,
        before_labels=before.labels,
        after_types=after.types,
        after_labels=after.labels,
        before_violations=tuple(broken),
        after_violations=tuple(violations(scored.constraints, together)),
        before_score=_score(free, scored, before.types, before.labels),
        strongest=tuple(_strongest(scored, alone, broken)),
        objective=float(after.objective[0]),
        rung=after.rungs[0],
        integral=solution.integral,
        bound=solution.bound,
        relaxed_types=relaxed_types,
        relaxed_labels=relaxed_labels,
        binding=program.constraints_of(solution.binding),
        conflict=conflict,
        path=None if conflict else decoder.paths(scored)[0],
    )


def _score(free: Decoder, scored: JointScored, types: Ints, labels: Ints) -> float:
    sentences = free.sentences(scored)
    value = sentences.structure.value(sentences.types, sentences.labels, (types, labels))[0]
    return float(value) + scored.bias * int((labels == 0).sum())


def _strongest(scored: JointScored, alone: Output, broken: Sequence[Violation]) -> list[Strongest]:
    if len(scored.space.relations) == 0:
        return []
    out = []
    for p, row in enumerate(scored.label_score):
        label = 1 + int(row[1:].argmax())
        until = float(row[label] - row[0])
        if until < scored.bias - NEAR:
            continue
        if alone.labels[p] == label:
            found = broken
        else:
            labels = np.zeros(len(alone.labels), dtype=np.int64)
            labels[p] = label
            found = violations(scored.constraints, Output.of(scored.space, alone.types, labels))
        out.append(Strongest(p, label, until, tuple(dict.fromkeys(v.name for v in found if p in v.pairs))))
    return out


def closest_call(trace: JointTrace) -> int | None:
    """The part of the decision to show first: that of a pair which breaks a constraint, else the one of which the
    classifiers are least certain; None if there is nothing to decide."""
    numbering = trace.numbering
    for violation in trace.before_violations:
        if violation.pairs:
            return numbering.pair(violation.pairs[0], 0)
    biased = trace.label_scores.copy()
    biased[:, 0] += trace.bias
    calls = [(_margin(row), numbering.node(i, 0)) for i, row in enumerate(trace.type_scores) if len(row) > 1]
    calls += [(_margin(row), numbering.pair(p, 0)) for p, row in enumerate(biased) if len(row) > 1]
    return min(calls)[1] if calls else None


def _margin(row: Floats) -> float:
    """The lead of the best option over the next."""
    next_best, best = np.sort(row)[-2:]
    return float(best - next_best)
