"""How n-grams resemble titles, for many pairs of them at once.

Each n-gram and each title is spelt out once, as numbers: equal numbers stand for equal texts. A kernel compares pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from engine.arrays import Floats, Ints, Places, Words
from engine.features.linking.text.titles import Titles, offsets_of
from engine.kernels import kernel
from engine.lexicon.surfaces import fold_all, squeeze, squeeze_all


class _Spelt(NamedTuple):
    """Names as numbers."""

    written: Ints
    letters: Ints
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


def compare(keys: Sequence[str], titles: Titles, pairs: tuple[Places, Places]) -> Likeness:
    """The likeness of pairs, given as places in the list of n-grams and among the titles."""
    numbers: dict[str, int] = {}
    folded, short, letters = fold_all(keys), squeeze_all(keys), squeeze_all(titles.plain)
    a = _spelt(numbers, keys, short, folded, [key.split() for key in folded])
    b = _spelt(numbers, [title.lower() for title in titles.written], letters, titles.folded, titles.words)
    starts = [name[:4] for name in letters]
    for i in titles.bracketed:
        starts[i] = squeeze(titles.written[i])[:4]
    starts_of_keys, starts_of_titles = _numbered(numbers, [name[:4] for name in short]), _numbered(numbers, starts)
    key, title = pairs
    dice, covered = _compare(a, b, key, title)
    return Likeness(
        dice=dice,
        same_letters=(a.letters[key] == b.letters[title]).astype(np.float64),
        same_title=(a.written[key] == b.written[title]).astype(np.float64),
        covered=covered,
        starts_alike=(starts_of_keys[key] == starts_of_titles[title]).astype(np.float64),
    )


def _spelt(
    numbers: dict[str, int],
    written: Sequence[str],
    letters: Sequence[str],
    folded: Sequence[str],
    words: Sequence[Sequence[str]],
) -> _Spelt:
    """Names as numbers; `numbers` are those of texts so far."""
    padded = [f"  {name} " for name in folded]
    codes = np.frombuffer("".join(padded).encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.uint64)
    offsets = offsets_of(np.fromiter(map(len, padded), np.int64, len(padded)))
    trigrams, n_trigrams = _trigrams(codes, offsets)
    return _Spelt(
        written=_numbered(numbers, written),
        letters=_numbered(numbers, letters),
        words=_numbered(numbers, chain.from_iterable(words)),
        word_offsets=offsets_of(np.fromiter(map(len, words), np.int64, len(words))),
        trigrams=trigrams,
        trigram_offsets=offsets[:-1],
        n_trigrams=n_trigrams,
    )


def _numbered(numbers: dict[str, int], texts: Iterable[str]) -> Ints:
    return np.array([numbers.setdefault(text, len(numbers)) for text in texts], dtype=np.int64)


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
    """The Dice coefficient of the trigrams, and the share of the title's distinct words that occur in the n-gram."""
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
        shared, n_words = 0, 0
        for place in range(b.word_offsets[j], b.word_offsets[j + 1]):
            again, held = False, False
            for earlier in range(b.word_offsets[j], place):
                again |= b_words[earlier] == b_words[place]
            for other_place in range(a.word_offsets[i], a.word_offsets[i + 1]):
                held |= a_words[other_place] == b_words[place]
            n_words += not again
            shared += held and not again
        covered[pair] = shared / max(1, n_words)
    return dice, covered
