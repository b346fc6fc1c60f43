"""Tries from a model file, tried in a process of their own.

A trie is bytes that compiled code walks without looking where it steps: damaged ones end the process. So tries that
came from elsewhere are first walked in a child: every key is read back and looked up, and what is next to a key is
looked up, too. What has passed is remembered by its hash, for this process and, where it can be, on disk.
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
"""Bytes of address space that a child may take, besides forty times the bytes of the tries."""
_SECONDS: Final = 60.0
"""How long a child may take, besides a second for every million bytes."""

_passed: dict[str, dict[str, int]] = {}


def sizes_of(tries: Mapping[str, bytes]) -> dict[str, int]:
    """The number of keys of each trie; InputError where one of them cannot be walked."""
    digest = _digest(tries)
    known = _passed.get(digest) or _remembered(digest)
    if known is None or set(known) != set(tries):
        known = dict(zip(tries, _walk(list(tries.values())), strict=True))
        _remember(digest, known)
    _passed[digest] = known
    return known


def trust(tries: Mapping[str, bytes], sizes: Mapping[str, int]) -> None:
    """Tries that this process made itself need no trial when they come back."""
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
    # Where nothing can be kept, the next process tries them again.
    with suppress(OSError, RuntimeError):
        place = _place(digest)
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        scratch = place.with_suffix(f".{os.getpid()}.part")
        scratch.write_text(json.dumps(dict(sizes)))
        scratch.replace(place)
