"""The contents of a document, to tell what is lost in a format that cannot hold them."""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise
from typing import Any, Final

from engine.corpora.records.spans import on_tokens
from engine.data.document import COMMENTS, GOLD, NIL, Document, Layer

OTHER_LAYERS: Final = "layers besides gold"


def missing(document: Document, holds: Collection[str]) -> list[str]:
    """Descriptions of what the document has and the format cannot hold; `holds` names what it can.

    Names: types, untyped, links, nil, unlinked, scores, clusters, relations, labels, nested, layers, tokens,
    inside, columns, comments, extra.
    """
    return [sentence for name, sentence in _has(document).items() if name not in holds]


def _has(document: Document) -> dict[str, str]:
    gold = document.gold
    mentions = gold.mentions
    has: dict[str, str] = {}
    if any(m.type is not None for m in mentions):
        has["types"] = "mention types"
    if any(m.type is None for m in mentions):
        has["untyped"] = "that some mentions have no type"
    if any(m.is_linked for m in mentions):
        has["links"] = "entity links"
    if any(m.entity == NIL for m in mentions):
        has["nil"] = "that mentions are NIL"
    if any(m.entity is None for m in mentions):
        has["unlinked"] = "that some mentions have no link, not even NIL"
    if any(m.score is not None for m in mentions) or any(r.score is not None for r in gold.relations):
        has["scores"] = "scores"
    if gold.clusters:
        has["clusters"] = "clusters"
    if gold.relations:
        has["relations"] = "relations"
    if gold.labels or document.bag is not None:
        has["labels"] = "labels and bags"
    if _overlap(gold):
        has["nested"] = "mentions that overlap"
    if set(document.layers) - {GOLD}:
        has["layers"] = OTHER_LAYERS
    if document.tokens or document.sentences:
        has["tokens"] = "tokens and sentences"
    if document.tokens and not on_tokens(document, mentions):
        has["inside"] = "mention borders inside tokens"
    if document.columns:
        has["columns"] = "token columns"
    if has_comments(document):
        has["comments"] = "comments"
    if has_further(document):
        has["extra"] = "further fields"
    return has


def _overlap(layer: Layer) -> bool:
    spans = sorted(mention.span for mention in layer.mentions)
    return any(after[0] < before[1] for before, after in pairwise(spans))


def has_further(document: Document) -> bool:
    """Whether it has extra fields, which only the native format can hold."""
    parts: list[Any] = [document, *document.layers.values()]
    for layer in document.layers.values():
        parts += [*layer.mentions, *layer.relations]
    if document.bag is not None:
        parts += document.bag.members
    return any(not name.startswith("#") and name != COMMENTS for part in parts for name in part.extra)


def has_comments(document: Document) -> bool:
    """Whether it has comments."""
    return any(
        COMMENTS in extra
        for layer in document.layers.values()
        for extra in (layer.extra, *(m.extra for m in layer.mentions), *(r.extra for r in layer.relations))
    )
