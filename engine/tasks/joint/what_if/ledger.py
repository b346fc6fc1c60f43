"""The effect of constraints on a corpus: its scores, what each constraint changes, how often the LP was integral."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from engine.metrics.joint import prf
from engine.metrics.numbers import Plain
from engine.structures.program import Conflict
from engine.tasks.joint.constraints.base import Constraint
from engine.tasks.joint.constraints.together import with_switch, with_weight
from engine.tasks.joint.inference import Decisions, Decoder
from engine.tasks.joint.scored import JointScored

WEIGHTS: Final[tuple[float | None, ...]] = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, None)
"""Soft weights tried; None is hard."""
BETTER: Final = 1e-12


@dataclass(frozen=True)
class Totals:
    """Scores of a whole corpus, as fractions."""

    precision: float
    recall: float
    f1: float
    types: float
    """The share of mentions with the right type, among those in gold."""


@dataclass(frozen=True)
class LedgerRow:
    """What one constraint changes: the corpus decided with it, compared with the corpus decided without it."""

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
    """NaN if some sentence cannot satisfy the constraint in its present form; in that case it changes nothing."""
    f1_off: float
    best_weight: float | None
    """The weight with the highest relation F1 here; None is hard. Choose it on dev, never on test."""
    best_f1: float


@dataclass(frozen=True)
class Integrality:
    """How often the LP relaxation was integral by itself."""

    sentences: int
    integral: int
    largest_gap: float

    @property
    def share(self) -> float:
        return self.integral / self.sentences if self.sentences else 1.0


def totals(scored: JointScored) -> Totals | None:
    """Scores of the decided corpus; None if some sentence cannot satisfy the constraints."""
    decided = _kept(scored, scored.deciding)
    if decided is None:
        return None
    correct = int(((decided.labels == scored.gold_label) & (scored.gold_label > 0)).sum())
    # As on the curve, gold relations that no pair of the model can reach count as missed.
    found = prf(correct, int((decided.labels > 0).sum()), int(scored.n_gold.sum()))
    judged = scored.gold_type >= 0
    types = float((decided.types == scored.gold_type)[judged].mean()) if judged.any() else 0.0
    return Totals(found["precision"], found["recall"], found["f1"], types)


def ledger(scored: JointScored, weights: Sequence[float | None] = WEIGHTS) -> list[LedgerRow]:
    """One row per constraint, in order, whether or not it is currently on."""
    return [_row(scored, one, weights) for one in scored.constraints]


def _row(scored: JointScored, one: Constraint, weights: Sequence[float | None]) -> LedgerRow:
    with_it = with_switch(scored.constraints, one.name, on=True)
    off = Decoder(scored.space, with_switch(scored.constraints, one.name, on=False)).decode(scored)
    kept = _kept(scored, with_it)
    on = off if kept is None else kept
    gold = np.concatenate([scored.gold_type, scored.gold_label])
    judged = np.concatenate([scored.gold_type >= 0, np.ones(len(scored.gold_label), dtype=bool)])
    said_on, said_off = (np.concatenate([said.types, said.labels]) for said in (on, off))
    f1_on = _f1(scored, kept)
    best_weight, best_f1 = one.weight, f1_on
    for weight in weights:
        f1 = _f1(scored, _kept(scored, with_weight(with_it, one.name, weight)))
        if f1 > best_f1 + BETTER or (math.isnan(best_f1) and not math.isnan(f1)):
            best_weight, best_f1 = weight, f1
    return LedgerRow(
        name=one.name,
        kind=one.kind,
        weight=one.weight,
        enabled=one.enabled,
        changed=int((said_on != said_off).sum()),
        fixed=int((judged & (said_on == gold) & (said_off != gold)).sum()),
        caused=int((judged & (said_on != gold) & (said_off == gold)).sum()),
        f1_on=f1_on,
        f1_off=_f1(scored, off),
        best_weight=best_weight,
        best_f1=best_f1,
    )


def _kept(scored: JointScored, constraints: tuple[Constraint, ...]) -> Decisions | None:
    """The decisions under these constraints; None if some sentence cannot satisfy them."""
    try:
        return Decoder(scored.space, constraints).decode(scored)
    except Conflict:
        return None


def _f1(scored: JointScored, decisions: Decisions | None) -> float:
    """F1 of relations between the model's mentions; NaN if nothing was decided."""
    if decisions is None:
        return float("nan")
    found, wanted = decisions.labels > 0, scored.gold_label > 0
    correct = int(((decisions.labels == scored.gold_label) & wanted).sum())
    return prf(correct, int(found.sum()), int(wanted.sum()))["f1"]


def ledger_row(row: LedgerRow) -> dict[str, Any]:
    """A row for people to read, in the app and in a report."""
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


def integrality_report(found: Integrality) -> dict[str, Any]:
    """The same as `evaluate --json` prints it."""
    return {"solved": found.sentences, "integral": found.share, "largest_gap": Plain(found.largest_gap)}


def integrality(scored: JointScored) -> Integrality:
    """Statistics of the LPs of all sentences with at least one pair, under all constraints, on or off."""
    decoder = Decoder(scored.space, scored.constraints)
    sentences = decoder.sentences(scored)
    solutions = [decoder.solve(sentences.one(int(s)), scored.bias)[0] for s in np.flatnonzero(scored.sizes > 1)]
    return Integrality(
        len(solutions),
        sum(solution.integral for solution in solutions),
        max((solution.gap for solution in solutions), default=0.0),
    )
