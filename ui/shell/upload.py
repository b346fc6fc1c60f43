"""Reading what a visitor uploads: all of it or a sentence that says where it breaks, and a report of what is in it."""

from __future__ import annotations

import gzip
import io
import lzma
import re
import tempfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import IO, Final, Protocol

from engine import corpora
from engine.corpora.io import files
from engine.data.document import Document
from engine.data.errors import InputError

MOST_BYTES: Final = 256 << 20
"""Bytes of one upload at most, unpacked: read, it takes about six times as much memory."""
LONGEST_NAME: Final = 200
"""Bytes of a file's name."""


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

    documents: tuple[Document, ...] = ()
    fault: Fault | None = None
    remarks: tuple[str, ...] = ()


def read(uploads: Sequence[Upload], format: str | None = None) -> Reading:
    """Read uploaded files as one corpus. Files that belong to another (sidecars, stand-off) may come along."""
    with tempfile.TemporaryDirectory(prefix="espalier-upload-") as folder:
        try:
            paths = _unpacked(uploads, Path(folder))
        except InputError as error:
            return Reading(fault=Fault(str(error)))
        documents: list[Document] = []
        for path in main_files(paths):
            try:
                documents += corpora.read(path, format)
            except InputError as error:
                sentence = str(error).replace(f"{folder}/", "")
                return Reading(fault=Fault(sentence, _excerpt(path, error.line)))
    repeated = [id for id, n in Counter(document.id for document in documents).items() if n > 1]
    if repeated:
        sentence = (
            f"{len(repeated)} document ids occur twice, the first is {repeated[0]!r}: ids must differ in a corpus"
        )
        return Reading(fault=Fault(sentence))
    return Reading(tuple(documents), remarks=tuple(remarks_on(documents)))


def _unpacked(uploads: Sequence[Upload], folder: Path) -> list[Path]:
    """The uploads as files in the folder, a zip as the files it holds; all together not larger than is allowed."""
    found: dict[str, Path] = {}
    left = MOST_BYTES
    for upload in uploads:
        for name, content in _files(upload):
            path = folder / _plain(name, upload.name)
            if path.name in found:
                raise InputError(f"holds two files called {path.name!r}; upload them one by one", file=upload.name)
            found[path.name] = path
            with path.open("wb") as file:
                left -= _copied(content, file, left, upload.name)
            # What is compressed inside counts as large as it is when read.
            left -= _more_when_read(path, left, upload.name)
    return list(found.values())


def _files(upload: Upload) -> Iterator[tuple[str, IO[bytes]]]:
    """Name and content of the upload, or of what its zip holds."""
    if not upload.name.lower().endswith(".zip"):
        yield upload.name, io.BytesIO(upload.getvalue())
        return
    try:
        with zipfile.ZipFile(io.BytesIO(upload.getvalue())) as archive:
            for member in archive.infolist():
                if not member.is_dir():
                    with archive.open(member) as content:
                        yield member.filename, content
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, NotImplementedError, RuntimeError) as error:
        raise InputError(f"is not a zip file that can be unpacked ({error})", file=upload.name) from error


def _copied(content: IO[bytes], file: IO[bytes], most: int, upload: str) -> int:
    """Copy piece by piece; how many bytes. What is larger than allowed is never unpacked as a whole."""
    copied = 0
    while piece := content.read(1 << 20):
        copied += len(piece)
        if copied > most:
            raise _too_large(upload)
        file.write(piece)
    return copied


def _more_when_read(path: Path, most: int, upload: str) -> int:
    """By how much a compressed file is larger when it is read."""
    stored = path.stat().st_size
    with path.open("rb") as raw:
        if raw.read(2) != b"\x1f\x8b":
            return 0
    grown = 0
    try:
        with gzip.open(path) as content:
            while piece := content.read(1 << 20):
                grown += len(piece)
                if grown - stored > most:
                    raise _too_large(upload)
    except (OSError, EOFError, zlib.error):
        # Damaged: whoever reads it says so, and where.
        return 0
    return max(0, grown - stored)


def _too_large(upload: str) -> InputError:
    return InputError(f"holds more than {MOST_BYTES >> 20} MB when unpacked; upload it in parts", file=upload)


def _plain(name: str, upload: str) -> str:
    """The last part of a file name: the rest is the visitor's own. Names that no file can have are refused."""
    last = PurePosixPath(name.replace("\\", "/")).name
    if len(last.encode(errors="replace")) > LONGEST_NAME:
        raise InputError(f"holds a file whose name has more than {LONGEST_NAME} bytes: {last[:40]}…", file=upload)
    return re.sub(r"[\x00-\x1f\x7f\ud800-\udfff]", "_", last) if last not in ("", ".", "..") else "upload"


def main_files(paths: Sequence[Path]) -> list[Path]:
    """The files to read; the others are found beside them by name."""
    stems = {path.name[: -len(".ann")] for path in paths if path.suffix == ".ann"}
    tables = {path.name.split(".")[0] for path in paths if ".texts." not in path.name}
    return [
        path
        for path in paths
        if not any(f".{kind}.tsv" in path.name for kind in ("dep", "mentions"))
        and not (path.suffix == ".txt" and path.name[: -len(".txt")] in stems)
        and not (".texts." in path.name and path.name.split(".texts.")[0] in tables)
    ]


def remarks_on(documents: Sequence[Document]) -> list[str]:
    """What a reader of the report may want to know before adding the corpus."""
    n = len(documents)
    checks = (
        ("have no text", sum(not document.text for document in documents)),
        ("have no gold annotation", sum(not _annotated(document) for document in documents)),
        ("have no tokens", sum(not document.tokens for document in documents)),
    )
    found = ["The file holds no document."] if not n else []
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
