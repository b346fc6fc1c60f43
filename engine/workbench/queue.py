"""The annotation queue: the most informative documents first, each with the reason for its position.

Expected gain is measured by the entropy of the decisions (Lewis and Gale 1994), the narrowest margin, or the
disagreement of two runs; diversity picks documents unlike those picked before (farthest first, Gonzalez 1985).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np

from engine.data.document import Document, Layer
from engine.metrics.differences import DecisionKind, differences

Order: TypeAlias = Literal["document order", "uncertainty", "margin", "disagreement", "diversity"]

ABOUT: Final[Mapping[Order, str]] = {
    "document order": "In the order of the corpus.",
    "uncertainty": "First the documents that the run doubts most: the entropy of its decisions, summed, in bits.",
    "margin": "First the documents with the closest decision: how near a probability comes to one half.",
    "disagreement": "First the documents on which two runs differ most: the number of decisions that only one makes.",
    "diversity": "First the documents unlike those before them: how few of their words (cosine) were there already.",
}
"""The criterion of each order."""
SURE: Final = 0.9
"""The probability below which a decision counts as doubtful."""


@dataclass(frozen=True)
class Queued:
    """A document's position in the queue, with the number behind it and the meaning of the number."""

    position: int
    gain: float
    reason: str
    why: str = ""
    """What in the document caused it, in words."""


def queue(
    documents: Sequence[Document],
    predicted: Sequence[Layer],
    order: Order,
    *,
    other: Sequence[Layer] | None = None,
    decides: Collection[DecisionKind] = (),
    done: Collection[str] = (),
) -> list[Queued]:
    """The documents that are not done yet, most informative first."""
    open_ = [i for i, document in enumerate(documents) if document.id not in done]
    match order:
        case "document order":
            return [Queued(i, 0.0, "in document order") for i in open_]
        case "diversity":
            return _farthest_first(documents, open_)
        case "disagreement":
            if other is None:
                raise ValueError("disagreement needs the predictions of a second run")
            differ = {i: differences(predicted[i], other[i], decides) for i in open_}
            gains = {i: float(len(found)) for i, found in differ.items()}
            whys = {i: _counted(Counter(one.decision.kind for one in found)) for i, found in differ.items()}
            reason = "decisions on which the two runs differ"
        case "uncertainty":
            gains = {i: entropy(predicted[i]) for i in open_}
            whys = {i: _doubts(documents[i], predicted[i]) for i in open_}
            reason = "bits of doubt in its decisions"
        case "margin":
            gains = {i: 1 - narrowest(predicted[i]) for i in open_}
            whys = {i: _closest(documents[i], predicted[i]) for i in open_}
            reason = "1 - margin of its closest decision"
    return [Queued(i, gains[i], reason, whys[i]) for i in sorted(open_, key=lambda i: (-gains[i], i))]


def entropy(layer: Layer) -> float:
    """Sum over decisions of the entropy of "right or not", in bits, from their probabilities."""
    return sum(-p * math.log2(p) - (1 - p) * math.log2(1 - p) for p in _probabilities(layer) if 0 < p < 1)


def narrowest(layer: Layer) -> float:
    """The smallest difference between a decision's probability and its opposite's; 1 if there is no decision."""
    return min((abs(2 * p - 1) for p in _probabilities(layer)), default=1.0)


def _probabilities(layer: Layer) -> list[float]:
    return [p for p, _ in _decisions(layer)]


def _decisions(layer: Layer) -> list[tuple[float, tuple[int, int]]]:
    """Every decision with a probability, and its span; for a relation, that of its head."""
    found = [(mention.score, mention.span) for mention in layer.mentions]
    found += [(relation.score, layer.mentions[relation.head].span) for relation in layer.relations]
    return [(p, span) for p, span in found if p is not None and 0 <= p <= 1]


def _doubts(document: Document, layer: Layer) -> str:
    """The number of doubtful decisions, and the most doubtful one, in words."""
    found = _decisions(layer)
    if not found:
        return "the run decides nothing here"
    unsure = sum(p < SURE for p, _ in found)
    return f"{unsure} of {len(found)} under {100 * SURE:.0f} %; {_closest(document, layer)}"


def _closest(document: Document, layer: Layer) -> str:
    found = _decisions(layer)
    if not found:
        return "the run decides nothing here"
    p, (start, end) = min(found, key=lambda one: (abs(2 * one[0] - 1), one[1]))
    return f"closest: “{' '.join(document.text[start:end].split())[:40]}” {100 * p:.1f} %"


def _counted(kinds: Counter[DecisionKind]) -> str:
    return ", ".join(f"{kind} {n}" for kind, n in sorted(kinds.items())) or "they say the same"


def _farthest_first(documents: Sequence[Document], open_: Sequence[int]) -> list[Queued]:
    """Greedy cover: each next document is the one least like all before it (cosine of word counts)."""
    if not open_:
        return []
    from sklearn.feature_extraction.text import HashingVectorizer

    rows = HashingVectorizer(n_features=2**16, alternate_sign=False).transform([documents[i].text for i in open_])
    nearest = np.zeros(len(open_))
    left = np.ones(len(open_), dtype=bool)
    order: list[Queued] = []
    at = 0
    seen: set[str] = set()
    for _ in open_:
        why = _new_words(documents, open_[at], seen)
        order.append(Queued(open_[at], max(0.0, float(1 - nearest[at])), "distance from the documents before it", why))
        seen |= _words(documents[open_[at]])
        left[at] = False
        nearest = np.maximum(nearest, np.asarray((rows @ rows[at].T).todense()).ravel())
        at = int(np.argmin(np.where(left, nearest, np.inf)))
    return order


def _words(document: Document) -> set[str]:
    return set(document.text.casefold().split())


def _new_words(documents: Sequence[Document], at: int, seen: set[str]) -> str:
    own = _words(documents[at])
    return f"{len(own - seen)} of {len(own)} words are new"
