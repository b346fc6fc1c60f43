"""{"id", "text", "links": [{"start", "end", "text", "mid", "entity", "score"}], ...}: the output of another linker.

The links are predictions, so they form the layer "links", separate from gold.
"""

from __future__ import annotations

from typing import Any, Final

from engine.corpora.records.fields import compose, read_id, required, rest, write_id
from engine.corpora.records.spans import read_mentions, write_mentions
from engine.corpora.shapes.tweet import has_mentions_only, is_plain
from engine.data.document import GOLD, Document

NAME: Final = "links"
COMPACT: Final = True
KNOWN: Final = ("id", "text", "links", "mentions")
ALWAYS: Final = ("id", "text", "links")
LAYER: Final = "links"


def matches(record: dict[str, Any]) -> bool:
    return "text" in record and "links" in record


def read(record: dict[str, Any], position: int) -> Document:
    extra = rest(record, KNOWN, ALWAYS)
    text = required(record, "text", str)
    layers = {LAYER: read_mentions(record["links"], text, "links")}
    if "mentions" in record:
        layers[GOLD] = read_mentions(record["mentions"], text, "mentions")
    return Document(read_id(record, position, extra), text, layers=layers, shape=NAME, extra=extra)


def holds(document: Document) -> bool:
    known = LAYER in document.layers and set(document.layers) <= {LAYER, GOLD}
    return is_plain(document) and known and all(map(has_mentions_only, document.layers.values()))


def write(document: Document) -> dict[str, Any]:
    values = write_id(document.id, document.extra)
    values |= {"text": document.text, "links": write_mentions(document, document.layers[LAYER])}
    values["mentions"] = write_mentions(document, document.gold)
    return compose(values, document.extra, ALWAYS)
