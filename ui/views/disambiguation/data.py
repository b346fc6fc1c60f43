"""The data of the Disambiguation page, without drawing: spans, columns of the beam, tables, the sentence on an
error."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from engine.data.document import NIL
from engine.data.pins import LinkPin, Pin
from engine.tasks.disambiguation.explain import DisambiguationExplanation
from engine.tasks.disambiguation.search.passes import Pass
from engine.tasks.disambiguation.trace import Decision, DisambiguationTrace
from ui.components.bars import Contribution
from ui.components.beam import Cell, Column
from ui.components.text import DrawnSpan
from ui.shell import layout
from ui.tab.palette import MISSED, RIGHT, WRONG
from ui.views.disambiguation import words

FORBIDDEN: Final = "⊘"
"""A candidate that a pin rules out."""


class Selected(NamedTuple):
    """The selection: a mention, and one of its candidates (None: the chosen one)."""

    mention: int
    option: int | None

    @property
    def key(self) -> str:
        return f"m{self.mention}" if self.option is None else f"m{self.mention}.{self.option}"


def places(trace: DisambiguationTrace) -> Iterator[tuple[int, int, str]]:
    """The spans of the mentions, with their keys."""
    return ((decision.start, decision.end, f"m{m}") for m, decision in enumerate(trace.decisions))


def spans(trace: DisambiguationTrace, pins: Sequence[Pin]) -> list[DrawnSpan]:
    """One bar per mention with the chosen entity, and another one if gold differs."""
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


def columns(trace: DisambiguationTrace, one: Pass) -> list[Column]:
    """The steps of a direction, for the beam component."""
    # Where gold says nothing, the search followed its own choices in place of gold.
    judged = trace.verdict != "no gold"
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
                gold=judged and hypothesis.gold and not decision.is_out_of_reach,
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
                judged and one.gold_fell_at == t,
                step.pinned_away,
                decision.is_out_of_reach,
                judged,
            )
        )
    return out


def selected(trace: DisambiguationTrace, key: str | None) -> Selected:
    """The mention and candidate of a selection; by default the first wrong mention or, if none is wrong, the most
    doubtful one.

    Anybody can write an address, so an invalid selection counts as none.
    """
    head, _, tail = (key or "").partition(".")
    m = int(head[1:]) if head[:1] == "m" and head[1:].isdigit() else len(trace.decisions)
    if m >= len(trace.decisions):
        m, tail = _worth_a_look(trace), ""
    options = trace.decisions[m].options if trace.decisions else ()
    if tail == "gold":
        return Selected(m, next((i for i, option in enumerate(options) if option.gold), None))
    option = int(tail) if tail.isdigit() else len(options)
    return Selected(m, option if option < len(options) else None)


def _worth_a_look(trace: DisambiguationTrace) -> int:
    judged = ((m, one) for m, one in enumerate(trace.decisions) if one.gold is not None and one.gold != NIL)
    wrong = next((m for m, one in judged if one.entity != one.gold), None)
    if wrong is not None or not trace.decisions:
        return wrong or 0
    return min(range(len(trace.decisions)), key=lambda m: trace.decisions[m].confidence)


def verdict(trace: DisambiguationTrace) -> str:
    """One sentence on the outcome, without any text from documents."""
    if trace.verdict == "no gold":
        return words.NOT_JUDGED
    if trace.verdict == "right":
        return f"{RIGHT} Every linked mention is right."
    away = trace.n_pinned_away
    lead = f"{WRONG} {layout.counted(trace.n_wrong, 'mention')} wrong. "
    if trace.verdict == "pinned away":
        pin = "your pin forbids the right one" if away == 1 else f"your pins forbid {away} right ones"
        return lead + f"**Pinned away**: {pin}; neither the model nor the search is to blame."
    if trace.verdict == "candidate missing":
        return lead + "**Candidate missing**: the right entity was not proposed, so no score could choose it."
    if trace.n_out_of_reach:
        lead += f"The right one is no candidate at {trace.n_out_of_reach} of them; as for the rest: "
    if away:
        lead += f"Your pins forbid the right one at {away} of them; as for the rest: "
    if trace.verdict == "model error" or trace.gold_score is None:
        score = "" if trace.gold_score is None else layout.three(trace.gold_score)
        return lead + f"**Model error**: the right sequence scores {score}, the chosen one {layout.three(trace.score)}."
    if trace.gold_score <= trace.score:
        return lead + (
            f"**Search error**: a sequence that is right at one mention more scores more than the chosen one"
            f" ({layout.three(trace.score)}), but the beam of {trace.width} pruned it; pin that mention to see it."
        )
    kept = (
        f"a beam of {trace.width_needed} keeps it."
        if trace.width_needed is not None
        else "no beam that was tried keeps it."
    )
    return lead + (
        f"**Search error**: the right sequence scores {layout.three(trace.gold_score)}, more than the chosen one"
        f" ({layout.three(trace.score)}), but the beam of {trace.width} pruned it; {kept}"
    )


def sign(decision: Decision) -> str:
    if decision.gold is None:
        return ""  # gold says nothing about it
    if decision.gold == NIL:
        return "" if decision.entity != NIL else RIGHT
    return RIGHT if decision.gold == decision.entity else MISSED if decision.entity == NIL else WRONG


def decision_rows(trace: DisambiguationTrace) -> list[dict[str, Any]]:
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


def runner_up(decision: Decision) -> str:
    """The second choice for this mention, its distance, and what would flip the decision with all others unchanged."""
    name = "NIL" if decision.entity == NIL else layout.visible(decision.entity)
    allowed = [option for option in decision.options if option.allowed]
    if not decision.options and decision.entity == NIL:
        return "There is no candidate, so nothing but NIL can be said."
    if not allowed:
        return f"Your pin leaves nothing but {name}."
    second = decision.runner_up
    if second is None:
        left = (
            "the only candidate that your pin leaves" if len(allowed) < len(decision.options) else "the only candidate"
        )
        return f"{name} is {left}."
    other, lead = layout.visible(second.entity), layout.three(abs(second.lead))
    if decision.entity == NIL:
        return f"NIL leads {other} by {layout.three(second.lead)} log-odds; it flips if the bias falls by that."
    if second.lead < 0:
        return f"{other} scores higher by {lead} here, but the rest of the document made up for it."
    return f"{name} leads {other} by {lead}; it flips if its score falls by that, the other decisions as they are."


def contributions(why: DisambiguationExplanation) -> list[Contribution]:
    return [
        Contribution(one.name, one.adds, one.value, f"{one.group} feature")
        for one in why.contributions
        if one.adds is not None and abs(one.adds) > 1e-9
    ]


def support_rows(why: DisambiguationExplanation) -> list[dict[str, Any]]:
    """Earlier decisions with a tie to the candidate."""
    return [
        {
            "decided before": f"{layout.visible(s.surface)} → {layout.visible(s.entity)}",
            "what ties them": ", ".join(
                name if value > 0.995 else f"{name} {layout.three(value)}" for name, value in s.channels
            ),
        }
        for s in why.support
    ]


def sequence_rows(trace: DisambiguationTrace) -> list[dict[str, Any]]:
    """The k best sequences, at the mentions where they differ."""
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
