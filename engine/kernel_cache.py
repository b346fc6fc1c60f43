"""The cache of compiled kernels on disk, with a separate folder for every state of their source files.

Numba notices when the file of a kernel changes, but not when a kernel it calls or a constant it was compiled with
changes in another file: old code would then read the wrong columns without any error. So the kernels of a file are kept
in a folder named after the contents of that file and of all files that it imports, directly or not. A change elsewhere
recompiles nothing.

Kernels release Python's lock (nogil), because the app computes curves in the background and its pages would freeze.
Where kernels call kernels with a number, it is typed, np.int64(1): for a bare 1 numba compiles the callee once more.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

_ENGINE: Final = Path(__file__).resolve().parent
_KEPT: Final = 7 * 24 * 3600
"""Seconds for which the cache of an earlier state is kept, since a running server may still write there."""

_IMPORT: Final = re.compile(r"^\s*(?:from\s+([\w.]+)\s+import\s+(\([^)]*\)|[^\n]*)|import\s+([\w.]+))", re.MULTILINE)


@cache
def folder(source: Path, engine: Path = _ENGINE) -> str:
    """Where the kernels of a source file are kept; "" leaves the choice to numba. A folder set by the user is kept."""
    if "NUMBA_CACHE_DIR" in os.environ:
        return os.environ["NUMBA_CACHE_DIR"]
    if not source.is_relative_to(engine) or not os.access(engine, os.W_OK):
        return ""
    name = ".".join(source.relative_to(engine).with_suffix("").parts)
    place = engine / "__pycache__" / "kernels" / f"{name}-{fingerprint(source, engine)}"
    if not place.is_dir():
        place.mkdir(parents=True, exist_ok=True)
        _clear_away(place, name)
    return str(place)


def fingerprint(source: Path, engine: Path) -> str:
    """A digest of the file and of all our own files that it imports, directly or indirectly."""
    found = {source}
    waiting = [source]
    while waiting:
        new = set(_imports(waiting.pop(), engine)) - found
        found |= new
        waiting.extend(new)
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(found):
        digest.update(f"{path.relative_to(engine)} {_state(path)[0]}\n".encode())
    return digest.hexdigest()


def _imports(source: Path, engine: Path) -> Iterator[Path]:
    """Our own files that a file imports; a package counts as its __init__."""
    for module, names, plain in _IMPORT.findall(_state(source)[1]):
        package, *parts = (module or plain).split(".")
        if package != "engine":
            continue
        inner = re.findall(r"\w+", names)
        for path in (parts, *([*parts, name] for name in inner)):
            for file in (engine.joinpath(*path).with_suffix(".py"), engine.joinpath(*path, "__init__.py")):
                # The package itself only lists public names of every folder; no kernel depends on it.
                if file.is_file() and file != engine / "__init__.py":
                    yield file


@cache
def _state(source: Path) -> tuple[str, str]:
    """A digest of the file, and its text."""
    content = source.read_bytes()
    return hashlib.blake2b(content, digest_size=8).hexdigest(), content.decode()


def _clear_away(place: Path, name: str) -> None:
    for old in place.parent.glob(f"{name}-*"):
        if old != place and time.time() - old.stat().st_mtime > _KEPT:
            shutil.rmtree(old, ignore_errors=True)
