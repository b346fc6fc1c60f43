"""Columns of texts, kept as the distinct texts and a number for every row.

A document has few distinct words, tags and relations, so whatever depends on a text alone (its code, its ending, a
dictionary that lists it) is found once for each, and columns of mentions are cut out of columns of words by numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import overload

import numpy as np

from engine.arrays import Array, Flags, Ints, Words


@lru_cache(maxsize=1 << 18)
def code(text: str) -> int:
    """A stable 63-bit number for a text; 0 is the empty one."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big") >> 1 if text else 0


class Distinct:
    """Distinct texts by number, the empty one first."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts = list(dict.fromkeys(("", *texts)))
        self._codes: Words | None = None

    @property
    def codes(self) -> Words:
        """The code of each text."""
        if self._codes is None:
            self._codes = np.fromiter(map(code, self.texts), np.uint64, len(self.texts))
        return self._codes

    def numbers(self) -> dict[str, int]:
        return {text: number for number, text in enumerate(self.texts)}


class Texts(Sequence[str]):
    """A column of texts. Equal texts have equal numbers; the number of the empty text is 0."""

    def __init__(self, distinct: Distinct, numbers: Ints) -> None:
        self.distinct, self.numbers = distinct, numbers

    @classmethod
    def of(cls, texts: Sequence[str]) -> Texts:
        distinct = Distinct(texts)
        return cls(distinct, np.fromiter(map(distinct.numbers().__getitem__, texts), np.int64, len(texts)))

    @classmethod
    def named(cls, keys: Ints, name: Callable[[int], str]) -> Texts:
        """The name of the key of each row; different keys need different names."""
        found, rows = np.unique(keys, return_inverse=True)
        return cls(Distinct(map(name, found.tolist())), rows + 1)

    def mapped(self, change: Callable[[str], str]) -> Texts:
        """The column with every text changed; the change is made once for each distinct text."""
        changed = Texts.of([change(text) for text in self.distinct.texts])
        return Texts(changed.distinct, changed.numbers[self.numbers])

    def at(self, rows: Array) -> Texts:
        """The texts of these rows."""
        return Texts(self.distinct, self.numbers[rows])

    def where(self, kept: Flags) -> Texts:
        """The column with only the texts of the marked rows, the others empty."""
        return Texts(self.distinct, np.where(kept, self.numbers, 0))

    def are(self, test: Callable[[str], bool]) -> Flags:
        """Whether each text passes a test, which is made once for each distinct text."""
        return np.array([test(text) for text in self.distinct.texts], dtype=np.bool_)[self.numbers]

    def joined(self, other: Texts) -> Texts:
        """The texts of both columns with a space between."""
        size = len(other.distinct.texts)
        first, second = self.distinct.texts, other.distinct.texts
        keys, rows = np.unique(self.numbers * size + other.numbers, return_inverse=True)
        pairs = Texts.of([f"{first[key // size]} {second[key % size]}" for key in keys.tolist()])
        return pairs.at(rows)

    @property
    def codes(self) -> Words:
        return self.distinct.codes[self.numbers]

    @overload
    def __getitem__(self, row: int) -> str: ...
    @overload
    def __getitem__(self, row: slice) -> list[str]: ...
    def __getitem__(self, row: int | slice) -> str | list[str]:
        if isinstance(row, slice):
            return list(self)[row]
        return self.distinct.texts[int(self.numbers[row])]

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[str]:
        return map(self.distinct.texts.__getitem__, self.numbers.tolist())
