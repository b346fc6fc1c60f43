"""Files that were computed from what a workspace keeps, so that nobody computes them twice.

Each result is a folder under the digest of its key: whatever it depends on (model, corpus, gold, bias) is in the key,
so nothing here is ever out of date, and everything can be deleted at any time. A folder appears whole or not at all.
When the room is full, what was used longest ago goes.
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
"""What all results may take on disk."""
FORMAT: Final = 2
"""Part of every key: results of another version of the program are not read."""
_KEY: Final = "key.json"


class Room:
    """The computed results of one workspace."""

    def __init__(self, directory: Path, most_bytes: int = MOST_BYTES) -> None:
        self.directory, self.most_bytes = Path(directory), most_bytes

    def folder(self, *key: str) -> Path | None:
        """The result of this key; None where it is still to be made."""
        found = self._place(key)
        if not (found / _KEY).is_file():
            return None
        with suppress(OSError):  # Whoever may only read the workspace cannot say that it was used.
            _was_used(found)
        return found

    @contextmanager
    def making(self, *key: str) -> Iterator[Path]:
        """A folder to be filled, which becomes the result when the block ends without an error."""
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
                # Somebody else was first with the same result.
                if not (place / _KEY).is_file():
                    raise
        finally:
            shutil.rmtree(work, ignore_errors=True)
        self.shrink(keep=place)

    def shrink(self, keep: Path | None = None) -> None:
        """Delete what was used longest ago until the rest fits."""
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
        """Delete everything that was computed of a corpus: what has its hash, by itself or with a version, in its
        key."""
        for folder in self.directory.glob("*/") if self.directory.is_dir() else ():
            key = folder / _KEY
            parts = json.loads(key.read_text(encoding="utf-8")) if key.is_file() else []
            if any(part == word or part.startswith(f"{word}-") for part in parts):
                shutil.rmtree(folder, ignore_errors=True)

    def sweep(self) -> None:
        """Delete what processes that have ended left half made."""
        for one in self.directory.glob("*.part") if self.directory.is_dir() else ():
            if not _is_running(int(one.name.split(".")[1])):
                shutil.rmtree(one, ignore_errors=True)

    def _place(self, key: tuple[str, ...]) -> Path:
        told = json.dumps([FORMAT, *key]).encode()
        return self.directory / hashlib.blake2b(told, digest_size=16).hexdigest()


def _was_used(folder: Path) -> None:
    """The file system's own clock moves in steps of milliseconds, so two results would often be equally old."""
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
