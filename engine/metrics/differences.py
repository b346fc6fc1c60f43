"""The decisions of a layer as a set, and the differences between two layers.

Used wherever two answers are compared: gold and predicted, two runs, one run at two biases.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias

from engine.data.document import Layer

DecisionKind: TypeAlias = Literal["span", "link", "type", "relation", "coreference", "label"]


@dataclass(frozen=True, order=True)
class Decision:
    """One statement of a layer. A span is a mention without further attributes. A relation starts at its head and names
    its tail; a coreference link starts at the later mention and names the one before it in the chain; a label belongs
    to the document."""

    start: int
    end: int
    kind: DecisionKind
    value: str
    other: tuple[int, int] = (-1, -1)


@dataclass(frozen=True, order=True)
class Difference:
    """A decision that only one of two layers makes."""

    decision: Decision
    side: Literal["first", "second"]


def decisions(layer: Layer, kinds: Collection[DecisionKind]) -> set[Decision]:
    """All decisions of these kinds in a layer."""
    found: set[Decision] = set()
    if "span" in kinds:
        told = {i for cluster in layer.clusters if len(cluster) > 1 for i in cluster}
        told |= {i for relation in layer.relations for i in (relation.head, relation.tail)}
        found |= {
            Decision(m.start, m.end, "span", "")
            for i, m in enumerate(layer.mentions)
            if m.type is None and m.entity is None and i not in told
        }
    if "link" in kinds:
        found |= {Decision(m.start, m.end, "link", m.entity) for m in layer.mentions if m.entity is not None}
    if "type" in kinds:
        found |= {Decision(m.start, m.end, "type", m.type) for m in layer.mentions if m.type is not None}
    if "relation" in kinds:
        for relation in layer.relations:
            head, tail = layer.mentions[relation.head], layer.mentions[relation.tail]
            found.add(Decision(head.start, head.end, "relation", relation.type, tail.span))
    if "coreference" in kinds:
        for cluster in layer.clusters:
            chain = sorted((layer.mentions[i].span for i in cluster), key=lambda span: (span[0], -span[1]))
            for before, (start, end) in pairwise(chain):
                found.add(Decision(start, end, "coreference", "", before))
    if "label" in kinds:
        found |= {Decision(0, 0, "label", label) for label in layer.labels}
    return found


def differences(first: Layer, second: Layer, kinds: Collection[DecisionKind]) -> list[Difference]:
    """Decisions of one layer that the other does not share, in text order."""
    a, b = decisions(first, kinds), decisions(second, kinds)
    return sorted(
        [Difference(one, "first") for one in a - b] + [Difference(one, "second") for one in b - a],
    )
