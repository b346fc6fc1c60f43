"""A cache of a system's latest scored corpora, so that a curve, a page and a table of errors score a corpus only once.

Documents and models are recognised by their id(): hashing them would take as long as scoring. The cache holds
references to them, so that no other object can get the same id.
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
"""The maximum size of the cached arrays: enough for the development parts of a few typical corpora."""

Key: TypeAlias = tuple[tuple[int, ...], int, object, str]


V = TypeVar("V")


class Latest(Generic[V]):
    """A cache of one value, the latest, which a page asks for again at every click."""

    def __init__(self) -> None:
        self._held: tuple[tuple[object, ...], V] | None = None

    def get(self, key: tuple[object, ...], make: Callable[[], V]) -> V:
        """The value made last if its key equals this one, else a new one. Tuples compare objects by identity first."""
        held = self._held
        if held is not None and held[0] == key:
            return held[1]
        made = make()
        self._held = (key, made)
        return made

    def clear(self) -> None:
        self._held = None


class Kept(Generic[D]):
    """The corpora that were scored last, up to a number of bytes. It has a lock because curves are computed in threads
    beside the pages; a thread that asks for a corpus which another one is scoring waits for the result."""

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

    def clear(self) -> None:
        """Forget the corpora, except those that are being scored."""
        with self._guard:
            for key in [key for key, (_, _, future) in self._known.items() if future.done()]:
                del self._known[key]

    def _inside(self, documents: Sequence[Document], key: Key) -> D | None:
        """A single document, taken from a cached corpus that contains it; None if there is none."""
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
