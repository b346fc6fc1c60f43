"""The latest scored corpora of a system, so that a curve, a page and a table of errors score the same corpus once.

Documents and models are known by identity: hashing them would take as long as scoring. What is kept is held, so that
no other object can get its number.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, Generic, TypeAlias, TypeVar

from engine.data.document import Document
from engine.tasks.scored import Scored

if TYPE_CHECKING:
    from engine.tasks.base import AnyModel

D = TypeVar("D", bound=Scored)

MOST_BYTES: Final = 256_000_000
"""Arrays that are kept at most: the development parts of a few usual corpora."""

Key: TypeAlias = tuple[tuple[int, ...], int, object, str]


V = TypeVar("V")


class Latest(Generic[V]):
    """What was made last: a page asks for it again at every click."""

    def __init__(self) -> None:
        self._held: tuple[tuple[object, ...], V] | None = None

    def get(self, key: tuple[object, ...], make: Callable[[], V]) -> V:
        """What was made for an equal key, if that was the last; objects are known by identity first."""
        held = self._held
        if held is not None and held[0] == key:
            return held[1]
        made = make()
        self._held = (key, made)
        return made


class Kept(Generic[D]):
    """The corpora that were scored last, up to a number of bytes. Curves ask beside pages, so it has a lock; whoever
    asks for a corpus that somebody else is scoring waits for that one."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self.most_bytes = most_bytes
        self._known: OrderedDict[Key, tuple[tuple[Document, ...], Any, Future[D]]] = OrderedDict()
        self._guard = Lock()

    def get(self, documents: Sequence[Document], model: AnyModel, make: Callable[[], D]) -> D:
        key: Key = (tuple(map(id, documents)), id(model.state), model.settings, model.learner)
        with self._guard:
            if key in self._known:
                self._known.move_to_end(key)
                waiting = self._known[key][2]
            else:
                found = self._inside(documents, key)
                if found is not None:
                    return found
                mine: Future[D] = Future()
                self._known[key] = (tuple(documents), model.state, mine)
                waiting = None
        if waiting is not None:
            return waiting.result()
        try:
            mine.set_result(make())
        except BaseException as error:
            mine.set_exception(error)
            with self._guard:
                self._known.pop(key, None)
            raise
        with self._guard:
            self._shrink()
        return mine.result()

    def _inside(self, documents: Sequence[Document], key: Key) -> D | None:
        """One document of a corpus that was scored whole."""
        if len(documents) != 1:
            return None
        wanted = key[0][0]
        for (numbers, *model), (_, _, future) in reversed(self._known.items()):
            if tuple(model) == key[1:] and future.done() and future.exception() is None and wanted in numbers:
                return future.result().one(numbers.index(wanted))
        return None

    def _shrink(self) -> None:
        sizes = {
            key: future.result().n_bytes
            for key, (_, _, future) in self._known.items()
            if future.done() and future.exception() is None
        }
        total = sum(sizes.values())
        for key in list(sizes)[:-1]:
            if total <= self.most_bytes:
                return
            del self._known[key]
            total -= sizes[key]
