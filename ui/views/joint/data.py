"""What the joint page tells of a trace: the tables of labels, costs and LP values, the ledger, the switches."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from engine.tasks.joint.compile import Violation
from engine.tasks.joint.constraints import Constraint, Count, with_switch, with_weight
from engine.tasks.joint.explain import Why
from engine.tasks.joint.ledger import LedgerRow, ledger_row
from engine.tasks.joint.trace import JointTrace
from ui.components.bars import Contribution
from ui.components.graph import BROKEN
from ui.components.switches import Switch
from ui.shell import layout, session
from ui.shell.palette import MISSED, RIGHT, WRONG

WHOLE = 1e-6
FORCED = "asked for"
ALONE, TOGETHER = "▲", "▼"
"""Signs of the two decisions, as they stand in the graph: above the row and below it."""
LEGEND = (
    f"{BROKEN} red, dashed: breaks the constraint it names. {RIGHT} in gold, {WRONG} not in gold."
    f" {MISSED} grey, dotted: in gold, not decided. Click for options."
)
LEDGER_SHARES = ("F1 with", "F1 without", "F1 at best")
CANNOT_HOLD = "Some sentence of this corpus cannot keep these constraints: there are no scores of the whole."

RUNGS = {
    "search": "exact search",
    "lp": "linear program, integral by itself",
    "milp": "integer program, because the LP was fractional",
    "cbc": "CBC",
}


# What the address holds: switched-off constraints and changed weights, by position


def changed(constraints: Sequence[Constraint], off: str | None, weights: str | None) -> tuple[Constraint, ...]:
    """The constraints with the switches and weights of the address; what does not parse is ignored, as anybody can
    write an address."""
    made = tuple(constraints)
    for index in _integers(off):
        if index < len(constraints):
            made = with_switch(made, constraints[index].name, on=not constraints[index].enabled)
    for piece in (weights or "").split(","):
        place, colon, text = piece.partition(":")
        if colon and place.isdigit() and int(place) < len(constraints):
            weight = _weight(text)
            if text == "hard" or weight is not None:
                made = with_weight(made, constraints[int(place)].name, weight)
    return made


def address(own: Sequence[Constraint], wanted: Sequence[Constraint]) -> tuple[str | None, str | None]:
    """What to write into the address so that `changed` gives the wanted constraints back."""
    off = [str(i) for i, (a, b) in enumerate(zip(own, wanted, strict=True)) if a.enabled != b.enabled]
    weights = [
        f"{i}:{'hard' if b.weight is None else repr(b.weight)}"
        for i, (a, b) in enumerate(zip(own, wanted, strict=True))
        if a.weight != b.weight
    ]
    return ",".join(off) or None, ",".join(weights) or None


def with_forced(constraints: Sequence[Constraint], relation: str | None) -> tuple[Constraint, ...]:
    """The constraints, and the demand that the relation holds somewhere in the sentence."""
    if relation is None:
        return tuple(constraints)
    return (*constraints, Count(name=f"{FORCED}: {relation}", relation=relation, at_least=1))


def _integers(text: str | None) -> list[int]:
    return [int(piece) for piece in (text or "").split(",") if piece.isdigit()]


def _weight(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0.0 <= value < math.inf else None


# Tables and sentences


def verdict(trace: JointTrace) -> str:
    """One line in our own words: what agreeing cost and which rung answered."""
    lost = trace.before_score - trace.objective
    pieces = [
        f"cost {layout.three(-trace.before_score)} alone, {layout.three(trace.cost)} together"
        f" (agreeing costs {layout.three(_clean(lost))})",
        RUNGS[trace.rung],
        f"LP {'integral' if trace.integral else 'fractional'}, gap {layout.three(_clean(trace.gap))}",
    ]
    n = len(trace.before_violations)
    pieces.insert(0, f"{n} violation{'' if n == 1 else 's'} before, {len(trace.after_violations)} after")
    return " · ".join(pieces)


def totals_line(what: str, totals: Mapping[str, float]) -> str:
    """The scores of a corpus in one line."""
    return (
        f"{what}: relations P {layout.percent(totals['precision'])} R {layout.percent(totals['recall'])}"
        f" F {layout.percent(totals['f1'])}, types {layout.percent(totals['types'])} % right"
    )


def _clean(number: float) -> float:
    """0 where rounding left a trace of something."""
    return number if number > 1e-9 else 0.0


def switch_rows(trace: JointTrace, constraints: Sequence[Constraint]) -> list[Switch]:
    """One switch per constraint, with what it says about this sentence."""
    before_counts = _counts(trace.before_violations)
    after_counts = _counts(trace.after_violations)
    return [
        Switch(
            name=one.name,
            on=one.enabled,
            weight=one.weight,
            alone=before_counts.get(one.name, 0),
            together=after_counts.get(one.name, 0),
            binds=one.name in trace.binding,
        )
        for one in constraints
    ]


def _counts(found: Sequence[Violation]) -> dict[str, int]:
    out: dict[str, int] = {}
    for violation in found:
        out[violation.name] = out.get(violation.name, 0) + 1
    return out


def violation_rows(trace: JointTrace) -> list[dict[str, Any]]:
    rows = []
    for when, found in (("before", trace.before_violations), ("after", trace.after_violations)):
        for v in found:
            where = [trace.surfaces[i] for i in v.nodes]
            where += [f"{trace.surfaces[trace.pairs[p][0]]} → {trace.surfaces[trace.pairs[p][1]]}" for p in v.pairs]
            rows.append(
                {
                    "when": when,
                    "constraint": v.name,
                    "what": v.text,
                    "where": "; ".join(where),
                    "price": None if v.hard else v.price,
                }
            )
    return rows


def decision_rows(trace: JointTrace) -> list[dict[str, Any]]:
    """Every variable whose decision, gold or LP value is not simply none."""
    rows = []
    for i, surface in enumerate(trace.surfaces):
        gold = trace.space.types[trace.gold_types[i]] if trace.gold_types[i] >= 0 else None
        rows.append(
            _decision(surface, trace.type_scores[i], trace.before_types[i], trace.after_types[i], gold,
                      trace.relaxed_types[i], trace.space.types)
        )  # fmt: skip
    for p, (i, j) in enumerate(trace.pairs):
        fractional = bool(np.any(np.abs(trace.relaxed_labels[p] - np.round(trace.relaxed_labels[p])) > WHOLE))
        if not (trace.before_labels[p] or trace.after_labels[p] or trace.gold_labels[p] or fractional):
            continue
        scores = trace.label_scores[p].copy()
        scores[0] += trace.bias
        gold = trace.space.labels[trace.gold_labels[p]]
        rows.append(
            _decision(f"{trace.surfaces[i]} → {trace.surfaces[j]}", scores, trace.before_labels[p],
                      trace.after_labels[p], gold, trace.relaxed_labels[p], trace.space.labels)
        )  # fmt: skip
    return rows


def _decision(
    what: str,
    scores: Any,
    first: int,
    last: int,
    gold: str | None,
    relaxed: Any,
    names: Sequence[str],
) -> dict[str, Any]:
    fractions = [f"{names[k]} {relaxed[k]:.2f}" for k in np.argsort(-relaxed) if WHOLE < relaxed[k] < 1 - WHOLE]
    sign = (
        "" if gold is None else RIGHT if names[last] == gold else MISSED if names[last] == names[0] == "none" else WRONG
    )
    return {
        "what": what,
        "alone": names[first],
        "together": names[last],
        "gold": gold,
        "": sign,
        "cost alone": float(-scores[first]),
        "cost together": float(-scores[last]),
        "LP values": ", ".join(fractions) or "whole",
    }


def label_rows(trace: JointTrace, selected: str) -> tuple[str, list[dict[str, Any]]]:
    """The options of what is selected: probability, cost with the bias, LP value, and signs."""
    kind, index = selected[0], int(selected[1:])
    if kind == "n":
        what, names, scores = trace.surfaces[index], trace.space.types, trace.type_scores[index]
        relaxed, first, last, gold = (
            trace.relaxed_types[index],
            trace.before_types[index],
            trace.after_types[index],
            trace.gold_types[index],
        )
        costs = -scores
    else:
        i, j = trace.pairs[index]
        what, names, scores = (
            f"{trace.surfaces[i]} → {trace.surfaces[j]}",
            trace.space.labels,
            trace.label_scores[index],
        )
        relaxed, first, last, gold = (
            trace.relaxed_labels[index],
            trace.before_labels[index],
            trace.after_labels[index],
            trace.gold_labels[index],
        )
        costs = -scores.copy()
        costs[0] -= trace.bias
    rows = [
        {
            "option": names[k],
            "": (ALONE if k == first else "") + (TOGETHER if k == last else "") + (RIGHT if k == gold else ""),
            "p": float(np.exp(scores[k])),
            "cost": float(costs[k]),
            "LP": float(relaxed[k]),
        }
        for k in np.argsort(costs)
    ]
    return what, rows


def with_flips(rows: Sequence[dict[str, Any]], why: Why) -> list[dict[str, Any]]:
    """The options with the change of each one's score alone that would flip the decision."""
    change = {flip.option: flip.change for flip in why.flips}
    return [{**row, "flips": change[str(row["option"])]} for row in rows]


