"""Work that one training after another would do again on the same documents: features, tables, lexicons.

Outside of `reusing()` nothing is kept, so a single training holds no more than it needs. Inside, what was made for
equal settings and the same documents is given back; whoever takes it must not change it. Documents are known by
identity, and held as long as what was made of them.
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
"""Preparations that are kept at most: of train and of dev, under a few settings."""

_kept: ContextVar[OrderedDict[Hashable, tuple[tuple[Document, ...], Any]] | None] = ContextVar("kept", default=None)


@contextmanager
def reusing() -> Iterator[None]:
    """Inside, preparations are kept until the end."""
    token = _kept.set(OrderedDict())
    try:
        yield
    finally:
        _kept.reset(token)


def prepared(documents: Sequence[Document], settings: Hashable, make: Callable[[], T]) -> T:
    """What `make` makes of these documents under these settings, which must name all that it depends on."""
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
