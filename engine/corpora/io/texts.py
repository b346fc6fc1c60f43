"""Stand-off tables, whose rows refer to texts in other files. Shared by the TAC-like formats.

The texts of x.tsv are read from x.texts.jsonl ({"id", "text"} lines; this is also what we write) or x.texts.tsv (id,
tab, text; or |id|,|text|, as in the NEEL challenge), compressed or not. If there are none, a placeholder text of "□" is
made up, with the surfaces from the table.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from engine.corpora.formats import jsonl
from engine.corpora.io import files
from engine.corpora.io.aside import Aside
from engine.corpora.io.names import from_name, to_name
from engine.corpora.io.sidecars import stem
from engine.corpora.records.offsets import check_surface
from engine.data.document import GOLD, NIL, Document, Layer, Mention
from engine.data.errors import InputError

UNKNOWN: Final = "□"
PIPED = re.compile(r"\|(\d+)\|,\|(.*)\|", re.DOTALL)
TABBED = re.compile(r"([^\t]+)\t(.*)", re.DOTALL)
LONGEST_MADE_UP: Final = 2_000_000
"""Maximum number of characters of a placeholder text, since a table of a few bytes may name any offset."""
MOST_MADE_UP: Final = 100_000_000
"""Maximum number of characters of all placeholder texts of one table."""
TABLE: Final = "table"
"""The field of the first text written next to a table that names the table's format. Two formats look the same if they
contain no entity."""
NIL_ID: Final = "nil"
"""The field of a NIL mention with the id that it shares with other mentions of the same unknown entity."""


@dataclass
class MentionRow:
    """A mention of a document, with its `surface` if the table has it."""

    line: int
    document: str
    mention: Mention
    surface: str | None = None

    def kept(self) -> str:
        """The row as a line for temporary storage."""
        one = self.mention
        return json.dumps([self.line, one.start, one.end, one.type, one.entity, one.score, one.extra, self.surface])

    @classmethod
    def of(cls, document: str, kept: str) -> MentionRow:
        line, start, end, type, entity, score, extra, surface = json.loads(kept)
        return cls(line, document, Mention(start, end, type, entity, score, extra), surface)


def documents(rows: Iterable[MentionRow], path: Path, shape: str) -> Iterator[Document]:
    """The documents of the rows, in the order of the texts, or of the rows if there are no texts. The rows of a
    document may be anywhere in the table."""
    aside = Aside()
    for row in rows:
        aside.keep(row.document, row.kept())
    source = beside(path)
    if source is None:
        made_up = 0
        for id in aside.names():
            group = [MentionRow.of(id, line) for line in aside.lines(id)]
            made_up += _made_up_length(group, path, MOST_MADE_UP - made_up)
            yield _document(id, _made_up(group), group, path, shape)
        return
    for text in _texts(source):
        group = [MentionRow.of(text.id, line) for line in aside.take(text.id)]
        yield _document(text.id, text.text, group, path, shape)
    for id in aside.names():
        first = MentionRow.of(id, aside.lines(id)[0])
        raise InputError(f"document {id!r} has no text in {source.name}", file=path, line=first.line)


def beside(path: Path) -> Path | None:
    for ending in (".texts.jsonl", ".texts.jsonl.gz", ".texts.tsv", ".texts.tsv.gz"):
        candidate = stem(path).with_name(stem(path).name + ending)
        if candidate.exists():
            return candidate
    return None


def _texts(path: Path) -> Iterator[Document]:
    if ".jsonl" in path.suffixes:
        yield from jsonl.read(path)
        return
    for number, line in files.lines(path):
        match = PIPED.fullmatch(line) or TABBED.fullmatch(line)
        if not match:
            raise InputError("expected an id, a tab and a text", file=path, line=number)
        yield Document(match[1], match[2])


def _made_up_length(rows: list[MentionRow], path: Path, most: int) -> int:
    """The necessary length of a placeholder text for these rows; InputError if it is too long, before it is made."""
    last = max(rows, key=lambda row: row.mention.end)
    if last.mention.end > min(LONGEST_MADE_UP, most):
        raise InputError(
            f"the offset {last.mention.end} is beyond what is made up where there are no texts; give the texts as"
            f" {stem(path).name}.texts.tsv",
            file=path,
            line=last.line,
        )
    return last.mention.end


def _made_up(rows: list[MentionRow]) -> str:
    characters = [UNKNOWN] * max(row.mention.end for row in rows)
    for row in rows:
        if row.surface is not None and len(row.surface) == row.mention.end - row.mention.start:
            characters[row.mention.start : row.mention.end] = row.surface
    return "".join(characters)


def _document(id: str, text: str, rows: list[MentionRow], path: Path, shape: str) -> Document:
    for row in rows:
        surface = row.surface
        if surface is not None and row.mention.end <= len(text) and UNKNOWN not in text:
            try:
                check_surface(text, row.mention.span, surface, "surface")
            except InputError as error:
                raise error.at(path, row.line) from None
        if row.mention.end > len(text):
            raise InputError(
                f"[{row.mention.start}, {row.mention.end}) ends after the text of {id!r} ({len(text)} characters)",
                file=path,
                line=row.line,
            )
    mentions = tuple(row.mention for row in rows)
    named: dict[str, list[int]] = {}
    for i, mention in enumerate(mentions):
        if NIL_ID in mention.extra:
            named.setdefault(mention.extra[NIL_ID], []).append(i)
    clusters = tuple(tuple(group) for group in named.values() if len(group) > 1)
    return Document(id, text, layers={GOLD: Layer(mentions, clusters)}, shape=shape)


def cells(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Rows of a table with their line numbers. If there are texts, the table may be empty: no mentions at all."""
    for line_number, line in files.lines(path, may_be_empty=beside(path) is not None):
        if line.strip():
            yield line_number, line.removesuffix("\r").split("\t")


