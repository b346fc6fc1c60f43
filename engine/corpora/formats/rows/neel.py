"""NEEL (Microposts) tables: tweet, start, end, DBpedia URI or NIL id, score, type; tab-separated, without text.

Offsets are characters, the end is exclusive. NEEL-IT files leave out the score. Texts of the tweets lie in
x.texts.jsonl or x.texts.tsv (id, tab, text): see engine/corpora/io/texts.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from engine.corpora import holdings
from engine.corpora.formats.rows.neleval import HOLDS, table_losses
from engine.corpora.io import texts
from engine.corpora.io.names import from_uri, to_uri
from engine.data.document import NIL, Document, Mention
from engine.data.errors import InputError

TITLE: Final = "NEEL"
EXTENSIONS: Final = (".gs", ".neel")
ABOUT: Final = "Tweet annotations of the Microposts challenges: DBpedia links, NIL clusters and types."

UNSCORED: Final = "unscored"


def read(path: Path) -> Iterator[Document]:
    return texts.documents(_rows(path), path, "neel")


def _rows(path: Path) -> Iterator[texts.MentionRow]:
    for number, cells in texts.cells(path):
        if len(cells) not in (5, 6):
            raise InputError(
                f"{len(cells)} columns, expected tweet, start, end, link, score, type", file=path, line=number
            )
        start = texts.number(cells[1], "start", path, number)
        end = texts.number(cells[2], "end", path, number)
        extra: dict[str, Any] = {texts.NIL_ID: cells[3]} if cells[3].startswith("NIL") else {}
        entity = NIL if extra else from_uri(cells[3])
        if len(cells) == 5:
            extra[UNSCORED] = True
        score = texts.read_score(cells[4], path, number) if len(cells) == 6 else None
        mention = Mention(*texts.span(start, end, path, number), cells[-1] or None, entity, score, extra)
        yield texts.MentionRow(number, cells[0], mention)


class _Links(texts.LinkIds):
    def entity(self, title: str) -> str:
        return to_uri(title)


def write(documents: Iterable[Document], path: Path) -> None:
    links = _Links()
    texts.write(((document, _lines(document, links)) for document in documents), path, "neel")


def _lines(document: Document, links: texts.LinkIds) -> list[str]:
    rows = []
    for mention, link in zip(document.gold.mentions, links.of(document.gold), strict=True):
        cells = [document.id, str(mention.start), str(mention.end), link]
        if mention.score is not None or not mention.extra.get(UNSCORED):
            cells.append(texts.write_score(mention.score))
        if mention.type is not None and not texts.is_cell(mention.type):
            raise InputError(f"document {document.id!r}: the type {mention.type!r} cannot be written in a column")
        rows.append("\t".join([*cells, mention.type or ""]))
    return rows


def losses(document: Document) -> list[str]:
    return [*holdings.missing(document, HOLDS), *table_losses(document, {UNSCORED, texts.NIL_ID})]
