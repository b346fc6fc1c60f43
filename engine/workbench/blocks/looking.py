"""The first look at a corpus: what must be known about all documents before the first is scored.

It finds the number of documents, duplicate ids, one document of every kind (enough to tell whether a system can be
evaluated on this gold), and what the gold makes relevant in all of them. A small corpus is kept in memory. Of a large
one each block gives a `Glance`, made by the same workers as the rest, and glances are put together in order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np

from engine import corpora
from engine.arrays import Words
from engine.corpora.formats.jsonl import Line
from engine.data.document import Document
from engine.workbench.blocks.cut import CHARACTERS, Cut, length
from engine.workers.base import Places, Workers, as_named

SMALL: Final = 5_000
"""A corpus of up to this many documents and SMALL_BLOCKS times CHARACTERS characters is kept in memory."""
SMALL_BLOCKS: Final = 8

Asks: TypeAlias = Callable[[Sequence[Document]], frozenset[str]]
"""What the gold of some documents makes relevant in all of them (Task.asked)."""

Kind: TypeAlias = tuple[bool, ...]


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


@dataclass(frozen=True)
class Glance:
    """What a look at one block found."""

    kinds: dict[Kind, Document]
    asked: frozenset[str]
    digests: Words
    """In the order of the documents."""


@dataclass(frozen=True)
class Glancing:
    """The work: a look at one block."""

    asks: Asks

    def __call__(self, _made: None, block: Sequence[Document | Line]) -> Glance:
        kinds: dict[Kind, Document] = {}
        asked: set[str] = set()
        digests = np.empty(len(block), dtype=np.uint64)
        for at, document in enumerate(map(corpora.parsed, block)):
            kinds.setdefault(kind_of(document), document)
            asked |= self.asks([document])
            digests[at] = digest(document.id)
        return Glance(kinds, frozenset(asked), digests)


@dataclass(frozen=True)
class Nothing:
    """The recipe of work whose blocks share nothing."""

    files: tuple[Path, ...] = ()

    def make(self, places: Places = as_named) -> None:
        return None


def asks_nothing(_documents: Sequence[Document]) -> frozenset[str]:
    return frozenset()


def look_at(items: Iterator[Document | Line], asks: Asks, workers: Workers) -> Look:
    """One pass over all documents. Workers are asked only if the corpus turns out not to be small."""
    work = Glancing(asks)
    first, rest = _beginning(items)
    blocks = Cut().blocks(rest, length)
    block = next(blocks, None)
    if block is None:
        return _joined([work(None, first)], tuple(first))
    return _joined(chain([work(None, first)], workers.map(work, Nothing(), chain([block], blocks))), None)


def _beginning(items: Iterator[Document | Line]) -> tuple[list[Document], Iterator[Document | Line]]:
    """As many documents as a small corpus may have, and the items that follow them."""
    first: list[Document] = []
    room = SMALL_BLOCKS * CHARACTERS
    for item in items:
        if len(first) >= SMALL or room < 0:
            return first, chain([item], items)
        first.append(corpora.parsed(item))
        room -= len(first[-1].text)
    return first, iter(())


def _joined(glances: Iterable[Glance], kept: tuple[Document, ...] | None) -> Look:
    kinds: dict[Kind, Document] = {}
    asked: set[str] = set()
    digests: list[Words] = []
    for glance in glances:
        kinds.update({kind: document for kind, document in glance.kinds.items() if kind not in kinds})
        asked |= glance.asked
        digests.append(glance.digests)
    return Look(sum(map(len, digests)), tuple(kinds.values()), frozenset(asked), np.sort(np.concatenate(digests)), kept)


def digest(id: str) -> int:
    """Eight bytes in place of an id."""
    return int.from_bytes(blake2b(id.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def kind_of(document: Document) -> Kind:
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
