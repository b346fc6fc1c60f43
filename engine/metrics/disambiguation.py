"""Scores of disambiguation: in-KB accuracy, bag-of-title F1, and breakdowns of the errors.

In-KB accuracy counts the mentions that gold links (Yang, Irsoy and Rahman 2018, section 5.2): micro over all of them,
macro as the mean over documents. Bag-of-title F1 compares the set of titles of each document. A mention is `seen` if
training linked its surface to the same entity, a `trap` if only to others, `unseen` if it never linked the surface.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from engine.metrics.tally import Tally

Familiarity: TypeAlias = Literal["seen", "unseen", "trap"]

AMBIGUITY: Final = ((1, 1), (2, 5), (6, 20), (21, None))
"""Ranges of the number of candidates that are reported together."""


@dataclass(frozen=True)
class Resolved:
    """One mention: gold and predicted title (None is NIL), its candidates, and the entities to which training linked
    its surface."""

    document: int
    gold: str | None
    predicted: str | None
    n_candidates: int | None = None
    known: Collection[str] | None = None

    @property
    def right(self) -> bool:
        return self.gold == self.predicted

    @property
    def familiarity(self) -> Familiarity | None:
        if self.known is None or self.gold is None:
            return None
        if not self.known:
            return "unseen"
        return "seen" if self.gold in self.known else "trap"


def score(mentions: Sequence[Resolved]) -> dict[str, Any]:
    """All scores of a corpus, as fractions."""
    return report(tally(mentions))


def tally(mentions: Sequence[Resolved]) -> Tally:
    """What these mentions contribute to the scores."""
    made = Tally()
    linked = [m for m in mentions if m.gold is not None]
    by_document: dict[int, list[Resolved]] = {}
    for mention in linked:
        by_document.setdefault(mention.document, []).append(mention)
    nil = [m for m in mentions if m.gold is None]
    made.count("linked", n=len(linked))
    made.count("right", n=sum(m.right for m in linked))
    made.count("predicted", n=sum(m.predicted is not None for m in mentions))
    made.count("nil", n=len(nil))
    made.count("nil right", n=sum(m.predicted is None for m in nil))
    each = [ratio(sum(m.right for m in ms), len(ms)) for ms in by_document.values()]
    made.extend("accuracy", np.array(each, dtype=np.float64))
    made.count_all("titles", numbers=_titles(linked))
    made.count_all("all titles", numbers=_titles(mentions))
    for mention in linked:
        for group, name in (("familiarity", mention.familiarity), ("ambiguity", _ambiguity(mention))):
            if name is not None:
                made.count(group, name)
                made.count(f"{group} right", name, n=mention.right)
    return made


def report(found: Tally) -> dict[str, Any]:
    """The scores of a tally."""
    linked, right, nil = found.number("linked"), found.number("right"), found.number("nil")
    precision, recall = ratio(right, found.number("predicted")), ratio(right, linked)
    each = found.column("accuracy")
    return {
        "accuracy": recall,
        "accuracy_macro": ratio(sum(each.tolist()), len(each)),
        "bot_f1": _title_f1(found.below("titles")),
        "bot_f1_all": _title_f1(found.below("all titles")),
        "precision": precision,
        "recall": recall,
        "f1": ratio(2 * precision * recall, precision + recall),
        "mentions": linked,
        "nil": {"mentions": nil, "accuracy": ratio(found.number("nil right"), nil)},
        "familiarity": _groups(found, "familiarity", ("seen", "unseen", "trap")),
        "ambiguity": _groups(found, "ambiguity", tuple(_range_name(*bounds) for bounds in AMBIGUITY)),
    }


def bag_of_titles(mentions: Sequence[Resolved]) -> float:
    """Micro F1 of the sets of titles, document by document. For linked mentions only, it is the paper's figure, whose
    corpora contain no others; for all mentions, titles predicted for NIL mentions lower precision."""
    return _title_f1(_titles(mentions))


def _titles(mentions: Sequence[Resolved]) -> dict[str, int]:
    gold: set[tuple[int, str]] = {(m.document, m.gold) for m in mentions if m.gold is not None}
    predicted = {(m.document, m.predicted) for m in mentions if m.predicted is not None}
    return {"right": len(gold & predicted), "both": len(gold) + len(predicted)}


def _title_f1(counts: Mapping[str, int]) -> float:
    return ratio(2 * counts.get("right", 0), counts.get("both", 0))


def ratio(top: float, bottom: float) -> float:
    return top / bottom if bottom else 0.0


def _ambiguity(mention: Resolved) -> str | None:
    n = mention.n_candidates
    for low, high in AMBIGUITY:
        if n is not None and low <= n and (high is None or n <= high):
            return _range_name(low, high)
    return None


def _range_name(low: int, high: int | None) -> str:
    return f"{low}+" if high is None else str(low) if low == high else f"{low}-{high}"


def _groups(found: Tally, group: str, names: Sequence[str]) -> Mapping[str, Mapping[str, float]]:
    """Accuracy and size of every group that has mentions."""
    sizes, right = found.below(group), found.below(f"{group} right")
    return {
        name: {"accuracy": ratio(right[name], sizes[name]), "mentions": sizes[name]} for name in names if sizes[name]
    }
