"""{"id", "text", "mentions": [{"start", "end", "text", "entity", ...}]}: a short text with entity links."""

from __future__ import annotations

from typing import Any, Final

from engine.corpora.records.fields import compose, read_id, required, rest, write_id
from engine.corpora.records.spans import read_mentions, write_mentions
from engine.data.document import GOLD, Document, Layer

NAME: Final = "tweet"
COMPACT: Final = True
KNOWN: Final = ("id", "text", "mentions")


def matches(record: dict[str, Any]) -> bool:
    return "text" in record


def read(record: dict[str, Any], position: int) -> Document:
    extra = rest(record, KNOWN, KNOWN)
    text = required(record, "text", str)
    layers = {GOLD: read_mentions(record["mentions"], text, "mentions")} if "mentions" in record else {}
    return Document(read_id(record, position, extra), text, layers=layers, shape=NAME, extra=extra)


def holds(document: Document) -> bool:
    return is_plain(document) and set(document.layers) <= {GOLD} and has_mentions_only(document.gold)


def write(document: Document) -> dict[str, Any]:
    values = write_id(document.id, document.extra)
    values |= {"text": document.text, "mentions": write_mentions(document, document.gold)}
    return compose(values, document.extra, KNOWN)


def is_plain(document: Document) -> bool:
    """Whether the text is not divided into tokens."""
    return not document.tokens and not document.sentences and document.bag is None


def has_mentions_only(layer: Layer) -> bool:
    return not layer.clusters and not layer.relations and not layer.labels
