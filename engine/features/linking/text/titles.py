"""The distinct titles of some candidates as columns: each spelling is made once, for all of them at a time.

A corpus names most of its titles only once or twice, so nothing is kept from one block to the next. What depends on a
word alone is computed once for each distinct word.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import chain

import numpy as np

from engine.arrays import Flags, Floats, Ints, Places, Singles
from engine.features.linking.text.words import COMMON
from engine.lexicon.surfaces import fold_all, plain_title


class Words:
    """Rows of words: those of row i are the places offsets[i] to offsets[i + 1] - 1 of `which`, which are places in
    the list of distinct words."""

    def __init__(self, rows: Sequence[Sequence[str]]) -> None:
        place: dict[str, int] = {}
        self.which: Places = np.array(
            [place.setdefault(word, len(place)) for word in chain.from_iterable(rows)], dtype=np.intp
        )
        self.distinct = list(place)
        self.sizes: Ints = np.fromiter(map(len, rows), np.int64, len(rows))
        self.offsets = offsets_of(self.sizes)
        self.row: Places = np.repeat(np.arange(len(rows)), self.sizes)

    def flags(self, function: Callable[[str], bool]) -> Flags:
        """A yes or no for each word."""
        return np.array([function(word) for word in self.distinct], dtype=np.bool_)[self.which]

    def total(self, flags: Flags) -> Floats:
        """How many words of each row have the flag."""
        return np.bincount(self.row, flags, len(self.sizes)).astype(np.float64)


class Titles:
    """Titles and their spellings."""

    def __init__(self, written: Sequence[str]) -> None:
        self.written = list(written)

    def __len__(self) -> int:
        return len(self.written)

    @cached_property
    def plain(self) -> list[str]:
        """Without the bracket that distinguishes a title from its namesakes; the same object if there is none."""
        return [plain_title(title) for title in self.written]

    @cached_property
    def folded(self) -> list[str]:
        """Without bracket, capitals and diacritics."""
        return fold_all([title.lower() for title in self.plain])

    @cached_property
    def bracketed(self) -> list[int]:
        """The places of titles with a bracket."""
        return [i for i, (title, plain) in enumerate(zip(self.written, self.plain, strict=True)) if title is not plain]

    @cached_property
    def words(self) -> list[list[str]]:
        """The words that `engine.lexicon.surfaces.words_of` gives for each title."""
        return [title.replace(".", "").replace(",", " ").replace("–", " ").split() for title in self.folded]

    @cached_property
    def all_words(self) -> list[list[str]]:
        """The folded words of each title with its bracket, without marks at their ends."""
        whole = list(self.folded)
        for i in self.bracketed:
            [whole[i]] = fold_all([self.written[i].lower()])
        return [[word.strip("(),.") for word in title.split()] for title in whole]

    @cached_property
    def facts(self) -> Singles:
        """One row for each of: has a bracket, has a comma, number of words without the bracket, share of capitals among
        its long words after the first (0.5 if there are none), share of common words, has a year."""
        plain, words = Words([title.split() for title in self.plain]), Words(self.words)
        opens = np.zeros(len(plain.which), dtype=np.bool_)
        opens[plain.offsets[:-1][plain.sizes > 0]] = True
        long = plain.flags(lambda word: len(word) > 3) & ~opens
        n_long, n_proper = plain.total(long), plain.total(long & plain.flags(lambda word: word[:1].isupper()))
        n_common = words.total(words.flags(lambda word: word in COMMON))
        for i in np.flatnonzero(words.sizes == 0).tolist():
            n_common[i] = self.written[i].lower() in COMMON
        facts = np.empty((6, len(self)), dtype=np.float32)
        facts[0] = ["(" in title for title in self.written]
        facts[1] = [", " in title for title in self.written]
        facts[2] = plain.sizes
        facts[3] = np.where(n_long > 0, n_proper / np.maximum(1, n_long), 0.5)
        facts[4] = n_common / np.maximum(1, words.sizes)
        facts[5] = words.total(words.flags(lambda word: word.isdigit() and len(word) == 4)) > 0
        return facts


def offsets_of(sizes: Ints) -> Ints:
    """Where each row begins, and where the last one ends."""
    offsets = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=offsets[1:])
    return offsets
