"""The documents of some files in blocks, and what must be known about all of them before the first is scored.

A first look reads every document once to find: the number of documents, duplicate ids, one document of every kind
(enough to tell whether a system can be evaluated on this gold), and what the gold makes relevant in all of them. Small
corpora are kept in memory; large ones are read again.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Final, TypeAlias, TypeVar

import numpy as np

from engine import corpora
from engine.arrays import Words
from engine.data.document import Document
from engine.data.errors import InputError

DOCUMENTS: Final = 256
"""Maximum number of documents in a block ..."""
CHARACTERS: Final = 1 << 19
"""... and approximate maximum number of characters: a block of novels has one or two."""
SMALL: Final = 5_000
"""A corpus of up to this many documents and CHARACTERS times SMALL_BLOCKS characters is kept in memory."""
SMALL_BLOCKS: Final = 8

Watch: TypeAlias = Callable[[Iterator[Document], str], Iterator[Document]]
"""Shows the progress of reading, under a name."""

X = TypeVar("X")


@dataclass(frozen=True)
class Cut:
    """How large blocks are."""

    documents: int = DOCUMENTS
    characters: int = CHARACTERS

    @classmethod
    def whole(cls) -> Cut:
        """Everything in one block."""
        return cls(sys.maxsize, sys.maxsize)

    def blocks(self, items: Iterable[X], size: Callable[[X], int]) -> Iterator[list[X]]:
        block: list[X] = []
        room = self.characters
        for item in items:
            block.append(item)
            room -= size(item)
            if len(block) >= self.documents or room <= 0:
                yield block
                block, room = [], self.characters
        if block:
            yield block


@dataclass(frozen=True)
class Look:
    """What the first look found."""

    n_documents: int
    kinds: tuple[Document, ...]
    """The first document of every kind; a system can use the corpus in the same way as these documents."""
    asked: frozenset[str]
    digests: Words
    """Digests of the ids, in ascending order."""
    kept: tuple[Document, ...] | None
    """All documents of a small corpus."""


def _unwatched(documents: Iterator[Document], _name: str) -> Iterator[Document]:
    return documents


@dataclass(frozen=True)
class Corpus:
    """The documents of some files, in order; ids must not repeat."""

    files: tuple[Path, ...]
    watch: Watch = field(default=_unwatched, compare=False)
    asks: Callable[[Sequence[Document]], frozenset[str]] = field(default=lambda _: frozenset(), compare=False)
    """What the gold of some documents makes relevant in all of them (Task.asked)."""

    @cached_property
    def look(self) -> Look:
        seen = array("Q")
        kinds: dict[tuple[bool, ...], Document] = {}
        asked: set[str] = set()
        kept: list[Document] | None = []
        characters = 0
        for path in self.files:
            for document in self.watch(corpora.stream(path), f"reading {path.name}"):
                seen.append(_digest(document.id))
                kinds.setdefault(kind_of(document), document)
                asked |= self.asks([document])
                characters += len(document.text)
                if kept is not None:
                    kept.append(document)
                    if len(kept) > SMALL or characters > SMALL_BLOCKS * CHARACTERS:
                        kept = None
        digests = np.sort(np.frombuffer(seen, dtype=np.uint64))
        self._check_ids(digests)
        whole = None if kept is None else tuple(kept)
        return Look(len(seen), tuple(kinds.values()), frozenset(asked), digests, whole)

    def has(self, id: str) -> bool:
        """Whether a document has this id; in very rare cases also True for another id with the same digest."""
        digests, wanted = self.look.digests, np.uint64(_digest(id))
        at = int(np.searchsorted(digests, wanted))
        return at < len(digests) and bool(digests[at] == wanted)

    def __len__(self) -> int:
        return self.look.n_documents

    def __iter__(self) -> Iterator[Document]:
        kept = self.look.kept
        if kept is not None:
            yield from kept
            return
        for path in self.files:
            yield from corpora.stream(path)

    def blocks(self, cut: Cut) -> Iterator[list[Document]]:
        return cut.blocks(self, lambda document: len(document.text))

    def _check_ids(self, digests: Words) -> None:
        twice = set(digests[1:][digests[1:] == digests[:-1]].tolist())
        if not twice:
            return
        # Two different ids may, very rarely, share a digest, so the ids themselves are compared.
        origin: dict[str, Path] = {}
        for path in self.files:
            for document in corpora.stream(path):
                if _digest(document.id) in twice:
                    other = origin.get(document.id)
                    if other is not None:
                        where = "occurs twice" if other is path else f"is also in {other}"
                        raise InputError(f"document {document.id!r} {where}", file=path)
                    origin[document.id] = path


def _digest(id: str) -> int:
    return int.from_bytes(blake2b(id.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def kind_of(document: Document) -> tuple[bool, ...]:
    """All properties of a document that determine whether a system can use its corpus."""
    gold = document.gold
    return (
        document.bag is not None,
        bool(document.text.strip()),
        bool(document.tokens),
        bool(gold.mentions),
        any(mention.is_linked for mention in gold.mentions),
        any(mention.type is not None for mention in gold.mentions),
        any("candidates" in mention.extra for mention in gold.mentions),
        bool(gold.clusters),
        bool(gold.relations),
        bool(gold.labels),
    )
