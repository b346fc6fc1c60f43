"""External sorting of more rows than fit in memory: sorted runs are written to files, then merged.

A table holds rows up to a limit in bytes, not in number: one abstract is as large as a hundred names. Runs are merged
in groups of the same size, so that however many rows there are, few files are open and each row is written only a few
times.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Final, TypeAlias

Fields: TypeAlias = tuple[str, ...]

HELD: Final = 16_000_000
"""Maximum size of the rows of one table in memory, in bytes as `_size` estimates them."""

MOST_RUNS: Final = 32
"""Number of runs of one size that are merged into one."""

_OVERHEAD: Final = 64
"""Bytes that Python needs for a row or a field, besides the characters."""

_MARKS: Final = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n"})


class Sorted:
    """Rows of texts, added in any order and read back sorted."""

    def __init__(self, folder: Path, name: str, held: int = HELD) -> None:
        self._folder, self._name, self._most = folder, name, held
        self._rows: list[Fields] = []
        self._size = self._written = 0
        # By level: those of one level are merged into one of the next.
        self._runs: list[list[Path]] = []

    def add(self, *fields: str) -> None:
        self._rows.append(fields)
        self._size += _size(fields)
        if self._size >= self._most:
            self._rows.sort()
            self._keep(self._write(self._rows), 0)
            self._rows.clear()
            self._size = 0

    def _keep(self, run: Path, level: int) -> None:
        if level == len(self._runs):
            self._runs.append([])
        own = self._runs[level]
        own.append(run)
        if len(own) == MOST_RUNS:
            merged = self._write(heapq.merge(*map(_read, own)))
            for path in own:
                path.unlink()
            own.clear()
            self._keep(merged, level + 1)

    def _write(self, rows: Iterable[Fields]) -> Path:
        path = self._folder / f"{self._name}.{self._written}"
        self._written += 1
        with path.open("w", encoding="utf-8", errors="surrogatepass", newline="\n") as stream:
            stream.writelines(map(_line, rows))
        return path

    def __iter__(self) -> Iterator[Fields]:
        self._rows.sort()
        return heapq.merge(*(_read(path) for own in self._runs for path in own), iter(self._rows))

    def groups(self, n: int) -> Iterator[tuple[Fields, Iterator[Fields]]]:
        """Rows with the same first n fields."""
        return groupby(self, key=lambda row: row[:n])


def _size(fields: Fields) -> int:
    return sum(map(len, fields)) + _OVERHEAD * (len(fields) + 1)


def _line(row: Fields) -> str:
    line = "\t".join(row)
    # Texts hardly ever contain one of the marks.
    if "\\" in line or "\n" in line or line.count("\t") >= len(row):
        line = "\t".join(field.translate(_MARKS) for field in row)
    return line + "\n"


def _read(path: Path) -> Iterator[Fields]:
    with path.open(encoding="utf-8", errors="surrogatepass", newline="\n") as stream:
        for line in stream:
            fields = line[:-1].split("\t")
            yield tuple(map(_unmarked, fields) if "\\" in line else fields)


def _unmarked(field: str) -> str:
    """The field without the marks of `_line`: pieces between doubled backslashes hold single ones only before t, n."""
    return "\\".join(part.replace("\\t", "\t").replace("\\n", "\n") for part in field.split("\\\\"))


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
