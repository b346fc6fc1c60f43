"""Prepared documents that were asked for lately: a curve, a page and a table of errors ask for the same ones."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Final

from engine.data.document import Document
from engine.tasks.coreference.prepare import Prepared, State
from engine.tasks.coreference.settings import CoreferenceSettings

MOST_ARCS: Final = 3_000_000
"""What is kept at most: the development part of a usual corpus, some 60 MB."""

Key = tuple[int, int, CoreferenceSettings]


class Shelf:
    """The latest prepared documents of any model, up to a number of arcs. Curves ask beside pages, so it has a lock."""

    def __init__(self, most_arcs: int = MOST_ARCS) -> None:
        self.most_arcs = most_arcs
        self._kept: OrderedDict[Key, tuple[Document, State, Prepared]] = OrderedDict()
        self._arcs = 0
        self._guard = Lock()

    def get(
        self, document: Document, state: State, settings: CoreferenceSettings, make: Callable[[], Prepared]
    ) -> Prepared:
        # Objects are known by identity: hashing a document would take as long as preparing it. What is kept is held,
        # so that no other object can get its number.
        key = (id(document), id(state), settings)
        with self._guard:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key][2]
        made = make()
        with self._guard:
            if key not in self._kept:
                self._kept[key] = (document, state, made)
                self._arcs += len(made.arcs.heads)
            while self._arcs > self.most_arcs:
                _, (_, _, oldest) = self._kept.popitem(last=False)
                self._arcs -= len(oldest.arcs.heads)
        return made
