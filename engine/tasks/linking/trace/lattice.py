"""What inference did on one text, for the lattice view to draw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from engine.data.pins import Pin
from engine.metrics.linking import linked
from engine.structures.base import Parts, Pins, as_mask
from engine.structures.nonoverlap import NonOverlap
from engine.tasks.linking.deciding import fix_one_document
from engine.tasks.linking.scored import LinkingScored
from engine.tasks.linking.trace.flips import Flip, closest
from engine.tuning.path import bias_path

K_BEST = 5

Stretch: TypeAlias = tuple[float | None, float | None]
"""A range of the bias, from and to; None means unbounded."""


@dataclass(frozen=True)
class TokenTrace:
    start: int
    end: int
    text: str


@dataclass(frozen=True)
class CandidateTrace:
    """One entity of one span: a part of the document, with its number as `id`. `blocked_by` are the chosen candidates
    that share a token with it; `blocks` are all candidates that cannot be chosen together with it; `on` are the ranges
    of the Nil bias in which it is chosen."""

    id: int
    first: int
    last: int
    start: int
    end: int
    surface: str
    entity: str
    known: bool
    types: tuple[str, ...]
    description: str
    score: float
    marginal: float
    chosen: bool
    gold: bool
    pinned: str
    blocked_by: tuple[int, ...]
    blocks: tuple[int, ...]
    on: tuple[Stretch, ...]


@dataclass(frozen=True)
class OutputTrace:
    """One of the best outputs: its score under the bias, and its candidates."""

    score: float
    candidates: tuple[int, ...]


@dataclass(frozen=True)
class GoldTrace:
    start: int
    end: int
    entity: str
    candidates: tuple[int, ...]


@dataclass(frozen=True)
class LinkingTrace:
    """The lattice of one text at one Nil bias. `margin` is the best output's lead over the runner-up; `closest` are the
    decisions that a small change of one score would flip."""

    document: str
    text: str
    bias: float
    tokens: tuple[TokenTrace, ...]
    candidates: tuple[CandidateTrace, ...]
    chosen: tuple[int, ...]
    gold: tuple[GoldTrace, ...]
    k_best: tuple[OutputTrace, ...]
    margin: float | None
    closest: tuple[Flip, ...]
    path: tuple[tuple[float | None, tuple[int, ...]], ...]


def trace(scored: LinkingScored, pins: Sequence[Pin] = ()) -> LinkingTrace:
    """What inference did on a corpus of one document."""
    [document] = scored.documents
    fixed = fix_one_document(scored, pins)
    lattice = scored.lattice.single(0)
    biased = scored.biased
    chosen = lattice.argmax(biased, pins=fixed)
    _, marginals = lattice.marginals(biased, pins=fixed)
    outputs = lattice.k_best(biased, K_BEST, pins=fixed)
    path = bias_path(lattice, scored.score, pins=fixed)
    return LinkingTrace(
        document=document.id,
        text=document.text,
        bias=scored.bias,
        tokens=tuple(
            TokenTrace(start, end, document.text[start:end])
            for start, end in zip(scored.token_start.tolist(), scored.token_end.tolist(), strict=True)
        ),
        candidates=_candidates(scored, lattice, fixed, chosen, marginals.tolist(), _stretches(path, scored.n_parts)),
        chosen=tuple(chosen.tolist()),
        gold=tuple(
            GoldTrace(m.start, m.end, str(m.entity), scored.finders.get(number, ()))
            for number, m in enumerate(linked(document.gold))
        ),
        k_best=tuple(OutputTrace(float(score), tuple(parts.tolist())) for score, parts in outputs),
        margin=float(outputs[0][0] - outputs[1][0]) if len(outputs) > 1 else None,
        closest=tuple(closest(lattice, biased, marginals, fixed)),
        path=tuple((_finite(at), tuple(parts.tolist())) for at, parts in path),
    )


def _candidates(
    scored: LinkingScored,
    lattice: NonOverlap,
    fixed: Pins,
    chosen: Parts,
    marginals: Sequence[float],
    stretches: Sequence[tuple[Stretch, ...]],
) -> tuple[CandidateTrace, ...]:
    text = scored.documents[0].text
    entities = scored.entities
    overlap = (lattice.starts[None, :] < lattice.ends[:, None]) & (lattice.starts[:, None] < lattice.ends[None, :])
    np.fill_diagonal(overlap, False)
    is_on, right = as_mask(chosen, scored.n_parts), scored.right
    on, off = frozenset(fixed.on), frozenset(fixed.off)
    rows = []
    for part in range(scored.n_parts):
        start, end, entity = int(scored.start[part]), int(scored.end[part]), int(scored.entity[part])
        rows.append(
            CandidateTrace(
                id=part,
                first=int(scored.first[part]),
                last=int(scored.last[part]),
                start=start,
                end=end,
                surface=text[start:end],
                entity=entities.titles[entity],
                known=bool(entities.known[entity]),
                types=entities.types[entity],
                description=entities.descriptions[entity],
                score=float(scored.score[part]),
                marginal=marginals[part],
                chosen=bool(is_on[part]),
                gold=bool(right[part]),
                pinned="on" if part in on else "off" if part in off else "",
                blocked_by=tuple(np.flatnonzero(overlap[part] & is_on).tolist()),
                blocks=tuple(np.flatnonzero(overlap[part]).tolist()),
                on=stretches[part],
            )
        )
    return tuple(rows)


def _stretches(path: Sequence[tuple[float, Parts]], n_parts: int) -> list[tuple[Stretch, ...]]:
    """Per part, the ranges of the bias in which it is chosen; adjacent steps are merged."""
    found: list[list[Stretch]] = [[] for _ in range(n_parts)]
    for i, (at, parts) in enumerate(path):
        end = _finite(path[i + 1][0]) if i + 1 < len(path) else None
        for part in parts.tolist():
            known = found[part]
            if known and known[-1][1] is not None and known[-1][1] == at:
                known[-1] = (known[-1][0], end)
            else:
                known.append((_finite(at), end))
    return [tuple(known) for known in found]


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
