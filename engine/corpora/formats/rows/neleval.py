"""neleval: one mention per line: document, start, end, entity id, score, type; tab-separated, without text.

The end is the last character, inclusive. Ids that begin with NIL name clusters of unknown entities; others name
entities and hold no white space, so titles are written with "_". More (id, score, type) triples may follow:
they are kept as further candidates. Texts lie in x.texts.jsonl: see engine/corpora/io/texts.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from engine.corpora import holdings
from engine.corpora.io import texts
from engine.data.document import NIL, Document, Mention
from engine.data.errors import InputError

TITLE: Final = "neleval"
EXTENSIONS: Final = (".neleval", ".combined.tsv")
ABOUT: Final = "Stand-off links as the TAC entity-linking scorer reads them; ends are inclusive."

OTHERS: Final = "alternatives"
HOLDS: Final = {"types", "untyped", "links", "nil", "scores", "clusters", "nested", "extra"}


def read(path: Path) -> Iterator[Document]:
    return texts.documents(_rows(path), path, "neleval")


def _rows(path: Path) -> Iterator[texts.MentionRow]:
    for number, cells in texts.cells(path):
        if len(cells) < 3 or (len(cells) > 6 and len(cells) % 3):
            raise InputError(
                f"{len(cells)} columns, expected document, start, end, entity, score, type", file=path, line=number
            )
        start = texts.number(cells[1], "start", path, number)
        last = texts.number(cells[2], "end", path, number)
        entity: str | None = None
        extra: dict[str, Any] = {}
        if len(cells) > 3 and cells[3]:
            entity, extra = texts.read_link(cells[3])
        if len(cells) > 6:
            extra[OTHERS] = cells[6:]
        score = texts.read_score(cells[4], path, number) if len(cells) > 4 else None
        kind = (cells[5] or None) if len(cells) > 5 else None
        mention = Mention(*texts.span(start, last + 1, path, number), kind, entity, score, extra)
        yield texts.MentionRow(number, cells[0], mention)


def write(documents: Iterable[Document], path: Path) -> None:
    links = texts.LinkIds()
    texts.write(((document, _lines(document, links)) for document in documents), path, "neleval")


def _lines(document: Document, links: texts.LinkIds) -> list[str]:
    rows = []
    for mention, link in zip(document.gold.mentions, links.of(document.gold), strict=True):
        cells = [document.id, str(mention.start), str(mention.end - 1), link, texts.write_score(mention.score)]
        if mention.type is not None:
            cells.append(mention.type)
        if mention.extra.get(OTHERS):
            cells += [""] * (6 - len(cells)) + list(mention.extra[OTHERS])
        if mention.type is not None and not texts.is_cell(mention.type):
            raise InputError(f"document {document.id!r}: the type {mention.type!r} cannot be written in a column")
        rows.append("\t".join(cells))
    return rows


def losses(document: Document) -> list[str]:
    return [*holdings.missing(document, HOLDS), *table_losses(document, {OTHERS, texts.NIL_ID})]


def table_losses(document: Document, known: set[str]) -> list[str]:
    """What tables of links lose, besides everything for which they have no column."""
    gold = document.gold
    found = []
    if any(len(c) < 2 or any(gold.mentions[i].entity != NIL for i in c) for c in gold.clusters):
        found.append("clusters, except those of two and more NIL mentions")
    if gold.extra or document.extra or any(set(m.extra) - known for m in gold.mentions):
        found.append("further fields")
    return found
