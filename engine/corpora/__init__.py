"""Reading and writing corpora: one module per format, all behind `read`, `stream` and `write`.

A format module has TITLE, EXTENSIONS, ABOUT, `read(path) -> Iterator[Document]`, `write(documents, path)` and
`losses(document) -> list of what the format cannot hold of it`. Register it in `FORMATS` and every command, the
app and the tests know it. Modules are imported when first used.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from engine.corpora.formats import jsonl
from engine.corpora.io import archives
from engine.corpora.registry import FORMATS, Format, by_name, check_name, detect
from engine.data.document import Document
from engine.data.errors import InputError

__all__ = [
    "FORMATS",
    "Format",
    "by_name",
    "data_hash",
    "detect",
    "losses",
    "parsed",
    "read",
    "stream",
    "unparsed",
    "write",
    "write_rendered",
]


def read(path: str | Path, format: str | None = None) -> list[Document]:
    """All documents of a file; an error anywhere raises InputError, so a corpus is never read in part."""
    return list(stream(path, format))


def stream(path: str | Path, format: str | None = None) -> Iterator[Document]:
    """Documents one by one. If the format is not given, it is detected from name and content."""
    path = Path(path)
    if path.suffix.lower() == ".zip" and path.is_file():
        return _zipped(path, format)
    return (by_name(format) if format else detect(path)).module.read(path)


def unparsed(path: Path) -> Iterator[Document | jsonl.Line]:
    """Documents one by one, but those of native files as lines, which are parsed by whoever works on them."""
    if path.suffix.lower() != ".zip" and detect(path).name == "jsonl":
        return jsonl.lines(path)
    return stream(path)


def parsed(one: Document | jsonl.Line) -> Document:
    return one.document() if isinstance(one, jsonl.Line) else one


def _zipped(path: Path, format: str | None) -> Iterator[Document]:
    """The documents of all files in a zip, which is how folders are uploaded."""
    with archives.opened(path) as files:
        if not files:
            raise InputError("the zip file is empty", file=path)
        for file in files:
            try:
                yield from stream(file, format)
            except InputError as error:
                raise InputError(error.what, file=f"{path}/{file.name}", line=error.line, field=error.field) from None


def write(documents: Iterable[Document], path: str | Path, format: str | None = None) -> None:
    """Write a file (and its sidecars) completely or not at all. If the format is not given, it follows from the name; a
    name under which the file would be read as another format is refused."""
    path = Path(path)
    target = by_name(format) if format else detect(path, reading=False)
    check_name(path, target)
    try:
        target.module.write(documents, path)
    except InputError:
        raise
    except (TypeError, KeyError, ValueError, IndexError, AttributeError) as error:
        # Extra fields may come from any format, and their names may have another meaning in this one.
        raise InputError(
            f"the documents bring fields along that mean something else in {target.title} ({error!r}); JSON lines"
            " hold everything"[:400],
            file=path,
        ) from error


def write_rendered(pieces: Iterable[bytes], path: Path) -> None:
    """Write a native file from documents that were rendered elsewhere (`jsonl.rendered`)."""
    check_name(path, by_name("jsonl"))
    jsonl.write_rendered(pieces, path)


def losses(documents: Iterable[Document], format: str) -> list[str]:
    """What would be lost by writing these documents in this format, each kind once; empty if nothing."""
    module = by_name(format).module
    return list(dict.fromkeys(loss for document in documents for loss in module.losses(document)))


def data_hash(documents: Iterable[Document]) -> str:
    """SHA-256 of the content, the same for the same documents in the same order."""
    digest = DataDigest()
    for document in documents:
        digest.add(document)
    return digest.hash()


class DataDigest:
    """The same while documents pass by, one after the other."""

    def __init__(self) -> None:
        self._digest = hashlib.sha256()

    def add(self, document: Document) -> None:
        self._digest.update(jsonl.canonical(document))
        self._digest.update(b"\n")

    def hash(self) -> str:
        return self._digest.hexdigest()
