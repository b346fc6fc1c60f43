"""Facts about the mentions of a document: their gold types and labels, and which of them are the same thing."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from engine.arrays import Ints
from engine.data.document import Document, Layer
from engine.data.errors import InputError
from engine.data.pins import SpanRange
from engine.structures.typed_pairs import position
from engine.tasks.joint.constraints.space import Sameness, Source, Space


def gold_types(document: Document) -> list[str]:
    """The type of every mention of gold."""
    types = [mention.type for mention in document.gold.mentions]
    if None in types:
        raise InputError(f"a mention of document {document.id!r} has no type")
    return [str(one) for one in types]


def gold_roles(document: Document) -> list[list[str]]:
    """The roles (head or tail of a relation) of every gold mention."""
    roles: list[list[str]] = [[] for _ in document.gold.mentions]
    for relation in document.gold.relations:
        roles[relation.head].append(f"head of {relation.type}")
        roles[relation.tail].append(f"tail of {relation.type}")
    return roles


def answers(layer: Layer, spans: Sequence[SpanRange], space: Space) -> tuple[Ints, Ints]:
    """The answers of a layer for the mentions at these spans: a type for each, a label for every ordered pair of them.

    The type is -1 if the layer has no such mention, or one of a type that is not in the space.
    """
    of_span = {mention.span: k for k, mention in enumerate(layer.mentions)}
    known = [of_span.get(span, -1) for span in spans]
    n = len(spans)
    types = np.full(n, -1, dtype=np.int64)
    for i, k in enumerate(known):
        name = layer.mentions[k].type if k >= 0 else None
        if name in space.types:
            types[i] = space.type(str(name))
    labels = np.zeros(n * (n - 1), dtype=np.int64)
    place = {k: i for i, k in enumerate(known) if k >= 0}
    for relation in layer.relations:
        head, tail = place.get(relation.head), place.get(relation.tail)
        if head is not None and tail is not None and head != tail and relation.type in space.labels:
            labels[position(n, head, tail)] = space.label(relation.type)
    return types, labels


def sameness(document: Document, spans: Sequence[SpanRange]) -> Sameness:
    """Which of the mentions are the same thing: by their words, and by the clusters of every layer."""
    by_phrase: dict[str, list[int]] = {}
    for i, (start, end) in enumerate(spans):
        by_phrase.setdefault(document.text[start:end].lower(), []).append(i)
    groups: list[tuple[Source, list[int]]] = [(("phrase", ""), group) for group in by_phrase.values()]
    place = {span: i for i, span in enumerate(spans)}
    for name, layer in document.layers.items():
        for cluster in layer.clusters:
            known = {place[span] for span in (layer.mentions[k].span for k in cluster) if span in place}
            groups.append((("clusters", name), sorted(known)))
    found = [(source, pair) for source, group in groups for pair in combinations(group, 2)]
    pairs = [position(len(spans), i, j) for _, (i, j) in found]
    return Sameness(np.array(pairs, dtype=np.int64), tuple(source for source, _ in found))
