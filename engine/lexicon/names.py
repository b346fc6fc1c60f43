"""Names in pieces: a trie that is too large to be built at once is cut into several, by a hash of the name.

Building a trie takes thirty times the memory of the result. `Names` behaves as one trie would: the numbers of a piece
follow those of the pieces before it. While names and what belongs to them are collected, they wait in one file for each
piece, so that no more than one piece is ever in memory.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain
from pathlib import Path
from typing import IO, Any, Final
from zlib import crc32

import marisa_trie
import numpy as np

from engine.arrays import Array, Ints

HELD: Final = 1 << 18
"""Number of names or rows that wait in memory before they are written to the files of their pieces."""


class Names:
    """Several tries as one."""

    def __init__(self, tries: Sequence[marisa_trie.Trie]) -> None:
        self.tries = tuple(tries)
        self.offsets = [0, *accumulate(map(len, self.tries))]

    def get(self, name: str, default: int | None = None) -> int | None:
        piece = piece_of(name, len(self.tries))
        number = self.tries[piece].get(name)
        return default if number is None else number + self.offsets[piece]

    def __getitem__(self, name: str) -> int:
        number = self.get(name)
        if number is None:
            raise KeyError(name)
        return number

    def __contains__(self, name: str) -> bool:
        return name in self.tries[piece_of(name, len(self.tries))]

    def __len__(self) -> int:
        return self.offsets[-1]

    def restore_key(self, number: int) -> str:
        if not 0 <= number < len(self):
            raise KeyError(number)
        piece = bisect_right(self.offsets, number) - 1
        name: str = self.tries[piece].restore_key(number - self.offsets[piece])
        return name

    def iterkeys(self, prefix: str = "") -> Iterator[str]:
        return chain.from_iterable(trie.iterkeys(prefix) for trie in self.tries)

    def prefixes(self, text: str) -> list[str]:
        """The names with which a text begins, the shortest first."""
        return [text[:n] for n in range(len(text) + 1) if text[:n] in self]

    def tobytes(self) -> bytes:
        return b"".join(trie.tobytes() for trie in self.tries)

    def save(self, path: str) -> None:
        for number, trie in enumerate(self.tries):
            trie.save(piece_path(path, number))

    @staticmethod
    def mapped(path: str, pieces: int | None) -> marisa_trie.Trie | Names:
        """One trie, or those of some pieces, mapped from their files."""
        if pieces is None:
            return marisa_trie.Trie().mmap(path)
        return Names([marisa_trie.Trie().mmap(piece_path(path, number)) for number in range(pieces)])


def piece_path(path: str, number: int) -> str:
    return f"{path}.{number}"


def piece_of(name: str, pieces: int) -> int:
    """The piece to which a name belongs."""
    return crc32(name.encode()) % pieces


class Waiting:
    """Names that wait for their trie, each with a number (0 if it needs none), in a file for each piece."""

    def __init__(self, folder: Path, kind: str, pieces: int) -> None:
        self._files = [_both(folder / f"{kind}-{piece}") for piece in range(pieces)]
        self._held: list[list[bytes]] = [[] for _ in range(pieces)]
        self._numbers: list[list[int]] = [[] for _ in range(pieces)]
        self._n = 0

    def add(self, name: str, number: int = 0) -> None:
        content = name.encode()
        piece = crc32(content) % len(self._files)
        self._held[piece].append(content)
        self._numbers[piece].append(number)
        self._n += 1
        if self._n >= HELD:
            self._flush()

    def _flush(self) -> None:
        for (names, numbers), held, values in zip(self._files, self._held, self._numbers, strict=True):
            # No name has the character NUL, which ends a key in a trie.
            names.write(b"".join(name + b"\0" for name in held))
            numbers.write(np.array(values, dtype=np.int64).tobytes())
            held.clear()
            values.clear()
        self._n = 0

    def pieces(self) -> Iterator[tuple[list[str], list[int]]]:
        """The names of each piece with their numbers, in the order in which they came; nothing can be added then."""
        self._flush()
        for names, numbers in self._files:
            with names, numbers:
                numbers.seek(0)
                values = np.frombuffer(numbers.read(), dtype=np.int64).tolist()
                yield [name.decode() for name in _read(names)], values

    def names(self, *, repeated: bool = False) -> Names:
        """The tries of all names; nothing can be added then. If most names are `repeated`, each is kept in memory once,
        else none, as a trie takes them one by one."""
        self._flush()
        tries = []
        for names, numbers in self._files:
            with names, numbers:
                found = set(_read(names)) if repeated else _read(names)
                tries.append(marisa_trie.Trie(name.decode() for name in found))
        return Names(tries)


def _read(names: IO[bytes]) -> Iterator[bytes]:
    """The names in a file, a block at a time."""
    names.seek(0)
    rest = b""
    while block := names.read(1 << 20):
        *whole, rest = (rest + block).split(b"\0")
        yield from whole


def _both(path: Path) -> tuple[IO[bytes], IO[bytes]]:
    return open(f"{path}.names", "w+b"), open(f"{path}.numbers", "w+b")


class Grouped:
    """Rows that belong to names, such as postings: they wait in files and are then grouped piece by piece."""

    def __init__(self, folder: Path, kind: str, owners: Names, columns: Sequence[Any]) -> None:
        self._folder, self._kind, self._owners = folder, kind, owners
        self._row = np.dtype([("owner", np.int64), *((f"c{i}", dtype) for i, dtype in enumerate(columns))])
        self._files = [open(folder / f"{kind}-{piece}.rows", "w+b") for piece in range(len(owners.tries))]
        self._size = 0

    def add(self, owners: Ints, *columns: Array) -> None:
        """Add rows by the numbers of their names."""
        rows = np.empty(len(owners), dtype=self._row)
        for name, column in zip(self._row.names or (), (owners, *columns), strict=True):
            rows[name] = column
        pieces = np.searchsorted(self._owners.offsets, owners, side="right") - 1
        for piece in np.unique(pieces).tolist():
            self._files[piece].write(rows[pieces == piece].tobytes())
        self._size += len(rows)

    def offsets_and_columns(self) -> list[Array]:
        """Where the rows of each name begin, and the columns with the rows of a name in the order in which they came;
        arrays that are mapped from files."""
        names = self._row.names or ()
        offsets = self._array("offsets", np.dtype(np.int64), len(self._owners) + 1)
        columns = [self._array(name, self._row[name], self._size) for name in names[1:]]
        at = 0
        for piece, file in enumerate(self._files):
            file.seek(0)
            rows = np.frombuffer(file.read(), dtype=self._row)
            file.close()
            first, last = self._owners.offsets[piece], self._owners.offsets[piece + 1]
            owners = rows["owner"] - first
            order = np.argsort(owners, kind="stable")
            for name, column in zip(names[1:], columns, strict=True):
                column[at : at + len(rows)] = rows[name][order]
            offsets[first + 1 : last + 1] = at + np.cumsum(np.bincount(owners, minlength=last - first))
            at += len(rows)
        return [offsets, *columns]

    def _array(self, name: str, dtype: Any, size: int) -> Array:
        path = self._folder / f"{self._kind}-{name}.npy"
        # An empty file cannot be mapped.
        return np.lib.format.open_memmap(path, mode="w+", dtype=dtype, shape=(size,)) if size else np.zeros(0, dtype)
