"""Comma-separated tables with a header, one row per text, mention, relation or sentence of a pair; see `tables`.

On writing, each mention is a row: id, text, mention, start, end, entity, type, chain. A document without mentions has
one row.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from engine.corpora import holdings, tables
from engine.corpora.io import files
from engine.corpora.tables.building import NIL_CELLS
from engine.data.document import NIL, Document
from engine.data.errors import InputError

TITLE: Final = "Table (CSV)"
EXTENSIONS: Final = (".csv",)
ABOUT: Final = "A spreadsheet with a column of texts, and columns for mentions, entities, types or relations."

HEADER: Final = ("id", "text", "mention", "start", "end", "entity", "type", "chain")
HOLDS: Final = ("types", "untyped", "links", "nil", "unlinked", "clusters", "nested", "inside")
ORDER: Final = "the order of clusters"


def read(path: Path) -> Iterator[Document]:
    return iter(tables.read(path))


def write(documents: Iterable[Document], path: Path) -> None:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    for cells in rows(documents):
        writer.writerow(cells)
    with files.FileBatch() as batch:
        batch.create(path).write(text.getvalue().encode("utf-8"))


def rows(documents: Iterable[Document]) -> Iterator[tuple[str, ...]]:
    """The header, and a row per mention; InputError for anything that would not be read back."""
    yield HEADER
    seen: set[str] = set()
    for document in documents:
        if document.id in seen or not document.text.strip():
            fault = "occurs twice" if document.id in seen else "has no text"
            raise InputError(f"document {document.id!r} {fault}, which a table cannot say")
        seen.add(document.id)
        chain = document.gold.cluster_of()
        for i, mention in enumerate(document.gold.mentions):
            if mention.entity is not None and mention.entity.lower() in NIL_CELLS and mention.entity != NIL:
                raise InputError(f"document {document.id!r}: the entity {mention.entity!r} cannot be told from NIL")
            entity = "NIL" if mention.entity == NIL else _cell(mention.entity, document)
            number = str(chain[i] + 1) if i in chain else ""
            place = (document.surface(mention), str(mention.start), str(mention.end))
            yield _cell(document.id, document), document.text, *place, entity, _cell(mention.type, document), number
        if not document.gold.mentions:
            yield (_cell(document.id, document), document.text, *[""] * (len(HEADER) - 2))


def _cell(value: str | None, document: Document) -> str:
    if value is not None and (not value or value != value.strip()):
        raise InputError(f"document {document.id!r}: {value!r} cannot be stored in a cell of a table")
    return value or ""


def losses(document: Document) -> list[str]:
    lost = holdings.missing(document, HOLDS)
    clusters = document.gold.clusters
    if list(clusters) != sorted(tuple(sorted(cluster)) for cluster in clusters):
        lost.append(ORDER)
    return lost
