"""The effect of constraints on a corpus: its scores, what each constraint changes, how often the LP was integral."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from engine.metrics.joint import prf
from engine.metrics.numbers import Plain
from engine.metrics.tally import Tally
from engine.structures.program import Conflict
from engine.tasks.extra import ExtraTables, Rows
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
    return ledger_told(ledger_tally(scored, weights))


def ledger_tally(scored: JointScored, weights: Sequence[float | None] = WEIGHTS) -> Tally:
    """What these documents contribute to the ledger."""
    rows = [{name: getattr(one, name) for name in _OF_CONSTRAINT} for one in scored.constraints]
    made = Tally(facts={"constraints": rows, "weights": list(weights)})
    for number, one in enumerate(scored.constraints):
        with_it = with_switch(scored.constraints, one.name, on=True)
        off = Decoder(scored.space, with_switch(scored.constraints, one.name, on=False)).decode(scored)
        on = _kept(scored, with_it)
        _count(made, scored, off, str(number), "off")
        _count(made, scored, on, str(number), "on")
        for w, weight in enumerate(weights):
            _count(made, scored, _kept(scored, with_weight(with_it, one.name, weight)), str(number), f"at {w}")
        if on is not None:
            made.count_all(str(number), numbers=_differences(scored, on, off))
    return made


_OF_CONSTRAINT: Final = ("name", "kind", "weight", "enabled")


def _differences(scored: JointScored, on: Decisions, off: Decisions) -> dict[str, int]:
    """The decisions that differ with a constraint and without it."""
    gold = np.concatenate([scored.gold_type, scored.gold_label])
    judged = np.concatenate([scored.gold_type >= 0, np.ones(len(scored.gold_label), dtype=bool)])
    said_on, said_off = (np.concatenate([said.types, said.labels]) for said in (on, off))
    return {
        "changed": int((said_on != said_off).sum()),
        "fixed": int((judged & (said_on == gold) & (said_off != gold)).sum()),
        "caused": int((judged & (said_on != gold) & (said_off == gold)).sum()),
    }


def _count(made: Tally, scored: JointScored, decisions: Decisions | None, *key: str) -> None:
    """Count relations between the model's mentions; or that nothing could be decided."""
    if decisions is None:
        made.count(*key, "conflict")
        return
    found, wanted = decisions.labels > 0, scored.gold_label > 0
    correct = int(((decisions.labels == scored.gold_label) & wanted).sum())
    made.count_all(*key, numbers={"correct": correct, "found": int(found.sum()), "wanted": int(wanted.sum())})


def ledger_told(found: Tally) -> list[LedgerRow]:
    """The rows of a ledger. A constraint that some sentence cannot satisfy changes nothing anywhere."""
    return [_row(found, str(number), **one) for number, one in enumerate(found.facts.get("constraints", ()))]


def _row(found: Tally, key: str, *, name: str, kind: str, weight: float | None, enabled: bool) -> LedgerRow:
    f1_on = _f1(found, key, "on")
    best_weight, best_f1 = weight, f1_on
    for w, tried in enumerate(found.facts["weights"]):
        f1 = _f1(found, key, f"at {w}")
        if f1 > best_f1 + BETTER or (math.isnan(best_f1) and not math.isnan(f1)):
            best_weight, best_f1 = tried, f1
    kept = not found.number(key, "on", "conflict")
    return LedgerRow(
        name=name,
        kind=kind,
        weight=weight,
        enabled=enabled,
        changed=kept * found.number(key, "changed"),
        fixed=kept * found.number(key, "fixed"),
        caused=kept * found.number(key, "caused"),
        f1_on=f1_on,
        f1_off=_f1(found, key, "off"),
        best_weight=best_weight,
        best_f1=best_f1,
    )


def _f1(found: Tally, *key: str) -> float:
    """F1 of relations between the model's mentions; NaN if some sentence could not be decided."""
    if found.number(*key, "conflict"):
        return float("nan")
    return prf(found.number(*key, "correct"), found.number(*key, "found"), found.number(*key, "wanted"))["f1"]


class LedgerTable(ExtraTables):
    """The ledger of constraints: what each one changes, repairs and breaks, whether or not it is currently on."""

    def __init__(self) -> None:
        self._found = Tally()

    def take(self, found: Tally) -> None:
        self._found.take(found)

    def tables(self) -> dict[str, Rows]:
        return {"constraint ledger": [ledger_row(row) for row in ledger_told(self._found)]}


def _kept(scored: JointScored, constraints: tuple[Constraint, ...]) -> Decisions | None:
    """The decisions under these constraints; None if some sentence cannot satisfy them."""
    try:
        return Decoder(scored.space, constraints).decode(scored)
    except Conflict:
        return None


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
