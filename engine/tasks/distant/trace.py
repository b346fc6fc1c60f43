"""What inference did on one bag, and how close the decisions on its sentences were, for the view.

A member's label counts once in the bag's score. So the change of its score that flips a decision is the difference
between the best outputs with and without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.arrays import Floats
from engine.data.pins import Pin
from engine.structures.bag import FlatBag, Method
from engine.structures.base import Infeasible, Pins
from engine.tasks.distant.curve import bias_paths
from engine.tasks.distant.deciding import conflict, margins, part_pins
from engine.tasks.distant.scored import DistantScored


@dataclass(frozen=True)
class MemberTrace:
    """One sentence: its label, the label's lead over the runner-up, and the score of every relation relative to nil."""

    label: str | None
    runner_up: str | None
    margin: float
    scores: tuple[float, ...]
    pinned: bool


@dataclass(frozen=True)
class LabelTrace:
    """One relation of the pair: whether it holds, whether it should, and the members that express it."""

    relation: str
    predicted: bool
    gold: bool
    pair_score: float
    """The score from the pair's own features."""
    members: tuple[int, ...]
    pinned: bool


@dataclass(frozen=True)
class DistantTrace:
    document: str
    first: str
    second: str
    relations: tuple[str, ...]
    members: tuple[MemberTrace, ...]
    labels: tuple[LabelTrace, ...]
    score: float
    method: Method
    bias: float
    path: tuple[tuple[float, tuple[str, ...]], ...]
    """(bias, relations that hold from there on); the first bias is -inf. Pins are ignored."""
    conflict: tuple[str, ...] = ()
    """Pins that cannot hold together, by name; in that case no pin was applied."""


@dataclass(frozen=True)
class Flip:
    """One label of a sentence (None is nil), and the change of its score alone that flips whether it is chosen; None if
    that is impossible."""

    label: str | None
    change: float | None


@dataclass(frozen=True)
class Why:
    """The decision on one sentence, among all outputs of the bag under the pins."""

    label: str | None
    runner_up: str | None
    """The sentence's label in the best output that gives it another label."""
    margin: float | None
    flips: tuple[Flip, ...]


def trace(scored: DistantScored, pins: Sequence[Pin] = ()) -> DistantTrace:
    [document] = scored.documents
    assert document.bag is not None
    clash = conflict(scored, pins)
    fixed = part_pins(scored, () if clash else pins)
    structure, scores = scored.bag()
    answer = structure.solve(scores, pins=fixed)
    labels = answer.labels.tolist()
    over_nil = margins(scored)
    pinned = {structure.meaning(part)[0] for part in fixed.on}
    [path] = bias_paths(scored, np.array([0]))
    return DistantTrace(
        document=document.id,
        first=document.bag.first,
        second=document.bag.second,
        relations=scored.relations,
        members=tuple(
            _member(scored.relations, label, over_nil[position], position in pinned)
            for position, label in enumerate(labels)
        ),
        labels=_labels(scored, labels, structure, fixed),
        score=answer.score,
        method=answer.method,
        bias=scored.bias,
        path=tuple(
            (at, tuple(scored.relations[k - 1] for k in sorted(set(one.tolist()) - {0})))
            for at, one in zip(path.bias, path.labels, strict=True)
        ),
        conflict=clash,
    )


def _member(relations: tuple[str, ...], label: int, over_nil: Floats, pinned: bool) -> MemberTrace:
    full = np.concatenate([[0.0], over_nil])
    others = np.delete(np.arange(len(full)), label)
    second = int(others[np.argmax(full[others])]) if len(others) else 0
    return MemberTrace(
        label=relations[label - 1] if label else None,
        runner_up=relations[second - 1] if second else None,
        margin=float(full[label] - full[second]),
        scores=tuple(over_nil.tolist()),
        pinned=pinned,
    )


def _labels(scored: DistantScored, labels: Sequence[int], structure: FlatBag, fixed: Pins) -> tuple[LabelTrace, ...]:
    """The relations that hold, should hold, or were pinned."""
    rows = []
    for i, relation in enumerate(scored.relations):
        gold, pinned = bool(scored.gold[0, i]), structure.holding(i + 1) in (*fixed.on, *fixed.off)
        if i + 1 in labels or gold or pinned:
            rows.append(
                LabelTrace(
                    relation=relation,
                    predicted=i + 1 in labels,
                    gold=gold,
                    pair_score=float(scored.label_scores[0, i]),
                    members=tuple(m for m, label in enumerate(labels) if label == i + 1),
                    pinned=pinned,
                )
            )
    return tuple(rows)


def why(scored: DistantScored, member: int, pins: Sequence[Pin] = ()) -> Why:
    """The decision on one sentence of a corpus of one bag; the pins must be able to hold together."""
    structure, scores = scored.bag()
    fixed = part_pins(scored, pins)
    best = structure.solve(scores, pins=fixed)
    at = int(best.labels[member])
    names: list[str | None] = [None, *scored.relations]
    flips: list[Flip] = []
    margin, runner_up = None, None
    for option, name in enumerate(names):
        part = structure.taking(member, option)
        try:
            if option == at:
                other = structure.solve(scores, pins=Pins(fixed.on, (*fixed.off, part)))
                margin, runner_up = best.score - other.score, names[int(other.labels[member])]
                flips.append(Flip(name, other.score - best.score))
            else:
                other = structure.solve(scores, pins=Pins((*fixed.on, part), fixed.off))
                flips.append(Flip(name, best.score - other.score))
        except Infeasible:
            flips.append(Flip(name, None))
    return Why(names[at], runner_up, margin, tuple(flips))
