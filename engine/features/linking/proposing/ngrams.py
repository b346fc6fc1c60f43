"""The n-grams of many texts that are worth looking up: of a hundred in a text, a dozen.

A kernel goes through all n-grams. Single words are looked up in any case. An n-gram of several words is passed over if
nothing but its letters and digits could make it a name, and sieves say that no name has them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from typing import Final, NamedTuple

import numpy as np

from engine.arrays import Bytes, Flags, Ints, Words
from engine.features.linking.proposing.guesses import MOST_TOKENS as MOST_GUESSED
from engine.features.linking.proposing.guesses import SMALL
from engine.features.linking.text.tokens import Tokens
from engine.kernels import inlined, kernel
from engine.lexicon.lexicon import ABBREVIATIONS, MOST_TOKENS
from engine.lexicon.sieve import BASE, Sieve, passes

KEPT: Final = 1 << 15
"""Maximum number of words whose flags are cached."""
BOUND, BREAK, SIGN, OPENS, CLOSES, JOINS = (1 << i for i in range(6))
"""What a token may be: the begin or end of a name, the end of all names; after a sign; and the begin, the end or a part
of a title that is guessed."""
_UNKNOWN: Final = np.uint8(ord("?"))
"""What stands for characters that are not ASCII. A real question mark is as rare inside an n-gram."""
_AND, _AMPERSAND, _OTHER = range(3)
_ZERO, _NINE, _A, _Z, _S = (np.uint8(ord(c)) for c in "09azs")
_SPACE: Final = r"[\s\x1c-\x1f]"
_SHORT: Final = "|".join(re.escape(short).replace(r"\ ", f"{_SPACE}+") for short in ABBREVIATIONS)
_INITIALS: Final = "".join({re.escape(short[0]) for short in ABBREVIATIONS if short[0] != " "})
# One may begin inside another, so they are only looked at; the first bracket makes the search quick.
_ABBREVIATED: Final = re.compile(f"(?=[{_INITIALS}{_SPACE[1:-1]}])(?=({_SHORT}))".encode())
_CONJUNCTIONS: Final = {b"and": _AND, b"&": _AMPERSAND}


class NGrams(NamedTuple):
    """Tokens first to last - 1, numbered across the texts, by their first token, the shorter first."""

    first: Ints
    last: Ints
    guessed: Flags
    """Whether the n-gram may be a title that the lexicon lacks."""


class _Tokens(NamedTuple):
    """The tokens of many texts: their flags and characters, and where the text of each ends."""

    flags: Bytes
    start: Ints
    end: Ints
    until: Ints


class _Letters(NamedTuple):
    """Sums over the characters before each one."""

    value: Words
    """The letters and digits as one number."""
    size: Ints
    """How many they are."""
    unknown: Ints
    """Characters that are not ASCII."""
    power: Words
    """The powers of the base by which a value grows with each letter."""


class _Abbreviations(NamedTuple):
    """Abbreviations by their first characters: where they end, what kind they are; and their number before each
    character."""

    start: Ints
    end: Ints
    kind: Ints
    before: Ints


def worth_looking_up(texts: Sequence[Tokens], names: Sieve, linked: Sieve) -> NGrams:
    """The n-grams of these texts that may have a reading. `linked` is the sieve of names that training linked."""
    sizes = np.array([len(text) for text in texts], dtype=np.int64)
    offsets = np.cumsum([0, *(len(text.text) + 1 for text in texts)], dtype=np.int64)
    before = np.repeat(offsets[:-1], sizes)
    tokens = _Tokens(
        flags=np.fromiter(chain.from_iterable(map(_flags, texts)), np.uint8, int(sizes.sum())),
        start=before + np.fromiter(chain.from_iterable(text.starts for text in texts), np.int64, len(before)),
        end=before + np.fromiter(chain.from_iterable(text.ends for text in texts), np.int64, len(before)),
        until=np.repeat(np.cumsum(sizes), sizes),
    )
    # One byte for each character, with the ASCII capitals made small.
    content = "\n".join([*(text.text for text in texts), ""]).encode("ascii", "replace").lower()
    codes = np.frombuffer(content, dtype=np.uint8)
    return NGrams(*_sifted(tokens, codes, _letters(codes), _abbreviations(content), (names, linked)))


def _abbreviations(content: bytes) -> _Abbreviations:
    found = [
        (match.start(), match.end(1), _CONJUNCTIONS.get(match[1].strip(), _OTHER))
        for match in _ABBREVIATED.finditer(content)
    ]
    start, end, kind = np.array(found, dtype=np.int64).reshape(len(found), 3).T.copy()
    return _Abbreviations(start, end, kind, np.searchsorted(start, np.arange(len(content) + 1)))


def _flags(text: Tokens) -> list[int]:
    """The flags of the tokens of a text."""
    return [
        _of_word(word) | (bound and BOUND) | (breaks and BREAK) | (SIGN if sign else 0)
        for word, bound, breaks, sign in zip(text.words, text.bounds, text.breaks, text.signs, strict=True)
    ]


@lru_cache(maxsize=KEPT)
def _of_word(word: str) -> int:
    """Where a word may stand in a title that is guessed."""
    opens = word[:1].isupper()
    closes = opens or word.isdigit()
    return int(opens * OPENS + closes * CLOSES + (closes or word in SMALL) * JOINS)


@kernel
def _letters(content: Bytes) -> _Letters:
    n = len(content)
    value, power = np.zeros(n + 1, dtype=np.uint64), np.ones(n + 1, dtype=np.uint64)
    count, unknown = np.zeros(n + 1, dtype=np.int64), np.zeros(n + 1, dtype=np.int64)
    for at in range(n):
        letter = content[at]
        power[at + 1] = power[at] * BASE
        unknown[at + 1] = unknown[at] + (letter == _UNKNOWN)
        if _ZERO <= letter <= _NINE or _A <= letter <= _Z:
            value[at + 1], count[at + 1] = value[at] * BASE + np.uint64(letter), count[at] + 1
        else:
            value[at + 1], count[at + 1] = value[at], count[at]
    return _Letters(value, count, unknown, power)


@kernel
def _sifted(
    tokens: _Tokens, content: Bytes, letters: _Letters, shorts: _Abbreviations, sieves: tuple[Sieve, Sieve]
) -> tuple[Ints, Ints, Flags]:
    n = len(tokens.flags)
    flags, start, end, until = tokens.flags, tokens.start, tokens.end, tokens.until
    value, count, unknown, power = letters.value, letters.size, letters.unknown, letters.power
    short, (names, linked) = shorts.before, sieves
    first, last = np.empty(n * MOST_TOKENS, dtype=np.int64), np.empty(n * MOST_TOKENS, dtype=np.int64)
    guessed = np.zeros(n * MOST_TOKENS, dtype=np.bool_)
    found = 0
    for begin in range(n):
        if not flags[begin] & BOUND or flags[begin] & BREAK:
            continue
        first[found], last[found] = begin, begin + 1
        found += 1
        # A title may be guessed as long as all its words may be part of one.
        guessing = flags[begin] & OPENS and not flags[begin] & SIGN
        for at in range(begin + 1, min(begin + MOST_TOKENS, until[begin])):
            if flags[at] & BREAK:
                break
            guessing = guessing and flags[at] & JOINS and not flags[at] & SIGN and at < begin + MOST_GUESSED
            if not flags[at] & BOUND:
                continue
            low, high = start[begin], end[at]
            guess = guessing and flags[at] & CLOSES
            worth = guess or unknown[high] > unknown[low]
            worth = worth or _may_be_name(content, value, count, power, low, high, names, linked)
            if not worth and short[high] > short[low]:
                worth = _may_be_otherwise(letters, shorts, low, high, sieves)
            if worth:
                first[found], last[found], guessed[found] = begin, at + 1, guess
                found += 1
    return first[:found], last[:found], guessed[:found]


_INVERSE: Final = np.uint64(pow(int(BASE), -1, 1 << 64))
"""Takes the last letter off a number, once it is 0."""


@inlined
def _may_be_name(
    content: Bytes, value: Words, count: Ints, power: Words, low: int, high: int, names: Sieve, linked: Sieve
) -> bool:
    """Whether a name may have these letters, or these but for the s of a plural. Very short ones are not told apart."""
    size = count[high] - count[low]
    whole = value[high] - value[low] * power[size]
    may = size < 4 or passes(whole, names) or passes(whole, linked)
    if not may and _ends_in_s(content, low, high):
        single = (whole - np.uint64(_S)) * _INVERSE
        may = passes(single, names) or passes(single, linked)
    return may


@kernel
def _may_be_otherwise(
    letters: _Letters, shorts: _Abbreviations, low: int, high: int, sieves: tuple[Sieve, Sieve]
) -> bool:
    """Whether the n-gram has abbreviations, and a name may have the letters of what they stand for. Only those of one
    "and" or "&" are told apart."""
    inside, which = 0, 0
    for short in range(shorts.before[low], shorts.before[high]):
        if shorts.kind[short] == _OTHER:
            return True
        if shorts.end[short] <= high:
            inside, which = inside + 1, short
    if inside != 1:
        return inside > 1
    left, right = shorts.start[which], shorts.end[which]
    n_left, n_right = letters.size[left] - letters.size[low], letters.size[high] - letters.size[right]
    changed = letters.value[left] - letters.value[low] * letters.power[n_left]
    if shorts.kind[which] == _AMPERSAND:
        changed = changed * letters.power[3] + _AND_VALUE
    changed = changed * letters.power[n_right] + letters.value[high] - letters.value[right] * letters.power[n_right]
    return passes(changed, sieves[0]) or passes(changed, sieves[1])


_AND_VALUE: Final = np.uint64(((ord("a") * int(BASE) + ord("n")) * int(BASE) + ord("d")) % (1 << 64))


@inlined
def _ends_in_s(content: Bytes, low: int, high: int) -> bool:
    """Whether the last letter or digit is an s."""
    at = high - 1
    while at > low and not (_ZERO <= content[at] <= _NINE or _A <= content[at] <= _Z):
        at -= 1
    return bool(content[at] == _S)
