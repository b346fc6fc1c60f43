"""The documents of some files. Those of small corpora are kept in memory; those of large ones are read again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

import numpy as np

from engine import corpora
from engine.corpora.formats.jsonl import Line
from engine.data.document import Document
from engine.data.errors import InputError
from engine.workbench.blocks.looking import Asks, Look, asks_nothing, digest, look_at
from engine.workers.base import Here, Workers

Watch: TypeAlias = Callable[[Iterator[Document | Line], str], Iterator[Document | Line]]
"""Shows the progress of reading, under a name."""


def _unwatched(documents: Iterator[Document | Line], _name: str) -> Iterator[Document | Line]:
    return documents


@dataclass(frozen=True)
class Corpus:
    """The documents of some files, in order; ids must not repeat."""

    files: tuple[Path, ...]
    watch: Watch = field(default=_unwatched, compare=False)
    asks: Asks = field(default=asks_nothing, compare=False)
    workers: Workers = field(default_factory=Here, compare=False)
    """Who takes the first look at the documents of a large corpus."""

    @cached_property
    def look(self) -> Look:
        found = look_at(self._watched(), self.asks, self.workers)
        self._check_ids(found)
        return found

    def has(self, id: str) -> bool:
        """Whether a document has this id; in very rare cases also True for another id with the same digest."""
        digests, wanted = self.look.digests, np.uint64(digest(id))
        at = int(np.searchsorted(digests, wanted))
        return at < len(digests) and bool(digests[at] == wanted)

    def __len__(self) -> int:
        return self.look.n_documents

    def __iter__(self) -> Iterator[Document]:
        return map(corpora.parsed, self.unparsed())

    def unparsed(self) -> Iterator[Document | Line]:
        """The documents, those of large native files as lines, which workers parse."""
        kept = self.look.kept
        if kept is not None:
            yield from kept
            return
        for path in self.files:
            yield from corpora.unparsed(path)

    def _watched(self) -> Iterator[Document | Line]:
        for path in self.files:
            yield from self.watch(corpora.unparsed(path), f"reading {path.name}")

    def _check_ids(self, look: Look) -> None:
        digests = look.digests
        twice = set(digests[1:][digests[1:] == digests[:-1]].tolist())
        if not twice:
            return
        # Two different ids may, very rarely, share a digest, so the ids themselves are compared.
        origin: dict[str, Path] = {}
        for path in self.files:
            for document in corpora.stream(path):
                if digest(document.id) in twice:
                    other = origin.get(document.id)
                    if other is not None:
                        where = "occurs twice" if other is path else f"is also in {other}"
                        raise InputError(f"document {document.id!r} {where}", file=path)
                    origin[document.id] = path
