"""How well given mentions were resolved: in-KB accuracy, bag-of-title F1, and where the errors sit.

In-KB accuracy counts the mentions that gold links (Yang, Irsoy and Rahman 2018, section 5.2): micro over all of them,
macro as the mean over documents. Bag-of-title F1 compares the set of titles of each document. A mention is `seen` if
training linked its surface to the same entity, a `trap` if only to others, `unseen` if it never linked the surface.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

Familiarity: TypeAlias = Literal["seen", "unseen", "trap"]

AMBIGUITY: Final = ((1, 1), (2, 5), (6, 20), (21, None))
"""Numbers of candidates that are reported together."""


@dataclass(frozen=True)
class Resolved:
    """One mention: gold and predicted title (None is NIL), its candidates, what training linked its surface to."""

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
    linked = [m for m in mentions if m.gold is not None]
    by_document: dict[int, list[Resolved]] = {}
    for mention in linked:
        by_document.setdefault(mention.document, []).append(mention)
    predicted = [m for m in mentions if m.predicted is not None]
    right = sum(m.right for m in linked)
    precision, recall = ratio(right, len(predicted)), ratio(right, len(linked))
    nil = [m for m in mentions if m.gold is None]
    return {
        "accuracy": ratio(right, len(linked)),
        "accuracy_macro": ratio(
            sum(ratio(sum(m.right for m in ms), len(ms)) for ms in by_document.values()), len(by_document)
        ),
        "bot_f1": bag_of_titles(linked),
        "bot_f1_all": bag_of_titles(mentions),
        "precision": precision,
        "recall": recall,
        "f1": ratio(2 * precision * recall, precision + recall),
        "mentions": len(linked),
        "nil": {"mentions": len(nil), "accuracy": ratio(sum(m.predicted is None for m in nil), len(nil))},
        "familiarity": _groups(linked, lambda m: m.familiarity, ("seen", "unseen", "trap")),
        "ambiguity": _groups(linked, _ambiguity, tuple(_range_name(*bounds) for bounds in AMBIGUITY)),
    }


def bag_of_titles(mentions: Sequence[Resolved]) -> float:
    """Micro F1 of the sets of titles, document by document. Given linked mentions only, it is the paper's figure, whose
    corpora hold no others; given all, titles predicted for NIL mentions count against precision."""
    gold: set[tuple[int, str]] = {(m.document, m.gold) for m in mentions if m.gold is not None}
    predicted = {(m.document, m.predicted) for m in mentions if m.predicted is not None}
    return ratio(2 * len(gold & predicted), len(gold) + len(predicted))


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


def _groups(mentions: Sequence[Resolved], name_of: Any, names: Sequence[str]) -> Mapping[str, Mapping[str, float]]:
    """Accuracy and size of every group that has mentions."""
    found = {name: [m for m in mentions if name_of(m) == name] for name in names}
    return {
        name: {"accuracy": ratio(sum(m.right for m in group), len(group)), "mentions": len(group)}
        for name, group in found.items()
        if group
    }
