"""Tests tries from a model file in a separate process.

Compiled code walks the bytes of a trie without any checks, so damaged ones crash the process. Therefore tries from
elsewhere are first walked in a child process: every key is read back and looked up, and so are strings close to a key.
Tries that passed are remembered by their hash, in this process and, if possible, on disk.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from engine.data.errors import InputError

_WALK: Final = Path(__file__).with_name("trie_walk.py")
_MEMORY: Final = 2 << 30
"""Address space of the child in bytes, in addition to forty times the size of the tries."""
_SECONDS: Final = 60.0
"""Time limit of the child, in addition to one second for every million bytes."""

_passed: dict[str, dict[str, int]] = {}


def sizes_of(tries: Mapping[str, bytes]) -> dict[str, int]:
    """The number of keys of each trie; InputError if one of them cannot be walked."""
    digest = _digest(tries)
    known = _passed.get(digest) or _remembered(digest)
    if known is None or set(known) != set(tries):
        known = dict(zip(tries, _walk(list(tries.values())), strict=True))
        _remember(digest, known)
    _passed[digest] = known
    return known


def trust(tries: Mapping[str, bytes], sizes: Mapping[str, int]) -> None:
    """Mark tries that this process made itself as tested."""
    digest = _digest(tries)
    if digest not in _passed:
        _passed[digest] = dict(sizes)
        _remember(digest, sizes)


def _walk(tries: list[bytes]) -> list[int]:
    total = sum(map(len, tries))
    content = b"".join(len(trie).to_bytes(8, "little") + trie for trie in tries)
    try:
        done = subprocess.run(
            [sys.executable, str(_WALK), str(_MEMORY + 40 * total)],
            input=content,
            capture_output=True,
            timeout=_SECONDS + total / 1e6,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise InputError("a list of names cannot be read in reasonable time") from None
    if done.returncode != 0:
        raise InputError("a list of names cannot be read")
    return [int(size) for size in json.loads(done.stdout)]


def _digest(tries: Mapping[str, bytes]) -> str:
    digest = hashlib.sha256()
    for name in sorted(tries):
        digest.update(f"{name} {len(tries[name])}\n".encode())
        digest.update(tries[name])
    return digest.hexdigest()


def _place(digest: str) -> Path:
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(cache) / "espalier" / "tries" / f"{digest}.json"


def _remembered(digest: str) -> dict[str, int] | None:
    with suppress(OSError, ValueError, RuntimeError):
        return {str(name): int(size) for name, size in json.loads(_place(digest).read_text()).items()}
    return None


def _remember(digest: str, sizes: Mapping[str, int]) -> None:
    # If nothing can be stored, the next process tests them again.
    with suppress(OSError, RuntimeError):
        place = _place(digest)
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        scratch = place.with_suffix(f".{os.getpid()}.part")
        scratch.write_text(json.dumps(dict(sizes)))
        scratch.replace(place)
