"""Documents that were read but not added yet: in memory if they are few, else in a temporary file."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from tempfile import TemporaryFile
from threading import Lock
from typing import Final, overload

from engine.corpora.formats import jsonl
from engine.data.document import Document

FEW: Final = 5_000
"""Maximum number of documents held in memory."""


class SpooledDocuments(Sequence[Document]):
    """A sequence backed by a file. Reading moves the file's position, so only one thread reads at a time."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._file, self._starts, self._guard = TemporaryFile(), array("Q", [0]), Lock()
        for document in documents:
            line = json.dumps([document.id, jsonl.record(document)], ensure_ascii=True).encode("ascii")
            self._file.write(line + b"\n")
            self._starts.append(self._starts[-1] + len(line) + 1)

    def __len__(self) -> int:
        return len(self._starts) - 1

    @overload
    def __getitem__(self, index: int) -> Document: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Document]: ...
    def __getitem__(self, index: int | slice) -> Document | Sequence[Document]:
        if isinstance(index, slice):
            return [self._read(place) for place in range(*index.indices(len(self)))]
        return self._read(range(len(self))[index])

    def __iter__(self) -> Iterator[Document]:
        return (self._read(place) for place in range(len(self)))

    def _read(self, place: int) -> Document:
        with self._guard:
            self._file.seek(self._starts[place])
            line = self._file.read(self._starts[place + 1] - self._starts[place])
        id, record = json.loads(line)
        found = jsonl.document(record)
        return found if found.id == id else replace(found, id=id)


def gathered(documents: Iterable[Document]) -> Sequence[Document]:
    """The documents, in memory if they are few, else in a temporary file."""
    coming = iter(documents)
    held: list[Document] = []
    for document in coming:
        held.append(document)
        if len(held) > FEW:
            return SpooledDocuments(_after(held, coming))
    return tuple(held)


def _after(held: list[Document], coming: Iterator[Document]) -> Iterator[Document]:
    yield from held
    held.clear()
    yield from coming
