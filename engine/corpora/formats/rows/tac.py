"""TAC-KBP tables (2015 on): run, mention id, surface, document:start-end, entity id, type, mention type, confidence.

Tab-separated; the end is the last character, inclusive; ids that begin with NIL name clusters. Texts lie in
x.texts.jsonl: see engine/corpora/io/texts.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from engine.corpora import holdings
from engine.corpora.formats.rows.neleval import HOLDS, table_losses
from engine.corpora.io import texts
from engine.data.document import Document, Mention
from engine.data.errors import InputError

TITLE: Final = "TAC-KBP table"
EXTENSIONS: Final = (".tac", ".tac.tab")
ABOUT: Final = "Entity discovery and linking results as submitted to TAC: eight columns, ends inclusive."

PLACE = re.compile(r"(.+):(\d{1,15})-(\d{1,15})")
RUN: Final = "espalier"
UNKNOWN_TYPE: Final = "-"
KEPT: Final = ("run", "query", "kind")


def read(path: Path) -> Iterator[Document]:
    return texts.documents(_rows(path), path, "tac")


def _rows(path: Path) -> Iterator[texts.MentionRow]:
    for number, cells in texts.cells(path):
        if len(cells) != 8:
            raise InputError(f"{len(cells)} columns, expected eight", file=path, line=number)
        run, query, surface, place, link, kind, level, confidence = cells
        match = PLACE.fullmatch(place)
        if not match:
            raise InputError(
                f"expected document:start-end, found {place[:60]!r}", file=path, line=number, field="place"
            )
        entity, extra = texts.read_link(link)
        kept: dict[str, Any] = {"run": run, "query": query, "kind": level}
        start, last = int(match[2]), int(match[3])
        mention = Mention(
            *texts.span(start, last + 1, path, number),
            None if kind == UNKNOWN_TYPE else kind,
            entity,
            texts.read_score(confidence, path, number),
            {**extra, **kept},
        )
        yield texts.MentionRow(number, match[1], mention, surface)


def write(documents: Iterable[Document], path: Path) -> None:
    links = texts.LinkIds()
    count = 0

    def rows() -> Iterator[tuple[Document, list[str]]]:
        nonlocal count
        for document in documents:
            lines = []
            for mention, link in zip(document.gold.mentions, links.of(document.gold), strict=True):
                count += 1
                lines.append(_line(document, mention, link, count))
            yield document, lines

    texts.write(rows(), path, "tac")


def _line(document: Document, mention: Mention, link: str, count: int) -> str:
    surface = " ".join(document.surface(mention).split()) or "-"
    cells = [
        _own(mention, "run", RUN),
        _own(mention, "query", f"M{count:06d}"),
        surface,
        f"{document.id}:{mention.start}-{mention.end - 1}",
        link,
        UNKNOWN_TYPE if mention.type is None else mention.type,
        _own(mention, "kind", "NAM"),
        texts.write_score(mention.score),
    ]
    for cell in cells:
        if not texts.is_cell(cell):
            raise InputError(f"document {document.id!r}: {cell!r} cannot be written in a column")
    return "\t".join(cells)


def _own(mention: Mention, field: str, usual: str) -> str:
    """The value that a table had for this field; other formats may use the name for something else."""
    found = mention.extra.get(field)
    return found if isinstance(found, str) else usual


def losses(document: Document) -> list[str]:
    return [*holdings.missing(document, HOLDS), *table_losses(document, {*KEPT, texts.NIL_ID})]