def runner_up(why: Why) -> str:
    """The best structure that decides otherwise here, in one sentence."""
    if why.margin is None:
        return f"Nothing else is legal here: {why.chosen} stays whatever it scores."
    more = "; ".join(f"{what}: {now} → {then}" for what, now, then in why.changes[:4])
    also = f" With it would change: {more}." if more else ""
    return f"{why.chosen} leads by {layout.three(why.margin)}; the runner-up says {why.rival}.{also}"


def shares(why: Why) -> list[Contribution]:
    return [Contribution(layout.visible(share.feature), share.adds) for share in why.shares if share.adds]


def places(trace: JointTrace) -> list[tuple[int, int, str]]:
    """Mentions, and pairs from their first to their last argument (related ones first), with their keys."""
    related = sorted(range(len(trace.pairs)), key=lambda p: not trace.after_labels[p])
    hulls = []
    for p in related:
        (a, b), (c, d) = (trace.spans[side] for side in trace.pairs[p])
        hulls.append((min(a, c), max(b, d), f"p{p}"))
    return [(start, end, f"n{i}") for i, (start, end) in enumerate(trace.spans)] + hulls


def is_key(trace: JointTrace, key: str | None) -> bool:
    """Whether a selection from the address names a node or pair of this sentence."""
    if not key or key[0] not in "np" or not key[1:].isdigit():
        return False
    return int(key[1:]) < (len(trace.spans) if key[0] == "n" else len(trace.pairs))


