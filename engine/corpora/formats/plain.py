"""Plain text: a file is one document, named after the file; a folder or a zip of files is a corpus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from engine.corpora import holdings
from engine.corpora.io import files
from engine.corpora.io.folders import document_id, file_name, listed
from engine.data.document import Document
from engine.data.errors import InputError

TITLE: Final = "Plain text"
EXTENSIONS: Final = (".txt",)
ABOUT: Final = "Texts without annotation, one in a file."
_MARK: Final = "\ufeff"
"""The byte order mark, which some editors write before UTF-8 text."""


def read(path: Path) -> Iterator[Document]:
    for file in listed(path, EXTENSIONS[0]) if path.is_dir() else [path]:
        name = file.name.removesuffix(".gz")
        stem = name[: -len(EXTENSIONS[0])] if name.lower().endswith(EXTENSIONS[0]) else name
        yield Document(document_id(stem), files.whole(file, may_be_empty=path.is_dir()).removeprefix(_MARK))


def write(documents: Iterable[Document], path: Path) -> None:
    """A file for a name in .txt, which holds one document; else a folder."""
    if path.name.removesuffix(".gz").endswith(EXTENSIONS):
        items = list(documents)
        if len(items) != 1:
            raise InputError(f"{len(items)} documents do not fit into one file; name a folder", file=path)
        with files.FileBatch() as batch:
            batch.create(path).write(_encoded(items[0], path))
        return
    with files.new_folder(path) as folder:
        for document in documents:
            file = folder / (file_name(document.id) + EXTENSIONS[0])
            if file.exists():
                raise InputError(f"two documents have the id {document.id!r}", file=path)
            file.write_bytes(_encoded(document, path))


def _encoded(document: Document, path: Path) -> bytes:
    if document.text.startswith(_MARK):
        raise InputError(f"document {document.id!r} begins with a byte order mark, which cannot be kept", file=path)
    try:
        return document.text.encode("utf-8")
    except UnicodeEncodeError:
        raise InputError("half a character (an unpaired surrogate) cannot be written", file=path) from None


def losses(document: Document) -> list[str]:
    return holdings.missing(document, ())
