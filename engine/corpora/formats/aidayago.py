"""AIDA-YAGO (CoNLL-YAGO) TSV: one token per line, with the mention it belongs to and its entity.

    -DOCSTART- (1 EU)
    token   B|I   mention   YAGO name or --NME--   Wikipedia URL   Wikipedia id   Freebase id

Tokens outside mentions have one column; a blank line ends a sentence. --NME-- is an entity outside the knowledge base.
Cells after the mention are kept as read as long as the link is unchanged.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from engine.corpora import holdings
from engine.corpora.io import files
from engine.corpora.io.names import WIKIPEDIA, from_name, from_uri, to_name, to_uri
from engine.corpora.shapes.sentence import is_joined
from engine.data.document import GOLD, NIL, Document, Layer, Mention
from engine.data.errors import InputError

TITLE: Final = "AIDA-YAGO"
EXTENSIONS: Final = (".aida", ".aida.tsv")
ABOUT: Final = "CoNLL-2003 tokens with entity links to YAGO, Wikipedia and Freebase."

START: Final = "-DOCSTART-"
OUTSIDE: Final = "--NME--"
CELLS: Final = "aida"
BLANK: Final = " \t\r"
HOLDS: Final = {"untyped", "links", "nil", "unlinked", "tokens", "extra"}
ESCAPE = re.compile(r"\\u[0-9a-fA-F]{4}")


@dataclass
class _Open:
    """The document being read; spans are [first token, last token, line, cells after the mention]."""

    id: str
    line: int
    sentences: list[list[str]] = field(default_factory=list)
    spans: list[tuple[int, int, tuple[str, ...]]] = field(default_factory=list)
    broken: bool = True
    inside: bool = False
    count: int = 0


def read(path: Path) -> Iterator[Document]:
    current: _Open | None = None
    for number, raw in files.lines(path):
        line = raw.rstrip("\r")
        if line.startswith(START):
            if current is not None:
                yield _document(current)
            current = _Open(_id(line, path, number), number)
        elif not line.strip(BLANK):
            if current is not None:
                current.broken = True
                current.inside = False
        elif current is None:
            raise InputError(f'expected "{START} (name)" before the first token', file=path, line=number)
        else:
            try:
                _token(current, line.split("\t"))
            except InputError as error:
                raise error.at(path, number) from None
    if current is None:
        raise InputError(f"there is no {START} line", file=path, line=1)
    yield _document(current)


def _id(line: str, path: Path, number: int) -> str:
    name = line.removeprefix(START).strip()
    if not (name.startswith("(") and name.endswith(")") and len(name) > 2):
        raise InputError(f'expected "{START} (name)"', file=path, line=number)
    return name[1:-1]


def _token(current: _Open, cells: list[str]) -> None:
    if not cells[0]:
        raise InputError("the token is empty", field="token")
    if current.broken:
        current.sentences.append([])
        current.broken = False
    current.sentences[-1].append(cells[0])
    token = current.count
    current.count += 1
    mark = cells[1] if len(cells) > 1 else ""
    if mark not in ("", "B", "I") or len(cells) > 7:
        raise InputError(f"expected token, B or I, mention, entity, URL, id, id; found {mark[:40]!r}", field="mark")
    if mark == "I":
        if not current.inside or current.spans[-1][2] != tuple(cells[3:]):
            raise InputError("I continues no mention with these cells; it should be B", field="mark")
        first, _, rest = current.spans[-1]
        current.spans[-1] = first, token + 1, rest
    elif mark == "B":
        current.spans.append((token, token + 1, tuple(cells[3:])))
    current.inside = bool(mark)


def _document(current: _Open) -> Document:
    bare = Document.from_words(current.id, current.sentences, shape="aidayago")
    mentions = []
    for first, last, cells in current.spans:
        entity = _entity(cells)
        extra = {CELLS: list(cells)} if list(cells) != _cells(entity) else {}
        mentions.append(Mention(*bare.char_range(first, last), entity=entity, extra=extra))
    return replace(bare, layers={GOLD: Layer(tuple(mentions))})


def _entity(cells: Iterable[str]) -> str | None:
    name, url, *_ = (*cells, "", "")
    if name == OUTSIDE:
        return NIL
    if url:
        return from_uri(url)
    # YAGO escapes characters outside ASCII; the name then is a title with underscores.
    return from_name(ESCAPE.sub(lambda match: codecs.decode(match[0], "unicode_escape"), name)) if name else None


def _cells(entity: str | None) -> list[str]:
    if entity is None:
        return []
    return [OUTSIDE] if entity == NIL else [to_name(entity), to_uri(entity, WIKIPEDIA)]


def write(documents: Iterable[Document], path: Path) -> None:
    with files.FileBatch() as batch:
        file = batch.create(path)
        for document in documents:
            file.write("".join(line + "\n" for line in _lines(document)).encode("utf-8"))


def _lines(document: Document) -> Iterator[str]:
    if document.text and not document.tokens:
        raise InputError(f"document {document.id!r} has no tokens; AIDA-YAGO holds tokenised text only")
    if any(character in document.id for character in "\n\r") or not document.id:
        raise InputError(f"the id {document.id!r} cannot be written")
    yield f"{START} ({document.id})"
    marks: dict[int, list[str]] = {}
    for mention in document.gold.mentions:
        first, last = document.token_range(mention.start, mention.end)
        kept = mention.extra.get(CELLS)
        cells = kept if kept is not None and _entity(kept) == mention.entity else _cells(mention.entity)
        if not any(a <= first and last <= b for a, b in document.sentences or ((0, len(document.tokens)),)):
            raise InputError(f"document {document.id!r}: a mention crosses sentences, which AIDA-YAGO cannot hold")
        surface = " ".join(document.words[first:last])
        for token in range(first, last):
            if token in marks:
                raise InputError(f"document {document.id!r}: mentions overlap, which AIDA-YAGO cannot hold")
            marks[token] = ["B" if token == first else "I", surface, *cells]
    for first, last in document.sentences or ((0, len(document.tokens)),):
        for token in range(first, last):
            word = document.words[token]
            if not word.strip(BLANK) or word.startswith(START) or any(character in word for character in "\t\n\r"):
                raise InputError(f"document {document.id!r}: the word {word!r} cannot be written in a column")
            yield "\t".join([word, *marks.get(token, ())])
        yield ""


def losses(document: Document) -> list[str]:
    found = holdings.missing(document, HOLDS)
    others = any(set(mention.extra) - {CELLS} for mention in document.gold.mentions)
    if others or document.extra or document.gold.extra:
        found.append("further fields")
    if document.tokens and not (is_joined(document) and all(a < b for a, b in document.sentences)):
        found.append("white space of the text")
    return found
