"""{"row": [cells]}: a line of a table, kept unchanged."""

from __future__ import annotations

from typing import Any, Final

from engine.corpora.records.fields import compose, list_of, required, rest
from engine.data.document import Document

NAME: Final = "row"
COMPACT: Final = True
KNOWN: Final = ("row",)


def matches(record: dict[str, Any]) -> bool:
    return "row" in record


def read(record: dict[str, Any], position: int) -> Document:
    cells = list_of(required(record, "row", list), str, "row")
    return of_cells(cells, rest(record, KNOWN, KNOWN))


def of_cells(cells: list[str], extra: dict[str, Any]) -> Document:
    return Document(cells[0] if cells else "", "\t".join(cells), shape=NAME, extra={"row": cells, **extra})


def holds(document: Document) -> bool:
    return not document.tokens and not document.layers and document.bag is None and "row" in document.extra


def write(document: Document) -> dict[str, Any]:
    return compose({"row": document.extra["row"]}, document.extra, KNOWN)
