"""The correctness and confidence of a system's answers, for lists of flips and for calibration.

An answer is right unless it is a false alarm, as defined by each system's errors.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from engine.arrays import Flags, Floats
from engine.data.document import NIL, Document, Layer
from engine.metrics.differences import Decision, DecisionKind, Difference, differences
from engine.metrics.errors import Error, Span

BINS: Final = 10


class Judge:
    """Distinguishes right answers from wrong ones, using the errors found in them."""

    def __init__(self, errors: Iterable[Error]) -> None:
        alarms = [error for error in errors if error.kind == "false alarm"]
        self._said = {(error.document, error.spans, error.predicted) for error in alarms}
        self._places = {(error.document, error.spans) for error in alarms}
        self._labels = {(error.document, error.type) for error in alarms}

    def is_right(self, document: Document, one: Decision) -> bool:
        """Whether a decision of a predicted layer is right."""
        if one.kind == "label" or document.bag is not None:
            return (document.id, one.value) not in self._labels
        if one.kind == "coreference":
            return (document.id, ((one.start, one.end),)) not in self._places
        spans: tuple[Span, ...] = ((one.start, one.end),)
        if one.kind == "relation":
            spans = ((one.start, one.end), one.other)
        return (document.id, spans, one.value) not in self._said


@dataclass(frozen=True)
class Flip:
    """A decision that is made at one bias but not at another, and whether it is right."""

    document: str
    decision: Decision
    appears: bool
    right: bool
    text: str
    """Its words in the text ..."""
    other: str
    """... and the mention that it names."""


def flips(
    documents: Iterable[Document],
    before: Iterable[Layer],
    after: Iterable[Layer],
    kinds: Collection[DecisionKind],
    judges: tuple[Judge, Judge],
) -> list[Flip]:
    """Every decision that differs, document by document."""
    return [
        _flip(document, one, judges[one.side == "second"].is_right(document, one.decision))
        for document, first, second in zip(documents, before, after, strict=True)
        for one in differences(first, second, kinds)
    ]


def _flip(document: Document, one: Difference, right: bool) -> Flip:
    at = one.decision
    text, other = document.text[at.start : at.end], document.text[slice(*at.other)]
    return Flip(document.id, at, one.side == "second", right, text, other)


@dataclass(frozen=True)
class Bin:
    """Answers of about the same probability: how many, their mean probability, and the share that is right."""

    low: float
    high: float
    n: int
    said: float
    right: float


@dataclass(frozen=True)
class Reliability:
    """Calibration: of the answers given with probability 0.8, eight in ten should be right."""

    n: int
    bins: tuple[Bin, ...]

    @property
    def expected_error(self) -> float:
        """The expected calibration error: the mean distance between probability and accuracy, weighted by answers
        (Naeini et al. 2015)."""
        return sum(one.n * abs(one.said - one.right) for one in self.bins) / self.n if self.n else 0.0


def reliability(said: Floats, right: Flags, bins: int = BINS) -> Reliability:
    """Answers by their probability, in bins of equal width; empty ones are left out."""
    place = np.minimum((np.clip(said, 0.0, 1.0) * bins).astype(np.int64), bins - 1)
    found = []
    for b in range(bins):
        own = place == b
        n = int(own.sum())
        if n:
            found.append(Bin(b / bins, (b + 1) / bins, n, float(said[own].mean()), float(right[own].mean())))
    return Reliability(len(said), tuple(found))


def scored_answers(
    documents: Sequence[Document], layers: Sequence[Layer], errors: Iterable[Error]
) -> tuple[Floats, Flags]:
    """The probability of every answer that has one, and whether it is right."""
    judge = Judge(errors)
    said, right = [], []
    for document, layer in zip(documents, layers, strict=True):
        for one, probability in _with_probabilities(layer):
            said.append(probability)
            right.append(judge.is_right(document, one))
    return np.array(said, dtype=np.float64), np.array(right, dtype=np.bool_)


def _with_probabilities(layer: Layer) -> Iterable[tuple[Decision, float]]:
    for mention in layer.mentions:
        value = mention.entity or mention.type
        if mention.score is not None and value and value != NIL:
            kind: DecisionKind = "link" if mention.entity else "type"
            yield Decision(mention.start, mention.end, kind, value), mention.score
    for relation in layer.relations:
        if relation.score is not None:
            head, tail = layer.mentions[relation.head].span, layer.mentions[relation.tail].span
            yield Decision(*head, "relation", relation.type, tail), relation.score
