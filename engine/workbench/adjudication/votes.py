"""Votes: how many annotators have to agree before a reading is taken over without a curator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Final, Literal, TypeAlias, get_args

from engine.data.document import Layer
from engine.metrics.differences import decisions
from engine.workbench.adjudication.places import Place, Reading
from engine.workbench.suggestions import KINDS

Threshold: TypeAlias = Literal["all", "majority", "weight"]
THRESHOLDS: Final[tuple[Threshold, ...]] = get_args(Threshold)


def weights(layers: Mapping[str, Sequence[Layer]]) -> dict[str, float]:
    """The weight of each annotator's vote: the mean F1 of their decisions with those of the others, over the documents
    that all have worked on."""
    made = {
        name: {(i, one) for i, layer in enumerate(own) for one in decisions(layer, KINDS)}
        for name, own in layers.items()
    }
    agreement: dict[str, list[float]] = {name: [] for name in layers}
    for first, second in combinations(layers, 2):
        total = len(made[first]) + len(made[second])
        value = 2 * len(made[first] & made[second]) / total if total else 1.0
        agreement[first].append(value)
        agreement[second].append(value)
    return {name: sum(values) / len(values) if values else 1.0 for name, values in agreement.items()}


def winner(place: Place, threshold: Threshold, weight: Mapping[str, float]) -> Reading | None:
    """The reading that needs no curator: the unanimous one, or the one with more than half of all votes or weight."""
    if not place.disputed:
        return place.readings[0]
    if threshold == "all":
        return None
    voice = {name: weight[name] if threshold == "weight" else 1.0 for one in place.readings for name in one.by}
    total = sum(voice.values())
    return next((one for one in place.readings if sum(voice[name] for name in one.by) > total / 2), None)
