"""How far a sentence is from saying something else, among all outputs of the bag that the pins allow.

A member's label enters the bag's score one for one, so its score alone must change by the difference between the best
outputs with and without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.data.pins import Pin
from engine.structures.base import Infeasible, Pins
from engine.tasks.distant.deciding import part_pins
from engine.tasks.distant.scored import DistantScored


@dataclass(frozen=True)
class Flip:
    """One label of a sentence (None is nil): by how much its score alone must change to flip whether it is taken.
    None: it cannot be."""

    label: str | None
    change: float | None


@dataclass(frozen=True)
class Why:
    label: str | None
    runner_up: str | None
    """What the sentence says in the best output in which it says something else."""
    margin: float | None
    flips: tuple[Flip, ...]


def why(scored: DistantScored, member: int, pins: Sequence[Pin] = ()) -> Why:
    """The decision on one sentence of a corpus of one bag; the pins can hold together."""
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
