"""The contents of a document, to tell what is lost in a format that cannot hold them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
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
    return {name: sentence for name, sentence, there in (*_in_gold(document.gold), *_around(document)) if there}


def _in_gold(gold: Layer) -> Iterator[tuple[str, str, bool]]:
    """What a layer may have: its name, its description, and whether it is there."""
    mentions = gold.mentions
    has_scores = any(m.score is not None for m in mentions) or any(r.score is not None for r in gold.relations)
    yield "types", "mention types", any(m.type is not None for m in mentions)
    yield "untyped", "that some mentions have no type", any(m.type is None for m in mentions)
    yield "links", "entity links", any(m.is_linked for m in mentions)
    yield "nil", "that mentions are NIL", any(m.entity == NIL for m in mentions)
    yield "unlinked", "that some mentions have no link, not even NIL", any(m.entity is None for m in mentions)
    yield "scores", "scores", has_scores
    yield "clusters", "clusters", bool(gold.clusters)
    yield "relations", "relations", bool(gold.relations)
    yield "nested", "mentions that overlap", _overlap(gold)


def _around(document: Document) -> Iterator[tuple[str, str, bool]]:
    """What a document may have besides the parts of its gold layer."""
    off_tokens = bool(document.tokens) and not on_tokens(document, document.gold.mentions)
    yield "labels", "labels and bags", bool(document.gold.labels) or document.bag is not None
    yield "layers", OTHER_LAYERS, bool(set(document.layers) - {GOLD})
    yield "tokens", "tokens and sentences", bool(document.tokens or document.sentences)
    yield "inside", "mention borders inside tokens", off_tokens
    yield "columns", "token columns", bool(document.columns)
    yield "comments", "comments", has_comments(document)
    yield "extra", "further fields", has_further(document)


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
