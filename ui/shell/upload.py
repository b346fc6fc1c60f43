"""Reading what a visitor uploads: all of it or a sentence that says where it breaks, and a report of what is in it."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Final, Protocol

from engine import corpora
from engine.corpora import pasting, tables
from engine.corpora.io import archives, files
from engine.data.document import Document
from engine.data.errors import InputError
from engine.data.plain_text import tokenised
from engine.store.large.spooled import gathered

TABLES: Final = ("csv", "xlsx")
"""Formats whose columns can be named."""


class Upload(Protocol):
    name: str

    def getvalue(self) -> bytes: ...


@dataclass(frozen=True)
class Fault:
    """Why an upload cannot be used; `excerpt` is the line it breaks at."""

    sentence: str
    excerpt: str = ""


@dataclass(frozen=True)
class Reading:
    """What came out of an upload: documents, or the fault; and what is odd about the documents."""

    documents: Sequence[Document] = ()
    """Many are in a temporary file, which goes with the last who looks at them."""
    fault: Fault | None = None
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class How:
    """How to read an upload where its name and content leave that open."""

    format: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    """Of a table: column by role, in place of the guess; an empty one takes the role away."""
    row: str | None = None
    """Of a table: what a row is."""
    unit: str = "whole"
    """Of plain text: what a document is."""


def read(uploads: Sequence[Upload], how: How = How()) -> Reading:
    """Read uploaded files as one corpus. Files that belong to another (sidecars, stand-off) may come along."""
    with tempfile.TemporaryDirectory(prefix="espalier-upload-") as folder:
        try:
            paths = archives.main_files(_unpacked(uploads, Path(folder)))
        except InputError as error:
            return Reading(fault=Fault(str(error)))
        reading = paths[:1]

        def stream() -> Iterator[Document]:
            for path in paths:
                reading[:] = [path]
                yield from _documents(path, how, alone=len(paths) == 1)

        try:
            documents = gathered(stream())
        except InputError as error:
            sentence = str(error).replace(f"{folder}/", "")
            return Reading(fault=Fault(sentence, _excerpt(reading[0], error.line)))
    repeated = [id for id, n in Counter(document.id for document in documents).items() if n > 1]
    if repeated:
        sentence = (
            f"{len(repeated)} document ids occur twice, the first is {repeated[0]!r}: ids must differ in a corpus"
        )
        return Reading(fault=Fault(sentence))
    return Reading(documents, remarks=tuple(remarks_on(documents)))


def table_of(uploads: Sequence[Upload], format: str | None = None) -> tables.Grid | None:
    """The table that an upload is, for its columns to be named; None where it is something else, or cannot be read."""
    with tempfile.TemporaryDirectory(prefix="espalier-upload-") as folder:
        try:
            paths = archives.main_files(_unpacked(uploads, Path(folder)))
            if len(paths) == 1 and _format(paths[0], format) in TABLES:
                return tables.read_grid(paths[0])
        except InputError:
            # Reading it as a corpus meets the same fault, and says it.
            return None
    return None


def is_plain(uploads: Sequence[Upload], format: str | None = None) -> bool:
    """Whether an upload is plain text, for somebody to say what a document of it is."""
    with tempfile.TemporaryDirectory(prefix="espalier-upload-") as folder:
        try:
            paths = archives.main_files(_unpacked(uploads, Path(folder)))
            return bool(paths) and all(_format(path, format) == "plain" for path in paths)
        except InputError:
            return False


def paste(text: str, unit: str) -> Reading:
    """Typed or pasted text as a corpus, with its words and sentences."""
    try:
        documents = tuple(map(tokenised, pasting.cut(text, unit)))
    except InputError as error:
        return Reading(fault=Fault(str(error)))
    return Reading(documents, remarks=tuple(remarks_on(documents)))


def _unpacked(uploads: Sequence[Upload], folder: Path) -> list[Path]:
    return archives.unpacked(((one.name, one.getvalue()) for one in uploads), folder)


def _format(path: Path, format: str | None) -> str:
    return (corpora.by_name(format) if format else corpora.detect(path)).name


def _documents(path: Path, how: How, *, alone: bool) -> Iterable[Document]:
    """The documents of one file, one by one; those of tables and plain text with their words and sentences."""
    format = _format(path, how.format)
    if format in TABLES:
        found = tables.read(path, how.columns, how.row)
        if not alone and all(document.id.isdigit() for document in found):
            # Tables without ids count their documents, each from 1.
            found = [replace(document, id=f"{path.name.split('.')[0]}-{document.id}") for document in found]
        return map(tokenised, found)
    stream = corpora.stream(path, how.format)
    if format != "plain":
        return stream
    return (tokenised(piece) for document in stream for piece in _cut(document, how.unit))


def _cut(document: Document, unit: str) -> list[Document]:
    return [document] if unit == "whole" else pasting.cut(document.text, unit, document.id)


def remarks_on(documents: Sequence[Document]) -> list[str]:
    """What a reader of the report may want to know before adding the corpus."""
    n = len(documents)
    lacking = Counter(
        what
        for document in documents
        for what, lacks in (("text", not document.text), ("annotation", not _annotated(document)))
        if lacks
    )
    checks = (("have no text", lacking["text"]), ("have no annotation yet", lacking["annotation"]))
    found = ["The file contains no documents."] if not n else []
    return found + [f"{count} of {n} documents {words}." for words, count in checks if count and n]


def _annotated(document: Document) -> bool:
    gold = document.gold
    return bool(gold.mentions or gold.labels or gold.relations)


def _excerpt(path: Path, line: int | None) -> str:
    if line is None:
        return ""
    try:
        return next(islice((text for _, text in files.lines(path)), line - 1, None), "")[:400]
    except InputError:
        # The line is what cannot be read: there is nothing to show of it.
        return ""
