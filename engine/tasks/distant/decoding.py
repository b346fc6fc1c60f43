"""Scores to predicted layers: decoding under pins, the confidence of labels, and the layer a view can draw."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.data.document import Document, Layer, Relation
from engine.learners.bags import BagScores
from engine.structures.bag import Answer, Bag, BagPins, Labels


def decode_pinned(scores: BagScores, row: int, offsets: NDArray[np.int64], pins: BagPins) -> Answer:
    """The best output of one bag of the corpus under pins."""
    first, last = int(offsets[row]), int(offsets[row + 1])
    mine = scores.mentions[first:last]
    return Bag(last - first, mine.shape[1] - 1).solve(mine, scores.labels[row], pins=pins)


def mention_margins(scores: BagScores) -> NDArray[np.float64]:
    """[M, L]: by how much a label beats nil, in units of one whole mention."""
    return (scores.mentions[:, 1:] - scores.mentions[:, :1]) / scores.shares[:, None]


def label_confidence(scores: BagScores, offsets: NDArray[np.int64]) -> NDArray[np.float64]:
    """[bags, L]: the best mention's margin over nil plus what the pair itself says; bags are ranked by it."""
    margins = mention_margins(scores)
    n_bags, n_labels = scores.labels.shape
    best = np.full((n_bags, n_labels), -np.inf)
    np.maximum.at(best, np.repeat(np.arange(n_bags), np.diff(offsets)), margins)
    return best + scores.labels


def layer(
    document: Document,
    labels: Labels,
    margins: NDArray[np.float64],
    relations: Sequence[str],
    extra: dict[str, object],
) -> Layer:
    """Mention labels as relations between the members' mentions, and the labels that hold."""
    assert document.bag is not None
    arcs = []
    for position, (member, label) in enumerate(zip(document.bag.members, labels.tolist(), strict=True)):
        if label and member.head is not None and member.tail is not None:
            score = float(margins[position, label - 1])
            arcs.append(Relation(member.head, member.tail, relations[label - 1], score=score))
    if document.shape == "features":
        extra = {**extra, "members": [relations[label - 1] if label else None for label in labels.tolist()]}
    held = tuple(relations[label - 1] for label in sorted(set(labels.tolist()) - {0}))
    return Layer(mentions=document.gold.mentions, relations=tuple(arcs), labels=held, extra=extra)
