"""Scores of entity linking: overlap match, strict match, and presence per text.

Overlap match (Carmel et al. 2014, used by Yang and Chang 2015): a predicted link is right when its span shares a
character with a gold mention of the same entity; recall counts the gold mentions that some prediction finds. Gold
mentions without an entity in the knowledge base (NIL) are ignored. Presence (the IR-driven evaluation): with every gold
entity as a query, does the text mention it? Offsets are ignored there, and texts annotated without offsets are
included.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence, Set
from dataclasses import dataclass

from engine.data.document import Document, Layer, Mention

OTHER_TITLE = "entity_2022"
"""Field of a gold mention with another title of the same entity."""


@dataclass(frozen=True)
class Counts:
    """Correct predictions out of all predicted, and gold items found out of all gold."""

    correct: int = 0
    predicted: int = 0
    found: int = 0
    gold: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.correct + other.correct,
            self.predicted + other.predicted,
            self.found + other.found,
            self.gold + other.gold,
        )

    def scores(self) -> dict[str, float]:
        precision = self.correct / self.predicted if self.predicted else 0.0
        recall = self.found / self.gold if self.gold else 0.0
        total = precision + recall
        return {"precision": precision, "recall": recall, "f1": 2 * precision * recall / total if total else 0.0}


def titles_of(mention: Mention) -> frozenset[str]:
    """All titles that count as correct for the gold link."""
    other = mention.extra.get(OTHER_TITLE)
    return frozenset(str(t) for t in (mention.entity, other) if t)


def linked(layer: Layer) -> list[Mention]:
    """Mentions with an entity of the knowledge base, each span and entity once."""
    kept: dict[tuple[int, int, str | None], Mention] = {}
    for mention in layer.mentions:
        if mention.is_linked:
            kept.setdefault((mention.start, mention.end, mention.entity), mention)
    return list(kept.values())


def is_overlap_match(gold: Mention, predicted: Mention) -> bool:
    return gold.start < predicted.end and predicted.start < gold.end and predicted.entity in titles_of(gold)


def is_strict_match(gold: Mention, predicted: Mention) -> bool:
    return gold.span == predicted.span and predicted.entity in titles_of(gold)


def match(
    gold: Sequence[Mention],
    predicted: Sequence[Mention],
    matches: Callable[[Mention, Mention], bool] = is_overlap_match,
) -> Counts:
    """Counts of one text."""
    return Counts(
        correct=sum(any(matches(g, p) for g in gold) for p in predicted),
        predicted=len(predicted),
        found=sum(any(matches(g, p) for p in predicted) for g in gold),
        gold=len(gold),
    )


def count_document(
    document: Document,
    layer: Layer,
    *,
    matches: Callable[[Mention, Mention], bool] = is_overlap_match,
    inside: Callable[[str], bool] | None = None,
) -> Counts:
    """Counts of one text, its gold restricted to entities that are `inside`."""
    gold = linked(document.gold)
    if inside is not None:
        gold = [mention for mention in gold if any(inside(title) for title in titles_of(mention))]
    return match(gold, linked(layer), matches)


def queries(documents: Sequence[Document]) -> frozenset[str]:
    """All titles of the gold entities: the queries of presence."""
    return frozenset(title for document in documents for group in _entities(document.gold) for title in group)


def presence(
    documents: Sequence[Document], layers: Sequence[Layer], asked: Collection[str] | None = None
) -> list[Counts]:
    """Counts of each text. Every gold entity is a query: is it found in the texts that mention it, and in no others?
    `asked` are the queries of the whole corpus if these texts are only a part of it; otherwise None."""
    wanted = queries(documents) if asked is None else asked
    counts = []
    for document, layer in zip(documents, layers, strict=True):
        said = {title for title in titles_said(layer) if title in wanted}
        found, gold, correct = present(document, said)
        counts.append(Counts(correct=correct, predicted=len(said), found=found, gold=gold))
    return counts


def present(document: Document, said: Set[str]) -> tuple[int, int, int]:
    """The number of a text's entities that were predicted, of all its entities, and of correct predicted titles."""
    groups = _entities(document.gold)
    named = {title for group in groups for title in group}
    return sum(bool(group & said) for group in groups), len(groups), len(said & named)


def titles_said(layer: Layer) -> set[str]:
    return {str(mention.entity) for mention in linked(layer)}


def _entities(layer: Layer) -> set[frozenset[str]]:
    """The entities of a text, each with its titles, by mention or by label."""
    return {titles_of(mention) for mention in linked(layer)} | {frozenset([label]) for label in layer.labels}
