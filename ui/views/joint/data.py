"""The data of the Joint page, without drawing: tables of options, costs and LP values, violations, switches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from engine.arrays import Floats
from engine.data.pins import Pin, RelationPin, TypePin
from engine.tasks.joint.constraints import Constraint
from engine.tasks.joint.constraints.together import Violation
from engine.tasks.joint.explain import JointExplanation
from engine.tasks.joint.trace import JointTrace
from engine.tasks.joint.what_if.ledger import Integrality, LedgerRow, Totals, ledger_row
from engine.tasks.joint.what_if.runner_up import RunnerUp
from ui.components.bars import Contribution
from ui.components.switches import Switch
from ui.shell import layout
from ui.tab.palette import MISSED, RIGHT, WRONG
from ui.views.joint import words

WHOLE: Final = 1e-6
LEDGER_SHARES: Final = ("F1 with", "F1 without", "F1 at best")


def verdict(trace: JointTrace) -> str:
    """One line on the outcome: the cost of consistency and the solver that answered."""
    lost = trace.before_score - trace.objective
    pieces = [
        f"cost {layout.three(-trace.before_score)} alone, {layout.three(trace.cost)} together"
        f" (agreeing costs {layout.three(_clean(lost))})",
        words.RUNGS[trace.rung],
        f"LP {'integral' if trace.integral else 'fractional'}, gap {layout.three(_clean(trace.gap))}",
    ]
    n = len(trace.before_violations)
    pieces.insert(0, f"{n} violation{'' if n == 1 else 's'} before, {len(trace.after_violations)} after")
    return " · ".join(pieces)


def totals_line(what: str, totals: Totals) -> str:
    """The scores of a corpus in one line."""
    return (
        f"{what}: relations P {layout.percent(totals.precision)} R {layout.percent(totals.recall)}"
        f" F {layout.percent(totals.f1)}, types {layout.percent(totals.types)} % right"
    )


def _clean(number: float) -> float:
    """The number, or zero if it is only a rounding error."""
    return number if number > 1e-9 else 0.0


def switch_rows(trace: JointTrace, constraints: Sequence[Constraint]) -> list[Switch]:
    """One switch per constraint, with its effect on this sentence."""
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


def _arrow(trace: JointTrace, pair: int) -> str:
    """A pair in words."""
    i, j = trace.pairs[pair]
    return f"{trace.surfaces[i]} → {trace.surfaces[j]}"


def violation_rows(trace: JointTrace) -> list[dict[str, Any]]:
    rows = []
    for when, found in (("before", trace.before_violations), ("after", trace.after_violations)):
        for v in found:
            where = [trace.surfaces[i] for i in v.nodes]
            where += [_arrow(trace, p) for p in v.pairs]
            rows.append(
                {
                    "when": when,
                    "constraint": v.name,
                    "what": v.text,
                    "where": "; ".join(where),
                    "price": "hard" if v.hard else layout.three(v.price),
                }
            )
    return rows


@dataclass(frozen=True, eq=False)
class Decision:
    """One mention or pair: its options, their scores with the bias, and which was chosen before and after."""

    names: Sequence[str]
    probabilities: Floats
    scores: Floats
    relaxed: Floats
    before: int
    after: int
    gold: int
    """-1 if there is no gold."""

    @property
    def is_fractional(self) -> bool:
        return bool(np.any(np.abs(self.relaxed - np.round(self.relaxed)) > WHOLE))


def _of_node(trace: JointTrace, i: int) -> Decision:
    scores = trace.type_scores[i]
    chosen = int(trace.before_types[i]), int(trace.after_types[i]), int(trace.gold_types[i])
    return Decision(trace.space.types, np.exp(scores), scores, trace.relaxed_types[i], *chosen)


def _of_pair(trace: JointTrace, p: int) -> Decision:
    biased = trace.label_scores[p].copy()
    biased[0] += trace.bias
    gold = int(trace.gold_labels[p]) if trace.has_gold else -1
    chosen = int(trace.before_labels[p]), int(trace.after_labels[p]), gold
    return Decision(trace.space.labels, np.exp(trace.label_scores[p]), biased, trace.relaxed_labels[p], *chosen)


def decision_rows(trace: JointTrace) -> list[dict[str, Any]]:
    """Every mention, and every pair whose decision, gold or LP value is not simply none."""
    rows = [_row(surface, _of_node(trace, i)) for i, surface in enumerate(trace.surfaces)]
    for p in range(len(trace.pairs)):
        one = _of_pair(trace, p)
        if one.before or one.after or one.gold > 0 or one.is_fractional:
            rows.append(_row(_arrow(trace, p), one))
    return rows


def _row(what: str, one: Decision) -> dict[str, Any]:
    names, last = one.names, one.after
    gold = names[one.gold] if one.gold >= 0 else None
    fractions = [
        f"{names[k]} {one.relaxed[k]:.2f}" for k in np.argsort(-one.relaxed) if WHOLE < one.relaxed[k] < 1 - WHOLE
    ]
    sign = (
        "" if gold is None else RIGHT if names[last] == gold else MISSED if names[last] == names[0] == "none" else WRONG
    )
    return {
        "what": what,
        "alone": names[one.before],
        "together": names[last],
        "gold": gold or "",
        "": sign,
        "cost alone": float(-one.scores[one.before]),
        "cost together": float(-one.scores[last]),
        "LP values": ", ".join(fractions) or "whole",
    }


def option_rows(trace: JointTrace, selected: str) -> tuple[str, list[dict[str, Any]]]:
    """The options of the selected item: probability, cost with the bias, LP value, and signs."""
    index = int(selected[1:])
    if selected[0] == "n":
        what, one = trace.surfaces[index], _of_node(trace, index)
    else:
        what, one = _arrow(trace, index), _of_pair(trace, index)
    signs = ((words.ALONE, one.before), (words.TOGETHER, one.after), (RIGHT, one.gold))
    rows = [
        {
            "option": one.names[k],
            "": "".join(sign for sign, chosen in signs if k == chosen),
            "p": float(one.probabilities[k]),
            "cost": float(-one.scores[k]),
            "LP": float(one.relaxed[k]),
        }
        for k in np.argsort(-one.scores)
    ]
    return what, rows


def is_split(rows: Sequence[dict[str, Any]]) -> bool:
    """Whether the LP chose a mixture of these options instead of one."""
    return any(min(row["LP"], 1 - row["LP"]) > WHOLE for row in rows)


def with_flips(rows: Sequence[dict[str, Any]], why: RunnerUp) -> list[dict[str, Any]]:
    """The options, each with the change of its score alone that would flip the decision."""
    change = {flip.option: flip.change for flip in why.flips}
    told = {name: None if by is None else layout.with_minus(f"{by:+.2f}") for name, by in change.items()}
    return [{**row, "flips": told[str(row["option"])]} for row in rows]


def runner_up(why: RunnerUp) -> str:
    """The best structure that decides differently here, in one sentence."""
    if why.margin is None:
        return f"Nothing else is legal here: {why.chosen} stays whatever it scores."
    more = "; ".join(f"{change.what}: {change.now} → {change.then}" for change in why.changes[:4])
    also = f" With it would change: {more}." if more else ""
    return f"{why.chosen} leads by {layout.three(why.margin)}; the runner-up says {why.rival}.{also}"


def shares(told: JointExplanation) -> list[Contribution]:
    """The contributions to the log-odds, without features that add nothing."""
    own = [Contribution(layout.visible(one.name), one.adds) for one in told.contributions if one.adds]
    return [Contribution(words.COMMON, told.base), *own] if told.base else own


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
    """The two mentions of a selected pair, which has no arrow if it has no relation."""
    return trace.pairs[int(key[1:])] if key and key[0] == "p" else ()


def key_of(trace: JointTrace, part: int) -> str:
    """The key of the mention or pair to which a part belongs as an option."""
    numbering = trace.numbering
    if part < numbering.n_type_parts:
        return f"n{part // numbering.n_types}"
    return f"p{(part - numbering.n_type_parts) // numbering.n_labels}"


def part_of(trace: JointTrace, key: str) -> int:
    """A part of the mention or pair with the key."""
    index = int(key[1:])
    return trace.numbering.node(index, 0) if key[0] == "n" else trace.numbering.pair(index, 0)


def pin(trace: JointTrace, key: str, option: str, *, holds: bool) -> Pin:
    """The pin that forces or forbids an option of the selected item."""
    index = int(key[1:])
    if key[0] == "n":
        return TypePin(trace.spans[index], option, holds)
    head, tail = (trace.spans[k] for k in trace.pairs[index])
    return RelationPin(head, tail, option, holds)


def ledger_rows(rows: Sequence[LedgerRow]) -> list[dict[str, Any]]:
    return [ledger_row(row) for row in rows]


def integral_line(found: Integrality) -> str:
    """How often the LP was integral, in one line."""
    return words.INTEGRAL.format(
        integral=layout.count(found.integral),
        sentences=layout.count(found.sentences),
        share=layout.percent(found.share),
        gap=layout.three(round(found.largest_gap, 9)),
    )
