"""Gives memory back after visitors have left.

Streamlit keeps a session for two minutes for whoever comes back, and lets go of it only when somebody else leaves. What
it lets go of is a knot of objects that refer to each other, with the downloads that were offered, and waits for
Python's collector of cycles, which seldom looks at what is old, and never at what is frozen (ui/shell/cache.py freezes
corpora, and with them every session of that moment). Freed memory in turn stays with the C library, in many arenas,
since every drawing of a page is a thread of its own.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

EVERY: Final = 10.0
"""Seconds between two looks at who has left."""
SELDOM: Final = 60.0
"""Seconds between two collections while somebody is there: all pages stand still for one."""
_M_ARENA_MAX: Final = -8
ARENAS: Final = 2
"""Of the C library; Python lets one thread compute at a time, so that more would only divide what is free."""


def share_arenas() -> None:
    """Called before there are threads. Only glibc has arenas to limit."""
    if (library := _glibc()) is not None:
        library.mallopt(_M_ARENA_MAX, ARENAS)


def forget() -> None:
    """Let go of models and scored corpora, which take most of the memory and are soon loaded again."""
    # Imported late: the server listens before the systems are read, which takes half a second.
    from engine.tasks import registry
    from ui.shell import held

    held.forget()
    for name in registry.names():
        registry.get(name).forget()


def give_back() -> None:
    """Free whatever nothing refers to any more, also what was frozen, and return it to the system."""
    gc.unfreeze()
    gc.collect()
    # What is left is in use: collections of pages need not look at it.
    gc.freeze()
    if (library := _glibc()) is not None:
        library.malloc_trim(0)


@asynccontextmanager
async def watching() -> AsyncIterator[None]:
    """While the app runs."""
    watch = asyncio.create_task(_watch())
    try:
        yield
    finally:
        watch.cancel()


async def _watch() -> None:
    known: set[str] = set()
    left, last = False, time.monotonic()
    while True:
        await asyncio.sleep(EVERY)
        there = sessions()
        left, known = left or bool(known - there), there
        if left and (not manager().num_active_sessions() or time.monotonic() - last >= SELDOM):
            if not there:
                forget()
            await asyncio.to_thread(give_back)
            left, last = False, time.monotonic()


def sessions() -> set[str]:
    """Those that somebody has open or may come back to, after the others have been let go of."""
    found = manager()
    found._session_storage._cache.expire()
    return {info.session.id for info in found.list_sessions()}


def manager() -> Any:
    """Streamlit's keeper of sessions; it has no public name for what is needed here."""
    from streamlit.runtime import Runtime

    return Runtime.instance()._session_mgr


def _glibc() -> Any:
    if sys.platform != "linux":
        return None
    library = ctypes.CDLL(None)
    return library if hasattr(library, "malloc_trim") and hasattr(library, "mallopt") else None
