"""How much of some files has been read: whoever opens a file says where it stands, and a progress bar asks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final


class Progress:
    """A context that knows how much of these files has been read since it began."""

    def __init__(self, paths: Iterable[Path]) -> None:
        self._sizes = {path: path.stat().st_size for path in paths if path.is_file()}
        self._read: dict[Path, int | IO[bytes]] = {}

    @property
    def share(self) -> float:
        """From 0 to 1; of compressed files, the compressed bytes count."""
        read = (place if isinstance(place, int) else place.tell() for place in self._read.values())
        return sum(read) / max(1, sum(self._sizes.values()))

    def place(self, path: Path, place: int | IO[bytes]) -> None:
        """Keep where reading of a file stands, or the stream that knows."""
        if path in self._sizes:
            self._read[path] = place

    def __enter__(self) -> Progress:
        _watching.append(self)
        return self

    def __exit__(self, *_: Any) -> None:
        _watching.remove(self)


_watching: Final[list[Progress]] = []


@contextmanager
def told(path: Path, raw: IO[bytes]) -> Iterator[None]:
    """A context in which this file is read through this stream of its bytes."""
    watching = list(_watching)
    for one in watching:
        one.place(path, raw)
    try:
        yield
    finally:
        for one in watching:
            one.place(path, raw.tell())