def number(cell: str, what: str, path: Path, line: int) -> int:
    if not (cell.isascii() and cell.isdigit() and len(cell) < 16):
        raise InputError(f"expected a whole number, found {cell[:40]!r}", file=path, line=line, field=what)
    return int(cell)


def span(start: int, end: int, path: Path, line: int) -> tuple[int, int]:
    if end <= start:
        raise InputError(f"the span [{start}, {end}) is empty", file=path, line=line)
    return start, end


SURE: Final = "1.0"
"""The score that stands for "no score", as is usual for human annotation."""


def read_score(cell: str, path: Path, line: int) -> float | None:
    if cell in ("", SURE):
        return None
    try:
        value = float(cell)
    except ValueError:
        value = float("nan")
    if not abs(value) < float("inf"):
        raise InputError(f"expected a number, found {cell[:40]!r}", file=path, line=line, field="score")
    return value


def write_score(score: float | None) -> str:
    if score is None:
        return SURE
    return str(int(score)) if score == 1 else repr(score)


def read_link(cell: str) -> tuple[str, dict[str, Any]]:
    """Entity and extra fields of a mention, from an id that begins with NIL or names an entity."""
    return (NIL, {NIL_ID: cell}) if cell.startswith("NIL") else (from_name(cell), {})


class LinkIds:
    """Ids for the links of a file's mentions; each NIL cluster gets one of its own."""

    def __init__(self) -> None:
        self._count = 0

    def of(self, layer: Layer) -> list[str]:
        ids: list[str] = []
        shared: dict[int, str] = {}
        clusters = layer.cluster_of()
        for i, mention in enumerate(layer.mentions):
            if mention.is_linked:
                ids.append(self.entity(mention.entity or ""))
                continue
            id = shared.get(clusters[i]) if i in clusters else None
            if id is None:
                self._count += 1
                id = mention.extra.get(NIL_ID) or f"NIL{self._count:04d}"
            if i in clusters:
                shared[clusters[i]] = id
            ids.append(id)
        return ids

    def entity(self, title: str) -> str:
        return to_name(title)


def table_of(path: Path) -> str | None:
    """The format of a table as recorded in its texts; None if they do not contain it."""
    source = beside(path)
    if source is None or ".jsonl" not in source.suffixes:
        return None
    first = next((line for _, line in files.lines(source) if line.strip()), "")
    record = jsonl.parse(first)
    told = record.get(TABLE) if isinstance(record, dict) else None
    return told if isinstance(told, str) else None


def write(lines: Iterable[tuple[Document, list[str]]], path: Path, format: str) -> None:
    """Write the rows of documents, and their texts next to them; `format` is the name of the table's format."""
    with files.FileBatch() as batch:
        table = batch.create(path)
        ending = ".texts.jsonl" + (".gz" if path.suffix == ".gz" else "")
        place = stem(path).with_name(stem(path).name + ending)
        texts: IO[bytes] = batch.create(place)
        told = {TABLE: format}
        for document, rows in lines:
            if not is_cell(document.id):
                raise InputError(f"the id {document.id!r} has white space that the format cannot hold")
            table.write("".join(row + "\n" for row in rows).encode("utf-8"))
            record = {"id": document.id, "text": document.text} | told
            told = {}
            texts.write((json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n").encode("utf-8"))
        stranger = beside(path)
        if stranger not in (None, place):
            raise InputError(f"lies where the texts of {path.name} would be looked for; move it away", file=stranger)


def is_cell(text: str) -> bool:
    return bool(text) and not any(character in text for character in "\t\n\r")
