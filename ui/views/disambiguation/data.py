"""What the disambiguation page draws of a trace: spans, columns of the beam, tables, the sentence on an error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from engine.data.document import NIL
from engine.data.pins import LinkPin, Pin
from engine.tasks.disambiguation.explanation import Explanation
from engine.tasks.disambiguation.trace import BeamTrace, Decision, Pass
from ui.components.bars import Contribution
from ui.components.beam import Cell, Column
from ui.components.text import DrawnSpan
from ui.shell import layout
from ui.shell.palette import MISSED, RIGHT, WRONG

FORBIDDEN: Final = "⊘"
"""A candidate that a pin rules out."""
CAPTION: Final = (
    "Blue: chosen. ✓ green: right. Dashed: pruned. Bars: share of the beam. ← and → step through the document. "
    "With two directions, sequences are kept by score plus what the other direction found."
)


def spans(trace: BeamTrace, pins: Sequence[Pin]) -> list[DrawnSpan]:
    """One bar per mention with what was chosen, and one more where gold says something else."""
    pinned = {pin.span for pin in pins if isinstance(pin, LinkPin)}
    drawn = []
    for m, decision in enumerate(trace.decisions):
        span = (decision.start, decision.end)
        same = decision.gold == decision.entity
        drawn.append(
            DrawnSpan(
                key=f"m{m}",
                start=decision.start,
                end=decision.end,
                label=layout.visible(decision.entity) if decision.entity != NIL else "NIL",
                gold=same,
                predicted=decision.entity != NIL,
                weight=decision.confidence,
                pinned=span in pinned,
            )
        )
        if not same and decision.gold is not None and decision.gold != NIL:
            drawn.append(
                DrawnSpan(
                    key=f"m{m}.gold",
                    start=decision.start,
                    end=decision.end,
                    label=layout.visible(decision.gold),
                    gold=True,
                    colour=2,
                )
            )
    return drawn


def columns(trace: BeamTrace, one: Pass) -> list[Column]:
    """The steps of a direction as the beam component takes them."""
    out = []
    for t, step in enumerate(one.steps):
        decision = trace.decisions[step.mention]
        place = {option.entity: i for i, option in enumerate(decision.options)}
        cells = [
            Cell(
                key=f"m{step.mention}.{place.get(hypothesis.entity, NIL)}",
                entity="NIL" if hypothesis.entity == NIL else hypothesis.entity,
                parent=hypothesis.parent if t else -1,
                score=hypothesis.score,
                added=hypothesis.added,
                probability=hypothesis.probability,
                kept=hypothesis.kept,
                gold=hypothesis.gold,
                chosen=hypothesis.chosen,
                ahead=hypothesis.ahead if len(trace.passes) > 1 and np.isfinite(hypothesis.ahead) else None,
            )
            for hypothesis in step.hypotheses
        ]
        out.append(
            Column(
                f"m{step.mention}",
                decision.surface,
                cells,
                step.n_expansions,
                step.gold_rank,
                one.gold_fell_at == t,
                step.pinned_away,
            )
        )
    return out


def chosen_mention(trace: BeamTrace, selected: str | None) -> tuple[int, int | None]:
    """Mention and candidate that a selection means (None: the candidate that was chosen); else the first mention.

    Anybody can write an address, so what does not fit counts as nothing.
    """
    head, _, tail = (selected or "m0").partition(".")
    m = int(head[1:]) if head[:1] == "m" and head[1:].isdigit() else 0
    m = m if m < len(trace.decisions) else 0
    option = int(tail) if tail.isdigit() else None
    if tail == "gold":
        gold = trace.decisions[m].gold
        option = next((i for i, o in enumerate(trace.decisions[m].options) if o.entity == gold), None)
    if option is not None and (not trace.decisions or option >= len(trace.decisions[m].options)):
        option = None
    return m, option


def verdict(trace: BeamTrace) -> str:
    """One sentence on the outcome, of our own words and numbers only."""
    if trace.verdict == "no gold":
        return "These mentions have no gold links, so there is nothing to compare with."
    if trace.verdict == "right":
        return f"{RIGHT} Every linked mention is right."
    wrong = sum(d.gold not in (None, NIL) and d.gold != d.entity for d in trace.decisions)
    away = pinned_away(trace)
    lead = f"{WRONG} {layout.counted(wrong, 'mention')} wrong. "
    if trace.verdict == "pinned away":
        pin = "your pin forbids the right one" if away == 1 else f"your pins forbid {away} right ones"
        return lead + f"**Pinned away**: {pin}; neither the model nor the search is to blame."
    if away:
        lead += f"Your pins forbid the right one at {away} of them; as for the rest: "
    if trace.verdict == "model error" or trace.gold_score is None:
        score = "" if trace.gold_score is None else layout.three(trace.gold_score)
        return lead + f"**Model error**: the right sequence scores {score}, the chosen one {layout.three(trace.score)}."
    kept = (
        f"a beam of {trace.width_needed} keeps it."
        if trace.width_needed is not None
        else "no beam that was tried keeps it."
    )
    return lead + (
        f"**Search error**: the right sequence scores {layout.three(trace.gold_score)}, more than the chosen one"
        f" ({layout.three(trace.score)}), but the beam of {trace.width} pruned it; {kept}"
    )


def pinned_away(trace: BeamTrace) -> int:
    """Mentions whose right entity a pin forbids."""
    return sum(option.gold and not option.allowed for decision in trace.decisions for option in decision.options)


def sign(decision: Decision) -> str:
    if decision.gold is None or decision.gold == NIL:
        return "" if decision.entity != NIL else RIGHT
    return RIGHT if decision.gold == decision.entity else MISSED if decision.entity == NIL else WRONG


def decision_rows(trace: BeamTrace) -> list[dict[str, Any]]:
    """The document as a table."""
    return [
        {
            "": sign(d),
            "mention": layout.visible(d.surface),
            "choice": "NIL" if d.entity == NIL else layout.visible(d.entity),
            "gold": "" if d.gold is None else "NIL" if d.gold == NIL else layout.visible(d.gold),
            "confidence": d.confidence,
            "candidates": len(d.options),
        }
        for d in trace.decisions
    ]


def option_rows(decision: Decision) -> list[dict[str, Any]]:
    return [
        {
            "": (RIGHT if option.gold else "") + ("●" if option.chosen else "") + ("" if option.allowed else FORBIDDEN),
            "candidate": layout.visible(option.entity),
            "probability": option.probability,
            "score": option.score,
        }
        for option in decision.options
    ]


def runner_up(decision: Decision, bias: float) -> str:
    """Who came second at this mention, by how much, and what would flip it, the other decisions as they are."""
    if not decision.options:
        return "There is no candidate, so nothing but NIL can be said."
    best = sorted((option for option in decision.options if option.allowed), key=lambda option: -option.score)
    forbidden = len(decision.options) - len(best)
    if not best:
        return "Your pin leaves nothing but NIL."
    if decision.entity == NIL:
        lead = decision.nil + bias - float(np.log(max(best[0].probability, 1e-9)))
        return (
            f"NIL leads {layout.visible(best[0].entity)} by {layout.three(lead)} log-odds;"
            f" it flips if the bias falls by that."
        )
    chosen = next((option for option in decision.options if option.chosen), best[0])
    rivals = [option for option in best if option is not chosen]
    if not rivals:
        left = "the only candidate that your pin leaves" if forbidden else "the only candidate"
        return f"{layout.visible(chosen.entity)} is {left}."
    margin = chosen.score - rivals[0].score
    if margin < 0:
        return (
            f"{layout.visible(rivals[0].entity)} scores higher by {layout.three(-margin)} here, but the rest of the"
            " document made up for it."
        )
    return (
        f"{layout.visible(chosen.entity)} leads {layout.visible(rivals[0].entity)} by {layout.three(margin)}; it flips"
        " if its score falls by that, the other decisions as they are."
    )


def contributions(why: Explanation) -> list[Contribution]:
    return [
        Contribution(name, share, value, f"{group} feature")
        for name, group, value, share in why.features
        if abs(share) > 1e-9
    ]


def support_rows(why: Explanation) -> list[dict[str, Any]]:
    """Earlier decisions that something ties to the candidate."""
    return [
        {
            "decided before": f"{layout.visible(s.surface)} → {layout.visible(s.entity)}",
            "what ties them": ", ".join(
                name if value > 0.995 else f"{name} {layout.three(value)}" for name, value in s.channels
            ),
        }
        for s in why.support
    ]


def sequence_rows(trace: BeamTrace) -> list[dict[str, Any]]:
    """The k best sequences: what each says where they differ."""
    if not trace.k_best:
        return []
    first = trace.k_best[0][2]
    rows = []
    for score, share, entities in trace.k_best:
        different = [
            f"{layout.visible(trace.decisions[m].surface)}: {'NIL' if e == NIL else layout.visible(e)}"
            for m, (e, best) in enumerate(zip(entities, first, strict=True))
            if e != best
        ]
        rows.append({"probability": share, "score": score, "differs in": "; ".join(different) or "the chosen one"})
    return rows