def ends(trace: JointTrace, key: str | None) -> tuple[int, ...]:
    """The two mentions of a selected pair, which has no arrow where nothing is said of it."""
    return trace.pairs[int(key[1:])] if key and key[0] == "p" else ()


def first_shown(trace: JointTrace, where: str) -> str | None:
    """What to explain when nothing is selected. It stays until another document is on screen: a switched constraint
    makes other decisions doubtful, and must not change what the user is looking at."""
    place = f"{where} {trace.document}"
    kept, key = session.value("joint.first_shown", (None, None))
    if kept != place or not is_key(trace, key):
        key = most_doubtful(trace)
        session.keep("joint.first_shown", (place, key))
    return str(key) if key is not None else None


def most_doubtful(trace: JointTrace) -> str | None:
    """A broken pair, else the decision with the smallest margin."""
    for violation in trace.before_violations:
        if violation.pairs:
            return f"p{violation.pairs[0]}"
    best: tuple[float, str] | None = None
    for i, row in enumerate(trace.type_scores):
        best = _closer(best, row, f"n{i}")
    for p, row in enumerate(trace.label_scores):
        biased = row.copy()
        biased[0] += trace.bias
        best = _closer(best, biased, f"p{p}")
    return None if best is None else best[1]


def _closer(best: tuple[float, str] | None, row: Any, key: str) -> tuple[float, str] | None:
    if len(row) < 2:
        return best
    top = np.sort(row)[-2:]
    margin = float(top[1] - top[0])
    return (margin, key) if best is None or margin < best[0] else best


def ledger_rows(rows: Sequence[LedgerRow]) -> list[dict[str, Any]]:
    return [ledger_row(row) for row in rows]
