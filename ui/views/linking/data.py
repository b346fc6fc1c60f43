"""The data of the Linking page, without drawing: the lattice and tables of a trace."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from engine.data.pins import LinkPin, Pin
from engine.tasks.explanation import Explanation
from engine.tasks.linking.trace import CandidateTrace, LinkingTrace
from ui.components.bars import Contribution
from ui.shell.layout import three, visible


def lattice_data(trace: LinkingTrace, *, selected: str | None, run: str, judged: bool) -> dict[str, Any]:
    """Tokens, and the candidates of each span, likeliest first. A text without annotation is not judged."""
    golds: dict[int, list[int]] = {}
    for number, gold in enumerate(trace.gold):
        for id in gold.candidates:
            golds.setdefault(id, []).append(number)
    blocks: dict[tuple[int, int], list[CandidateTrace]] = {}
    for candidate in trace.candidates:
        blocks.setdefault((candidate.first, candidate.last), []).append(candidate)
    body = {
        "tokens": [token.text for token in trace.tokens],
        "blocks": [
            {
                "key": f"{first}-{last}",
                "first": first,
                "last": last,
                "surface": found[0].surface,
                "candidates": [
                    _candidate(trace, one, golds.get(one.id, []))
                    for one in sorted(found, key=lambda c: (-c.marginal, -c.score, c.entity))
                ],
            }
            for (first, last), found in sorted(blocks.items())
        ],
        "gold": [
            {"entity": gold.entity, "reachable": bool(gold.candidates), **_token_range(trace, gold.start, gold.end)}
            for gold in trace.gold
        ],
        "judged": judged,
    }
    # Nodes are rebuilt only when this changes; the knob and the selection only repaint them.
    version = hashlib.blake2b(json.dumps(body, sort_keys=True).encode(), digest_size=12).hexdigest()
    return {
        **body,
        "doc": trace.document,
        "version": f"{trace.document} {version}",
        "selected": selected,
        "bias": trace.bias,
        "run": run,
    }


def _candidate(trace: LinkingTrace, one: CandidateTrace, golds: list[int]) -> dict[str, Any]:
    """One candidate. `golds`: the numbers of the gold mentions that it finds if chosen; `exact`: those with exactly its
    span."""
    span = (one.start, one.end)
    return {
        "id": one.id,
        "entity": one.entity.replace("_", " "),
        "known": one.known,
        "score": one.score,
        "marginal": one.marginal,
        "chosen": one.chosen,
        "golds": golds,
        "exact": [n for n in golds if (trace.gold[n].start, trace.gold[n].end) == span],
        "pinned": one.pinned,
        "on": [list(stretch) for stretch in one.on],
    }


def _token_range(trace: LinkingTrace, start: int, end: int) -> dict[str, int]:
    inside = [i for i, token in enumerate(trace.tokens) if token.start < end and start < token.end]
    return {"first": inside[0], "last": inside[-1] + 1} if inside else {"first": 0, "last": 1}


def candidate(trace: LinkingTrace, id: str | None) -> CandidateTrace | None:
    if id is None or not id.isdigit() or int(id) >= len(trace.candidates):
        return None
    return trace.candidates[int(id)]


def places(trace: LinkingTrace) -> list[tuple[int, int, str]]:
    """The spans and keys of candidates: chosen ones first, then gold, then by score."""
    order = sorted(trace.candidates, key=lambda one: (not one.chosen, not one.gold, -one.score))
    return [(one.start, one.end, str(one.id)) for one in order]


def place_of(trace: LinkingTrace, selected: str | None) -> tuple[int, int] | None:
    """The span of the selected candidate."""
    one = candidate(trace, selected)
    return None if one is None else (one.start, one.end)


def excluded(trace: LinkingTrace, one: CandidateTrace, most: int = 3) -> str:
    """The candidates that cannot be chosen together with this one, with the likeliest by name; empty if there are
    none."""
    rivals = sorted((trace.candidates[i] for i in one.blocks), key=lambda c: (-c.marginal, -c.score, c.id))
    if not rivals:
        return ""
    named = [c.entity if (c.start, c.end) == (one.start, one.end) else f"{c.surface} → {c.entity}" for c in rivals]
    rest = len(rivals) - most
    return "; ".join(named[:most]) + (f"; and {rest} more" if rest > 0 else "")


def contributions(why: Explanation) -> list[Contribution]:
    """What the features added; those that added nothing are left out."""
    return [Contribution(one.name, one.adds, one.value) for one in why.contributions if one.adds]


def is_explained(why: Explanation) -> bool:
    """Whether the contributions of the features are known."""
    return all(one.adds is not None for one in why.contributions)


def value_rows(why: Explanation) -> list[dict[str, Any]]:
    """The values of the features, if their contributions are unknown."""
    return [{"feature": one.name, "value": one.value} for one in why.contributions if one.value]


def doubtful_rows(trace: LinkingTrace) -> list[dict[str, Any]]:
    """The closest decisions, in the order in which they would flip. A name that occurs several times is told apart by
    the number of its first word."""
    places: dict[str, set[int]] = {}
    for one in trace.candidates:
        places.setdefault(one.surface, set()).add(one.first)
    rows = []
    for flip in trace.closest:
        one = trace.candidates[flip.candidate]
        which = f" (word {one.first + 1})" if len(places[one.surface]) > 1 else ""
        rows.append(
            {
                "": "●" if one.chosen else "",
                "link": f"{visible(one.surface)}{which} → {visible(one.entity)}",
                "%": 100 * one.marginal,
                "flips at": signed(flip.change),
            }
        )
    return rows


def signed(change: float) -> str:
    return f"{'+' if change > 0 else ''}{three(change)}"


def candidate_rows(trace: LinkingTrace, *, judged: bool) -> list[dict[str, Any]]:
    """The lattice as a table."""
    return [
        {
            "word": one.first + 1,
            "span": visible(one.surface),
            "entity": visible(one.entity),
            "guessed title": not one.known,
            "score": one.score,
            "probability, %": 100 * one.marginal,
            "chosen": one.chosen,
            **({"gold": one.gold} if judged else {}),
            "blocked by": visible(", ".join(trace.candidates[i].entity for i in one.blocked_by)),
        }
        for one in sorted(trace.candidates, key=lambda c: (c.first, c.last, -c.marginal))
    ]


def output_rows(trace: LinkingTrace) -> list[dict[str, Any]]:
    """The best outputs: the chosen one and the runners-up."""
    best = trace.k_best[0].score if trace.k_best else 0.0
    return [
        {
            "rank": rank,
            "score": output.score,
            "behind": best - output.score,
            "links": visible(
                "; ".join(f"{trace.candidates[i].surface} → {trace.candidates[i].entity}" for i in output.candidates)
            )
            or "nothing is linked",
        }
        for rank, output in enumerate(trace.k_best, 1)
    ]


def pin_for(one: CandidateTrace, kind: str) -> LinkPin:
    return LinkPin((one.start, one.end), one.entity, holds=kind == "pin")


def without_span(pins: Sequence[Pin], one: CandidateTrace) -> list[Pin]:
    """The pins on this candidate, to be removed."""
    return [
        pin
        for pin in pins
        if isinstance(pin, LinkPin) and pin.span == (one.start, one.end) and pin.entity == one.entity
    ]
