"""A cache of work that several trainings on the same documents would repeat: features, tables, lexicons.

Outside of `reusing()` nothing is kept, so a single training uses no extra memory. Inside, whatever was made for the
same documents and equal settings is returned again; callers must not change it. Documents are recognised by identity,
and kept alive as long as what was made from them.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, TypeVar

from engine.data.document import Document

T = TypeVar("T")

MOST: Final = 6
"""Maximum number of cached preparations: train and dev, under a few settings."""

_kept: ContextVar[OrderedDict[Hashable, tuple[tuple[Document, ...], Any]] | None] = ContextVar("kept", default=None)


@contextmanager
def reusing() -> Iterator[None]:
    """A context inside which preparations are kept until it ends."""
    token = _kept.set(OrderedDict())
    try:
        yield
    finally:
        _kept.reset(token)


def prepared(documents: Sequence[Document], settings: Hashable, make: Callable[[], T]) -> T:
    """The result of `make` for these documents; `settings` must contain everything else that it depends on."""
    known = _kept.get()
    if known is None:
        return make()
    key = (tuple(map(id, documents)), settings)
    if key not in known:
        known[key] = (tuple(documents), make())
        while len(known) > MOST:
            known.popitem(last=False)
    known.move_to_end(key)
    made: T = known[key][1]
    return made
