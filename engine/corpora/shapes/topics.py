"""{"id", "text", "entities": [titles], ...}: a text with the entities it mentions, without their positions."""

from __future__ import annotations

from typing import Any, Final

from engine.corpora.records.fields import compose, list_of, read_id, required, rest, write_id
from engine.corpora.records.spans import read_mentions, write_mentions
from engine.corpora.shapes.tweet import is_plain
from engine.data.document import GOLD, Document, Layer

NAME: Final = "topics"
COMPACT: Final = True
KNOWN: Final = ("id", "text", "entities", "mentions")
ALWAYS: Final = ("id", "text", "entities")


def matches(record: dict[str, Any]) -> bool:
    return "text" in record and "entities" in record


def read(record: dict[str, Any], position: int) -> Document:
    extra = rest(record, KNOWN, ALWAYS)
    text = required(record, "text", str)
    found = read_mentions(record["mentions"], text, "mentions") if "mentions" in record else Layer()
    gold = Layer(found.mentions, labels=tuple(list_of(record["entities"], str, "entities")), extra=found.extra)
    return Document(read_id(record, position, extra), text, layers={GOLD: gold}, shape=NAME, extra=extra)


def holds(document: Document) -> bool:
    gold = document.gold
    return is_plain(document) and set(document.layers) == {GOLD} and not gold.clusters and not gold.relations


def write(document: Document) -> dict[str, Any]:
    values = write_id(document.id, document.extra)
    values |= {"text": document.text, "entities": list(document.gold.labels)}
    values["mentions"] = write_mentions(document, document.gold)
    return compose(values, document.extra, ALWAYS)
