"""The workspace that this server shows, opened once, and what is asked of it again and again while a page is drawn."""

from __future__ import annotations

import contextvars
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar

from engine.store.workspace import Workspace

T = TypeVar("T")
_Known: TypeAlias = dict[tuple[str, int], Any]
_drawing: Final[contextvars.ContextVar[_Known | None]] = contextvars.ContextVar("drawing", default=None)


def directory() -> Path:
    return _resolved(os.environ.get("ESPALIER_WORKSPACE") or "workspace", os.getcwd())


@lru_cache(maxsize=64)
def _resolved(name: str, working: str) -> Path:
    return Path(working, name).resolve()


_opened: Final[dict[tuple[Path, str], Workspace]] = {}
_opening: Final = threading.Lock()


def workspace() -> Workspace:
    key = (directory(), os.environ.get("ESPALIER_DATABASE_URL", ""))
    found = _opened.get(key)
    if found is None:
        with _opening:
            found = _opened.get(key) or Workspace.open(key[0])
            _opened[key] = found
    return found


@contextmanager
def drawing() -> Iterator[None]:
    """While a page is drawn, what others write meanwhile does not change it half-way."""
    token = _drawing.set({})
    try:
        yield
    finally:
        _drawing.reset(token)


def once(what: str, ask: Callable[[], T]) -> T:
    """What `ask` finds: asked once for a drawing of the page, and again after whatever this server has written."""
    known = _drawing.get()
    if known is None:
        return ask()
    key = (what, workspace().n_written())
    if key not in known:
        known[key] = ask()
    found: T = known[key]
    return found


def is_remote() -> bool:
    """Whether the tables are on a database server instead of in the workspace's directory."""
    return bool(os.environ.get("ESPALIER_DATABASE_URL"))


def set_aside() -> Path:
    """Keep the damaged database under another name and start a fresh one."""
    with _opening:
        _opened.clear()
    return Workspace.set_aside(directory())
