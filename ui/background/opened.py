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

from engine.store.workspace import Project, Workspace

T = TypeVar("T")
_Known: TypeAlias = dict[object, Any]
_drawing: Final[contextvars.ContextVar[_Known | None]] = contextvars.ContextVar("drawing", default=None)


def directory() -> Path:
    name = os.environ.get("ESPALIER_WORKSPACE") or "workspace"
    # A click asks two hundred times, and the working directory is a question to the system.
    return _resolved(name, "" if name.startswith("/") else os.getcwd())


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
    return ask() if _drawing.get() is None else steady((what, workspace().n_written()), ask)


def steady(what: object, ask: Callable[[], T]) -> T:
    """What `ask` finds: asked once for a drawing of the page, for what this server does not write."""
    known = _drawing.get()
    if known is None:
        return ask()
    if what not in known:
        known[what] = ask()
    found: T = known[what]
    return found


def project(corpus: str) -> Project:
    """Who annotates the corpus; an open project if none was set up."""
    return once(f"project of {corpus}", lambda: workspace().project(corpus))


def is_remote() -> bool:
    """Whether the tables are on a database server instead of in the workspace's directory."""
    return bool(os.environ.get("ESPALIER_DATABASE_URL"))


def set_aside() -> Path:
    """Keep the damaged database under another name and start a fresh one."""
    with _opening:
        _opened.clear()
    return Workspace.set_aside(directory())
