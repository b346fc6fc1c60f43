"""Reads uploads: the complete contents, or a message on where reading failed, and a report of the contents."""

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
    """Why an upload cannot be used; `excerpt` is the line at which reading failed."""

    sentence: str
    excerpt: str = ""


@dataclass(frozen=True)
class Reading:
    """The result of reading an upload: documents or the fault, and remarks on the documents."""

    documents: Sequence[Document] = ()
    """If there are many, they are in a temporary file, which is deleted with the last reference."""
    fault: Fault | None = None
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class How:
    """How to read an upload, as far as its name and content do not determine it."""

    format: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    """For a table: column by role, overriding the guess; an empty one removes the role."""
    row: str | None = None
    """For a table: what a row stands for."""
    unit: str = "whole"
    """For plain text: what a document is."""


def read(uploads: Sequence[Upload], how: How = How()) -> Reading:
    """Read uploaded files as one corpus. Files that belong to another (sidecars, stand-off) may be included."""
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
    """The upload as a table, so that its columns can be named; None if it is not a table, or cannot be read."""
    with tempfile.TemporaryDirectory(prefix="espalier-upload-") as folder:
        try:
            paths = archives.main_files(_unpacked(uploads, Path(folder)))
            if len(paths) == 1 and _format(paths[0], format) in TABLES:
                return tables.read_grid(paths[0])
        except InputError:
            # Reading it as a corpus meets and reports the same fault.
            return None
    return None


def is_plain(uploads: Sequence[Upload], format: str | None = None) -> bool:
    """Whether an upload is plain text, so that the user can choose what a document is."""
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
            # Tables without ids number their documents, each from 1.
            found = [replace(document, id=f"{path.name.split('.')[0]}-{document.id}") for document in found]
        return map(tokenised, found)
    stream = corpora.stream(path, how.format)
    if format != "plain":
        return stream
    return (tokenised(piece) for document in stream for piece in _cut(document, how.unit))


def _cut(document: Document, unit: str) -> list[Document]:
    return [document] if unit == "whole" else pasting.cut(document.text, unit, document.id)


def remarks_on(documents: Sequence[Document]) -> list[str]:
    """Remarks for the user before adding the corpus."""
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
        # The line itself cannot be read, so there is nothing to show.
        return ""
