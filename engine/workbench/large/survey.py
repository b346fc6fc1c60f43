"""A survey of a large corpus: what must be known about all documents before a page shows one of them.

One pass finds the kinds of documents (enough to tell what each system can do with them), digests of the texts (enough
to tell which texts two corpora share) and the search index. It is based on the documents as they were added; documents
that were edited since are examined separately.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np

from engine.arrays import Ints, Words
from engine.corpora.splits import text_digest
from engine.data.document import Document
from engine.store.large import search
from engine.store.large.room import Room
from engine.tasks.base import AnyTask
from engine.tasks.readiness import Verdict
from engine.workbench.blocks.looking import kind_of

SURVEY: Final = "survey"
_ABOUT, _TEXTS, _SEARCH = "about.json", "texts.npy", "search.db"


@dataclass(frozen=True)
class Survey:
    """The stored survey of a corpus, in a folder."""

    folder: Path

    @cached_property
    def kinds(self) -> list[tuple[int, int]]:
        """For every kind of document, their number and the position of the first."""
        about = json.loads((self.folder / _ABOUT).read_text(encoding="utf-8"))
        return [(int(n), int(first)) for n, first in about["kinds"]]

    @property
    def texts(self) -> Words:
        """Digests of the texts that have words, ascending."""
        found: Words = np.load(self.folder / _TEXTS, mmap_mode="r", allow_pickle=False)
        return found

    def find(self, words: str) -> Ints:
        """Positions of the documents that have all of these words."""
        return search.find(self.folder / _SEARCH, words)

    def sample(self, originals: Sequence[Document], edited: Iterable[tuple[Document, Document]]) -> list[Document]:
        """A document of every kind; a system can use the corpus in the same way as these documents. `edited` are
        documents as they were added and as they are now."""
        firsts = {kind_of(one): one for one in (originals[place] for _, place in self.kinds)}
        left = dict(zip(firsts, (n for n, _ in self.kinds), strict=True))
        changed = []
        for before, now in edited:
            left[kind_of(before)] -= 1
            changed.append(now)
        # A kind still exists unless every document of it was changed.
        return [*(one for kind, one in firsts.items() if left[kind] > 0), *changed]

    def fits(
        self, task: AnyTask, originals: Sequence[Document], edited: Iterable[tuple[Document, Document]]
    ) -> Verdict:
        """Whether the system can use the corpus."""
        return task.fits(self.sample(originals, edited))


def make(room: Room, hash: str, documents: Iterable[Document], tick: Callable[[int], None]) -> Survey:
    """Survey the documents of the corpus with this hash; `tick` is called with the number read."""
    kinds: dict[tuple[bool, ...], list[int]] = {}
    texts = array("Q")

    def read() -> Iterator[tuple[str, str]]:
        for place, document in enumerate(documents):
            kinds.setdefault(kind_of(document), [0, place])[0] += 1
            digest = text_digest(document)
            if digest is not None:
                texts.append(digest)
            yield document.id, document.text
            tick(place + 1)

    with room.making(SURVEY, hash) as folder:
        search.build(folder / _SEARCH, read())
        np.save(folder / _TEXTS, np.sort(np.frombuffer(texts, dtype=np.uint64)), allow_pickle=False)
        (folder / _ABOUT).write_text(json.dumps({"kinds": list(kinds.values())}), encoding="utf-8")
    found = known(room, hash)
    assert found is not None
    return found


def known(room: Room, hash: str) -> Survey | None:
    folder = room.folder(SURVEY, hash)
    return None if folder is None else Survey(folder)
