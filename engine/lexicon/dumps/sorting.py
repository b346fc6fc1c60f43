"""External sorting of more rows than fit in memory: sorted runs are written to files, then merged."""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Final, TypeAlias

Fields: TypeAlias = tuple[str, ...]

HELD: Final = 1_000_000
"""Maximum number of rows of one table in memory."""


class Sorted:
    """Rows of texts, added in any order and read back sorted."""

    def __init__(self, folder: Path, name: str, held: int = HELD) -> None:
        self._folder, self._name, self._most = folder, name, held
        self._rows: list[Fields] = []
        self._runs: list[Path] = []

    def add(self, *fields: str) -> None:
        self._rows.append(fields)
        if len(self._rows) >= self._most:
            self._write()

    def _write(self) -> None:
        path = self._folder / f"{self._name}.{len(self._runs)}"
        with path.open("w", encoding="utf-8", errors="surrogatepass") as stream:
            # JSON, because names may contain tabs and line breaks.
            stream.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in sorted(self._rows))
        self._runs.append(path)
        self._rows = []

    def __iter__(self) -> Iterator[Fields]:
        runs: list[Iterator[Fields]] = [_read(path) for path in self._runs]
        return heapq.merge(*runs, iter(sorted(self._rows)))

    def groups(self, n: int) -> Iterator[tuple[Fields, Iterator[Fields]]]:
        """Rows with the same first n fields."""
        return groupby(self, key=lambda row: row[:n])


def _read(path: Path) -> Iterator[Fields]:
    with path.open(encoding="utf-8", errors="surrogatepass") as stream:
        for line in stream:
            yield tuple(json.loads(line))


def joined(rows: Iterator[Fields], values: Iterator[Fields]) -> Iterator[tuple[Fields, str | None]]:
    """Each row with the value for its first field, or None. Both inputs must be sorted; values are (key, value)."""
    key, value = next(values, ("", ""))
    ended = not key
    for row in rows:
        while not ended and key < row[0]:
            following: Sequence[str] | None = next(values, None)
            if following is None:
                ended = True
            else:
                key, value = following
        yield row, value if not ended and key == row[0] else None
