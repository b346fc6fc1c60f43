"""Compiled kernels are kept on disk, apart for every state of the sources.

Numba notices when the file of a kernel changes, but not when a kernel it calls or a constant it was compiled with
changes in another file: old code would then read the wrong columns without any error. So the folder of the cache is
named after all files that kernels are made of.

Kernels leave Python's lock to others (nogil): the app computes curves beside its pages, which would stand still.
Where kernels call kernels with a number, it is typed, np.int64(1): for a bare 1 numba compiles the callee once more.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from pathlib import Path
from typing import Final

_HERE: Final = Path(__file__).resolve().parent
_FOLDERS: Final = ("features", "learners", "structures", "tasks", "tuning")
_FILES: Final = ("hashing.py", "kernels.py")
_KEPT: Final = 7 * 24 * 3600
"""Seconds that the cache of an earlier state is kept: a server that still runs on it may go on writing there."""


def keep_apart(engine: Path = _HERE) -> None:
    """Name the folder of the cache; to be called before numba is imported. A folder that the user has set stays."""
    if "NUMBA_CACHE_DIR" in os.environ or not os.access(engine, os.W_OK):
        return
    place = engine / "__pycache__" / f"kernels-{fingerprint(engine)}"
    os.environ["NUMBA_CACHE_DIR"] = str(place)
    if place.is_dir():
        return
    place.mkdir(parents=True, exist_ok=True)
    for old in place.parent.glob("kernels-*"):
        if old != place and time.time() - old.stat().st_mtime > _KEPT:
            shutil.rmtree(old, ignore_errors=True)


def fingerprint(engine: Path) -> str:
    """Changes with any file that kernels are made of."""
    digest = hashlib.blake2b(digest_size=8)
    paths = [engine / name for name in _FILES if (engine / name).is_file()]
    for folder in _FOLDERS:
        paths += sorted((engine / folder).rglob("*.py"))
    for path in paths:
        about = path.stat()
        digest.update(f"{path.relative_to(engine)} {about.st_mtime_ns} {about.st_size}\n".encode())
    return digest.hexdigest()
