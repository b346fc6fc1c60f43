"""How n-grams resemble titles, for many pairs of them at once.

Each n-gram and each title is spelt out once, as numbers: equal numbers stand for equal texts. A kernel compares pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain
from typing import Final, NamedTuple

import numpy as np

from engine.arrays import Floats, Ints, Places, Words
from engine.kernels import kernel
from engine.lexicon.surfaces import fold, plain_title, squeeze, words_of

KEPT: Final = 1 << 15
"""Maximum number of cached titles and n-grams."""


class _Spelling(NamedTuple):
    """A name prepared for comparison."""

    written: str
    """The whole name, in lower case."""
    letters: str
    """Letters and digits."""
    start: str
    """The first four letters."""
    folded: str
    """What its trigrams are made of."""
    words: tuple[str, ...]
    """The distinct words."""


class _Spelt(NamedTuple):
    """Names as numbers."""

    written: Ints
    letters: Ints
    start: Ints
    words: Ints
    """The words of name i are words[word_offsets[i]:word_offsets[i + 1]]."""
    word_offsets: Ints
    trigrams: Words
    """Its distinct trigrams, ascending, are the first `n_trigrams[i]` from trigram_offsets[i] on."""
    trigram_offsets: Ints
    n_trigrams: Ints


class Likeness(NamedTuple):
    """How each n-gram resembles the title beside it."""

    dice: Floats
    same_letters: Floats
    same_title: Floats
    covered: Floats
    starts_alike: Floats


def compare(keys: Sequence[str], titles: Sequence[str], pairs: tuple[Places, Places]) -> Likeness:
    """The likeness of pairs, given as places in the list of n-grams and in the list of titles."""
    numbers: dict[str, int] = {}
    a = _spelt(list(map(_spelling_of_key, keys)), numbers)
    b = _spelt(list(map(_spelling_of_title, titles)), numbers)
    key, title = pairs
    dice, covered = _compare(a, b, key, title)
    return Likeness(
        dice=dice,
        same_letters=(a.letters[key] == b.letters[title]).astype(np.float64),
        same_title=(a.written[key] == b.written[title]).astype(np.float64),
        covered=covered,
        starts_alike=(a.start[key] == b.start[title]).astype(np.float64),
    )


@lru_cache(maxsize=KEPT)
def _spelling_of_key(key: str) -> _Spelling:
    letters, folded = squeeze(key), fold(key)
    return _Spelling(key, letters, letters[:4], folded, tuple(set(folded.split())))


@lru_cache(maxsize=KEPT)
def _spelling_of_title(title: str) -> _Spelling:
    plain = plain_title(title)
    letters = squeeze(plain)
    start = letters[:4] if plain == title else squeeze(title)[:4]
    return _Spelling(title.lower(), letters, start, fold(plain.lower()), tuple(set(words_of(title))))


def _spelt(names: Sequence[_Spelling], numbers: dict[str, int]) -> _Spelt:
    """The names as numbers; `numbers` are those of texts so far."""

    def numbered(texts: Iterable[str]) -> Ints:
        return np.array([numbers.setdefault(text, len(numbers)) for text in texts], dtype=np.int64)

    padded = [f"  {name.folded} " for name in names]
    letters = np.frombuffer("".join(padded).encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.uint64)
    offsets = _offsets(padded)
    trigrams, n_trigrams = _trigrams(letters, offsets)
    return _Spelt(
        written=numbered(name.written for name in names),
        letters=numbered(name.letters for name in names),
        start=numbered(name.start for name in names),
        words=numbered(chain.from_iterable(name.words for name in names)),
        word_offsets=_offsets([name.words for name in names]),
        trigrams=trigrams,
        trigram_offsets=offsets[:-1],
        n_trigrams=n_trigrams,
    )


def _offsets(rows: Sequence[Sequence[str]]) -> Ints:
    offsets = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, rows), np.int64, len(rows)), out=offsets[1:])
    return offsets


@kernel
def _trigrams(letters: Words, offsets: Ints) -> tuple[Words, Ints]:
    """The distinct trigrams of each text in ascending order, and their number. A code point takes 21 bits."""
    found = np.zeros(len(letters), dtype=np.uint64)
    counts = np.zeros(len(offsets) - 1, dtype=np.int64)
    for text in range(len(offsets) - 1):
        begin, count = offsets[text], 0
        for at in range(begin, offsets[text + 1] - 2):
            code = (letters[at] << np.uint64(42)) | (letters[at + 1] << np.uint64(21)) | letters[at + 2]
            place = begin + count
            while place > begin and found[place - 1] > code:
                place -= 1
            if place > begin and found[place - 1] == code:
                continue
            for moved in range(begin + count, place, -1):
                found[moved] = found[moved - 1]
            found[place] = code
            count += 1
        counts[text] = count
    return found, counts


@kernel
def _compare(a: _Spelt, b: _Spelt, key: Places, title: Places) -> tuple[Floats, Floats]:
    """The Dice coefficient of the trigrams, and the share of the title's words that occur in the n-gram."""
    dice, covered = np.zeros(len(key)), np.zeros(len(key))
    a_trigrams, b_trigrams, a_words, b_words = a.trigrams, b.trigrams, a.words, b.words
    for pair in range(len(key)):
        i, j = key[pair], title[pair]
        at, other = a.trigram_offsets[i], b.trigram_offsets[j]
        end, other_end = at + a.n_trigrams[i], other + b.n_trigrams[j]
        total, common = a.n_trigrams[i] + b.n_trigrams[j], 0
        while at < end and other < other_end:
            if a_trigrams[at] == b_trigrams[other]:
                common += 1
                at += 1
                other += 1
            elif a_trigrams[at] < b_trigrams[other]:
                at += 1
            else:
                other += 1
        dice[pair] = 2 * common / total
        shared, n_words = 0, b.word_offsets[j + 1] - b.word_offsets[j]
        for place in range(b.word_offsets[j], b.word_offsets[j + 1]):
            for held in range(a.word_offsets[i], a.word_offsets[i + 1]):
                shared += a_words[held] == b_words[place]
        covered[pair] = shared / max(1, n_words)
    return dice, covered
