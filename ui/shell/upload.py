"""Reading what a visitor uploads: all of it or a sentence that says where it breaks, and a report of what is in it."""

from __future__ import annotations

import io
import tempfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Protocol

from engine import corpora
from engine.corpora.io import files
from engine.data.document import Document
from engine.data.errors import InputError


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
            paths = [path for upload in uploads for path in _unpacked(upload, Path(folder))]
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


def _unpacked(upload: Upload, folder: Path) -> list[Path]:
    """The upload as files in the folder; a zip as the files it holds."""
    if not upload.name.lower().endswith(".zip"):
        path = folder / _plain(upload.name)
        path.write_bytes(upload.getvalue())
        return [path]
    try:
        with zipfile.ZipFile(io.BytesIO(upload.getvalue())) as archive:
            members = [member for member in archive.infolist() if not member.is_dir()]
            if sum(member.file_size for member in members) > files.WHOLE_LIMIT:
                raise InputError("holds more than a gigabyte; unpack it and upload parts", file=upload.name)
            found = []
            for member in members:
                path = folder / _plain(member.filename)
                path.write_bytes(archive.read(member))
                found.append(path)
            return found
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError) as error:
        raise InputError(f"is not a zip file that can be unpacked ({error})", file=upload.name) from error


def _plain(name: str) -> str:
    """The last part of a file name: the rest is the visitor's own."""
    return PurePosixPath(name.replace("\\", "/")).name or "upload"


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
