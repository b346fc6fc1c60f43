"""{"surface", "entities": [[title, count, [sources]]]}: a line of a lexicon, kept unchanged."""

from __future__ import annotations

from typing import Any, Final

from engine.corpora.records.fields import compose, required, rest
from engine.data.document import Document

NAME: Final = "surface"
COMPACT: Final = True
KNOWN: Final = ("surface",)


def matches(record: dict[str, Any]) -> bool:
    return "surface" in record


def read(record: dict[str, Any], position: int) -> Document:
    surface = required(record, "surface", str)
    required(record, "entities", list)
    return Document(surface, surface, shape=NAME, extra=rest(record, KNOWN, KNOWN))


def holds(document: Document) -> bool:
    return not document.tokens and not document.layers and document.bag is None and document.id == document.text


def write(document: Document) -> dict[str, Any]:
    return compose({"surface": document.text}, document.extra, KNOWN)
