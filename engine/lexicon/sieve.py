"""A sieve of names: tells of most n-grams, at the cost of one number, that no name has their letters and digits.

It is a Bloom filter (Bloom 1970) of a hash of the ASCII letters and digits of every name, in lower case. Of two hundred
n-grams that are no names it lets one pass, so whatever passes must still be looked up; a name always passes. The
hash of an n-gram is found from sums over its text, whatever its length, so a kernel can try all n-grams of many texts.

The bits are an array of a built lexicon, mapped from disk like all others. A lexicon that was built before there was a
sieve has one that lets everything pass.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Final, TypeAlias

import numpy as np

from engine.arrays import Bytes, Words
from engine.kernels import inlined, kernel
from engine.lexicon.surfaces import squeeze_all

Sieve: TypeAlias = Words
"""Bits; the number of words is a power of two."""

OPEN: Final[Sieve] = np.full(1, np.iinfo(np.uint64).max, dtype=np.uint64)
"""Lets everything pass."""

BASE: Final = np.uint64(0x9E3779B97F4A7C15)
"""The hash of some letters is their value as digits to this base, modulo 2 to the power of 64."""
_BITS: Final = 12
"""Least number of bits for each name."""
_MOST: Final = 1 << 32
"""Most bits: a hash has 64, and half of them say where the first is."""
_PLACES: Final = 3
"""Bits that stand for one name."""
_BLOCK: Final = 1 << 14
"""Number of names read at a time."""
_LINE: Final = np.uint8(ord("\n"))


def made_of(names: Iterable[str], n_names: int) -> Sieve:
    """The sieve of these names, of which there are about `n_names`."""
    n_bits = 64
    while n_bits < min(_BITS * n_names, _MOST):
        n_bits *= 2
    sieve = np.zeros(n_bits // 64, dtype=np.uint64)
    rest = iter(names)
    while block := list(islice(rest, _BLOCK)):
        # Names with other letters are not for the sieve: n-grams with such letters are not tried.
        lines = "\n".join(letters for letters in squeeze_all(block) if letters.isascii())
        _add(np.frombuffer(f"{lines}\n".encode(), dtype=np.uint8), sieve)
    return sieve


@inlined
def _places(value: np.uint64, sieve: Sieve) -> tuple[np.uint64, np.uint64, np.uint64]:
    """The first bit that stands for a hash, the steps to the others, and the last bit, after which they go on from the
    first of all (Kirsch and Mitzenmacher 2006)."""
    mask = np.uint64(64) * np.uint64(len(sieve)) - np.uint64(1)
    spread = (value ^ (value >> np.uint64(31))) * np.uint64(0xBF58476D1CE4E5B9)
    spread ^= spread >> np.uint64(29)
    return spread & mask, ((spread >> np.uint64(32)) & mask) | np.uint64(1), mask


@kernel
def _add(lines: Bytes, sieve: Sieve) -> None:
    """Adds the letters of every line."""
    value = np.uint64(0)
    for letter in lines:
        if letter != _LINE:
            value = value * BASE + np.uint64(letter)
            continue
        place, step, mask = _places(value, sieve)
        for _ in range(_PLACES):
            sieve[place >> np.uint64(6)] |= np.uint64(1) << (place & np.uint64(63))
            place = (place + step) & mask
        value = np.uint64(0)


@inlined
def passes(value: np.uint64, sieve: Sieve) -> bool:
    """Whether a name may have letters with this hash."""
    place, step, mask = _places(value, sieve)
    found = np.uint64(1)
    for _ in range(_PLACES):
        found &= sieve[place >> np.uint64(6)] >> (place & np.uint64(63))
        place = (place + step) & mask
    return bool(found != 0)
