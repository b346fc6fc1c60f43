"""A cache of files computed from the contents of a workspace, so that nothing is computed twice.

Each result is a folder named by the digest of its key: everything it depends on (model, corpus, gold, bias) is in the
key, so nothing here is ever out of date, and everything can be deleted at any time. A folder appears complete or not at
all. When the cache is full, the least recently used results are deleted.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from engine.corpora.io import files

MOST_BYTES: Final = 20_000_000_000
"""Maximum disk space of all results."""
FORMAT: Final = 2
"""Part of every key: results of another version of the program are not read."""
_KEY: Final = "key.json"


class Room:
    """The computed results of one workspace."""

    def __init__(self, directory: Path, most_bytes: int = MOST_BYTES) -> None:
        self.directory, self.most_bytes = Path(directory), most_bytes

    def folder(self, *key: str) -> Path | None:
        """The result of this key; None if it has not been computed yet."""
        found = self._place(key)
        if not (found / _KEY).is_file():
            return None
        with suppress(OSError):  # Without write access to the workspace, the use cannot be recorded.
            _was_used(found)
        return found

    @contextmanager
    def making(self, *key: str) -> Iterator[Path]:
        """A context with a folder to be filled, which becomes the result if the context ends without an error."""
        self.directory.mkdir(parents=True, exist_ok=True)
        place = self._place(key)
        work = self.directory / f"{place.name}.{os.getpid()}.{os.urandom(4).hex()}.part"
        work.mkdir()
        try:
            yield work
            with files.FileBatch() as batch:
                batch.create(work / _KEY).write(json.dumps(key).encode())
            _was_used(work)
            try:
                work.rename(place)
            except OSError:
                # Another process has made the same result meanwhile.
                if not (place / _KEY).is_file():
                    raise
        finally:
            shutil.rmtree(work, ignore_errors=True)
        self.shrink(keep=place)

    def shrink(self, keep: Path | None = None) -> None:
        """Delete the least recently used results until the rest fits."""
        known = sorted(
            (one for one in self.directory.iterdir() if one.is_dir() and one.suffix != ".part"),
            key=lambda one: one.stat().st_mtime_ns,
        )
        sizes = {one: sum(file.stat().st_size for file in one.iterdir()) for one in known}
        total = sum(sizes.values())
        for one in known:
            if total <= self.most_bytes:
                return
            if one != keep:
                shutil.rmtree(one, ignore_errors=True)
                total -= sizes[one]

    def forget(self, word: str) -> None:
        """Delete everything that was computed from a corpus: all results with its hash, alone or with a version, in
        their key."""
        for folder in self.directory.glob("*/") if self.directory.is_dir() else ():
            key = folder / _KEY
            parts = json.loads(key.read_text(encoding="utf-8")) if key.is_file() else []
            if any(part == word or part.startswith(f"{word}-") for part in parts):
                shutil.rmtree(folder, ignore_errors=True)

    def sweep(self) -> None:
        """Delete unfinished results of processes that have ended."""
        for one in self.directory.glob("*.part") if self.directory.is_dir() else ():
            if not _is_running(int(one.name.split(".")[1])):
                shutil.rmtree(one, ignore_errors=True)

    def _place(self, key: tuple[str, ...]) -> Path:
        told = json.dumps([FORMAT, *key]).encode()
        return self.directory / hashlib.blake2b(told, digest_size=16).hexdigest()


def _was_used(folder: Path) -> None:
    """Record the time of use explicitly, since the file system's clock has steps of milliseconds, so that two results
    would often be equally old."""
    now = time.time_ns()
    os.utime(folder, ns=(now, now))


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
