"""The documents of a large corpus as a sequence that reads them from the database on demand.

Iterating over all of them reads one page after the other, and only one is in memory; for single documents, the pages
read last are cached. Gold is that of one particular edit, whatever is written meanwhile.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from threading import Lock
from typing import Final, overload

from engine.data.document import GOLD, Document
from engine.store.gold import Gold

PAGE: Final = 64
"""Number of documents read at once ..."""
KEPT_CHARACTERS: Final = 1 << 18
"""... and the approximate number of characters in the cached pages."""
STRIDE: Final = 256
"""Number of documents read at once when iterating over all."""


class PagedDocuments(Sequence[Document]):
    """Documents by position, with gold after the edit of this number; 0: as they were added."""

    def __init__(self, store: Gold, corpus: str, n_documents: int, upto: int = 0) -> None:
        self._store, self._corpus, self._n, self._upto = store, corpus, n_documents, upto
        self._edited = store.annotations(corpus).edited_documents(layer=GOLD, upto=upto) if upto else set()
        self._pages: OrderedDict[int, list[Document]] = OrderedDict()
        self._guard = Lock()

    def __len__(self) -> int:
        return self._n

    @overload
    def __getitem__(self, index: int) -> Document: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Document]: ...
    def __getitem__(self, index: int | slice) -> Document | Sequence[Document]:
        if isinstance(index, slice):
            places = range(*index.indices(self._n))
            if places.step == 1:
                return self._read(places.start, places.stop) if len(places) else []
            return [self[place] for place in places]
        place = index + self._n if index < 0 else index
        if not 0 <= place < self._n:
            raise IndexError(index)
        return self._page(place // PAGE)[place % PAGE]

    def __iter__(self) -> Iterator[Document]:
        for first in range(0, self._n, STRIDE):
            yield from self._read(first, min(first + STRIDE, self._n))

    def at(self, places: Iterable[int]) -> list[Document]:
        """The documents at some positions, read at once."""
        return self._edit(self._store.documents_at(self._corpus, places))

    def edited(self) -> list[tuple[Document, Document]]:
        """Every edited document, as it was added and as it is now."""
        places = (self._store.position_of(self._corpus, id) for id in sorted(self._edited))
        known = [place for place in places if place is not None]
        return [(self._store.documents(self._corpus, place, place + 1)[0], self[place]) for place in known]

    def _page(self, number: int) -> list[Document]:
        with self._guard:
            if number in self._pages:
                self._pages.move_to_end(number)
                return self._pages[number]
        found = self._read(number * PAGE, (number + 1) * PAGE)
        with self._guard:
            self._pages[number] = found
            room = KEPT_CHARACTERS - sum(_characters(page) for page in self._pages.values())
            while room < 0 and len(self._pages) > 1:
                room += _characters(self._pages.popitem(last=False)[1])
        return found

    def _read(self, first: int, last: int) -> list[Document]:
        return self._edit(self._store.documents(self._corpus, first, last))

    def _edit(self, found: Sequence[Document]) -> list[Document]:
        log = self._store.annotations(self._corpus)
        return [log.state(one, upto=self._upto).document(one) if one.id in self._edited else one for one in found]


class Positions(Mapping[str, int]):
    """Document id -> position, looked up in the database."""

    def __init__(self, store: Gold, corpus: str, n_documents: int) -> None:
        self._store, self._corpus, self._n = store, corpus, n_documents

    def __getitem__(self, id: str) -> int:
        found = self._store.position_of(self._corpus, id)
        if found is None:
            raise KeyError(id)
        return found

    def __len__(self) -> int:
        return self._n

    def __iter__(self) -> Iterator[str]:
        for first in range(0, self._n, STRIDE):
            yield from self._store.document_ids(self._corpus, first, first + STRIDE)


def _characters(page: Sequence[Document]) -> int:
    return sum(len(document.text) for document in page)
