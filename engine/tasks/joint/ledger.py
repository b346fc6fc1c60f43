"""What constraints do to a corpus: the ledger, the share of integral LPs, and the forced-decision test.

Everything starts from scores that were computed once; a switch or a weight only decides anew.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from engine.metrics.joint import prf
from engine.structures.program import Conflict
from engine.tasks.joint.compile import Ints
from engine.tasks.joint.constraints import Constraint, with_switch, with_weight
from engine.tasks.joint.inference import Decisions, Decoder, PairPin, Scored, SentencePins

WEIGHTS: Final[tuple[float | None, ...]] = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, None)
"""Soft weights tried; None is hard."""


@dataclass(frozen=True)
class LedgerRow:
    """What one constraint changes: the corpus with it against the corpus without it."""

    name: str
    kind: str
    weight: float | None
    enabled: bool
    changed: int
    """Decisions (types and labels) that differ."""
    fixed: int
    """Wrong without the constraint, right with it."""
    caused: int
    """Right without the constraint, wrong with it."""
    f1_on: float
    """Not a number where some sentence cannot keep the constraint as it is; it changes nothing then."""
    f1_off: float
    best_weight: float | None
    """The weight with the highest relation F1 here; None is hard. Choose it on dev, never on test."""
    best_f1: float


def ledger_row(row: LedgerRow) -> dict[str, Any]:
    """A row as people read it, in the app and in a report."""
    return {
        "constraint": row.name,
        "decisions changed": row.changed,
        "errors fixed": row.fixed,
        "errors caused": row.caused,
        "F1 with": None if math.isnan(row.f1_on) else row.f1_on,
        "F1 without": row.f1_off,
        "best weight": "hard" if row.best_weight is None else f"{row.best_weight:g}",
        "F1 at best": None if math.isnan(row.best_f1) else row.best_f1,
    }


@dataclass(frozen=True)
class Integrality:
    """How often the LP relaxation was integral by itself."""

    sentences: int
    integral: int
    largest_gap: float

    @property
    def share(self) -> float:
        return self.integral / self.sentences if self.sentences else 1.0


@dataclass(frozen=True)
class Forced:
    """The forced-decision test of one relation: in how many sentences the right pair was named."""

    relation: str
    sentences: int
    right: int

    @property
    def accuracy(self) -> float:
        return self.right / self.sentences if self.sentences else 0.0


def relation_f1(decisions: Decisions, gold_labels: Ints) -> float:
    found, wanted = decisions.labels > 0, gold_labels > 0
    correct = int(((decisions.labels == gold_labels) & wanted).sum())
    return prf(correct, int(found.sum()), int(wanted.sum()))["f1"]


def ledger(
    decoder: Decoder,
    scored: Scored,
    gold_types: Ints,
    gold_labels: Ints,
    bias: float,
    weights: Sequence[float | None] = WEIGHTS,
) -> list[LedgerRow]:
    """One row per constraint, in their order."""
    rows = []
    for one in decoder.constraints:
        off = _under(decoder, with_switch(decoder.constraints, one.name, on=False)).decode(scored, bias)
        kept = _kept(decoder, with_switch(decoder.constraints, one.name, on=True), scored, bias)
        on = off if kept is None else kept
        right_on = np.concatenate([on.types == gold_types, on.labels == gold_labels])
        right_off = np.concatenate([off.types == gold_types, off.labels == gold_labels])
        judged = np.concatenate([gold_types >= 0, np.ones(len(gold_labels), dtype=bool)])
        changed = np.concatenate([on.types != off.types, on.labels != off.labels])
        f1_on = float("nan") if kept is None else relation_f1(kept, gold_labels)
        best_weight, best_f1 = one.weight, f1_on
        for weight in weights:
            switched = with_switch(decoder.constraints, one.name, on=True)
            tried = _kept(decoder, with_weight(switched, one.name, weight), scored, bias)
            f1 = float("nan") if tried is None else relation_f1(tried, gold_labels)
            if f1 > best_f1 + 1e-12 or (math.isnan(best_f1) and not math.isnan(f1)):
                best_weight, best_f1 = weight, f1
        rows.append(
            LedgerRow(
                name=one.name,
                kind=one.kind,
                weight=one.weight,
                enabled=one.enabled,
                changed=int(changed.sum()),
                fixed=int((judged & right_on & ~right_off).sum()),
                caused=int((judged & ~right_on & right_off).sum()),
                f1_on=f1_on,
                f1_off=relation_f1(off, gold_labels),
                best_weight=best_weight,
                best_f1=best_f1,
            )
        )
    return rows


def _kept(decoder: Decoder, constraints: tuple[Constraint, ...], scored: Scored, bias: float) -> Decisions | None:
    """The decisions under these constraints; None where some sentence cannot keep them."""
    try:
        return _under(decoder, constraints).decode(scored, bias)
    except Conflict:
        return None


def integrality(decoder: Decoder, scored: Scored, bias: float) -> Integrality:
    """The LP of every sentence with at least one pair."""
    n = integral = 0
    largest = 0.0
    for s in np.flatnonzero(scored.sizes > 1):
        solution, _ = decoder.solve(scored.sentence(int(s)), bias)
        n += 1
        integral += solution.integral
        largest = max(largest, solution.gap)
    return Integrality(n, integral, largest)


def forced(decoder: Decoder, scored: Scored, gold_labels: Ints, relation: str, bias: float = 0.0) -> Forced:
    """Sentences known to hold the relation: is the pair that the system would name one of gold's?

    The constraint "this relation holds somewhere" is met by trying it on every pair and keeping the best output
    (Roth and Yih 2004, section 4, forced decisions).
    """
    label = decoder.space.label(relation)
    starts = scored.corpus.pair_starts
    asked = [s for s in range(len(scored)) if (gold_labels[starts[s] : starts[s + 1]] == label).any()]
    right = 0
    for s in asked:
        named = _named_pair(decoder, scored.sentence(s), label, bias)
        right += named is not None and bool(gold_labels[starts[s] + named] == label)
    return Forced(relation, len(asked), right)


def _named_pair(decoder: Decoder, one: Scored, label: int, bias: float) -> int | None:
    """The pair of this sentence that takes the label in the best output in which some pair does; None where none
    can."""
    n_pairs = len(one.corpus.labels)
    pins = [[PairPin(p, label, True, "forced")] for p in range(n_pairs)]
    repeated = one.take([0] * n_pairs)
    try:
        values = decoder.decode(repeated, bias, dict(enumerate(pins))).objective
    except Conflict:
        # Some pairs cannot take it under the hard constraints: each has to be asked by itself.
        values = np.array([_value(decoder, one, bias, pin) for pin in pins])
    best = int(np.argmax(values))
    return best if np.isfinite(values[best]) else None


def _value(decoder: Decoder, one: Scored, bias: float, pins: SentencePins) -> float:
    try:
        return float(decoder.decode(one, bias, {0: pins}).objective[0])
    except Conflict:
        return -np.inf


def forced_row(system: str, test: Forced) -> dict[str, Any]:
    """The test of one system as people read it."""
    return {
        "system": system,
        "sentences that hold it": test.sentences,
        "right pair named": test.right,
        "share": test.accuracy,
    }


def _under(decoder: Decoder, constraints: tuple[Constraint, ...]) -> Decoder:
    return Decoder(decoder.space, constraints)
