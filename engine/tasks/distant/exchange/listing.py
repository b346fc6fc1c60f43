"""The relations that each sentence of one bag may express, and those that may hold for its pair."""

from __future__ import annotations

from collections.abc import Sequence

from engine.data.pins import Pin
from engine.structures.bag import FlatBag
from engine.tasks.capabilities import ListedPart, Weighed
from engine.tasks.distant.deciding import check_pins, part_pins
from engine.tasks.distant.scored import DistantScored


def list_parts(scored: DistantScored, pins: Sequence[Pin] = ()) -> list[ListedPart]:
    """All parts. A member with the relation null expresses nothing; a part without a member is a relation of the
    pair."""
    check_pins(scored, pins)
    structure, scores = scored.bag()
    labels = structure.solve(scores, pins=part_pins(scored, pins)).labels
    return [_part(structure, scored, part, float(scores[part]), labels.tolist()) for part in range(len(scores))]


def weigh(scored: DistantScored, pins: Sequence[Pin] = ()) -> Weighed:
    check_pins(scored, pins)
    structure, scores = scored.bag()
    return Weighed(float(structure.solve(scores, pins=part_pins(scored, pins)).score), True)


def _part(structure: FlatBag, scored: DistantScored, part: int, score: float, labels: list[int]) -> ListedPart:
    member, label = structure.meaning(part)
    name = scored.relations[label - 1] if label else None
    if member is None:
        return ListedPart(part, {"relation": name}, score, label in labels)
    return ListedPart(part, {"member": member, "relation": name}, score, labels[member] == label)
