"""Proposes the n-grams of a text that may name an entity.

A span is proposed if the lexicon has one of its written forms, if it is a piece or the initials of a known title, if
the training corpus linked it, or if its capitals make it look like a title that the lexicon lacks (a guess).

Almost all n-grams consist of several words and are not in the lexicon; a sieve turns them away (ngrams.py). Single
words recur all the time, so their look-ups are cached.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

from engine.features.linking.inventory import Inventory
from engine.features.linking.proposing.forms import FORM, PREFIXES, SUFFIXES
from engine.features.linking.proposing.guesses import guessed_of_word, guessed_of_words
from engine.features.linking.proposing.ngrams import worth_looking_up
from engine.features.linking.text.tokens import Tokens
from engine.features.linking.text.words import COMMON
from engine.lexicon.lexicon import spelled_out, written_forms
from engine.lexicon.sieve import made_of
from engine.lexicon.surfaces import fold, normalise, squeeze

KEPT: Final = 1 << 15
"""Maximum number of words whose look-ups are cached."""

TEXTS: Final = 1 << 10
"""Number of texts whose n-grams are tried at a time; training proposes the spans of a whole corpus."""


class Reading(NamedTuple):
    """The ways to look up an n-gram: surfaces it may stand for, with the form of each; surfaces with the same letters;
    surfaces that a user name or hashtag contains; and titles it may be."""

    key: str
    surfaces: tuple[tuple[str, int], ...]
    squeezed: tuple[str, ...]
    affixes: tuple[str, ...]
    guesses: tuple[str, ...]
    single: bool
    """Whether it is one word."""
    capital: bool
    """Whether it begins with a capital."""


class Span(NamedTuple):
    """Tokens [first, last) that may be a name."""

    first: int
    last: int
    reading: Reading

    @property
    def key(self) -> str:
        return self.reading.key


class Proposer:
    """Finds spans that may be names, using a lexicon. `linked` are keys that the training corpus linked somewhere."""

    def __init__(self, inventory: Inventory, linked: Collection[str]) -> None:
        self._lexicon = inventory.lexicon
        self._linked = frozenset(linked)
        self._linked_sieve = made_of(self._linked, len(self._linked))
        self._of_word = lru_cache(maxsize=KEPT)(self._read_word)

    def spans(self, tokens: Tokens) -> list[Span]:
        """The spans of one text, ordered by their first token, the shorter first."""
        return self.all_spans([tokens])[0]

    def all_spans(self, texts: Sequence[Tokens]) -> list[list[Span]]:
        """The spans of each text."""
        blocks = (texts[begin : begin + TEXTS] for begin in range(0, len(texts), TEXTS))
        return [spans for block in blocks for spans in self._spans_of(block)]

    def _spans_of(self, texts: Sequence[Tokens]) -> list[list[Span]]:
        found: list[list[Span]] = [[] for _ in texts]
        n_grams = worth_looking_up(texts, self._lexicon.sieve, self._linked_sieve)
        begins = np.cumsum([0, *map(len, texts)], dtype=np.int64)
        places = np.searchsorted(begins, n_grams.first, side="right") - 1
        columns = (places, n_grams.first - begins[places], n_grams.last - begins[places], n_grams.guessed)
        for d, first, last, guessed in zip(*(column.tolist() for column in columns), strict=True):
            tokens = texts[d]
            if last == first + 1:
                reading = self._of_word(tokens.words[first], tokens.signs[first])
            else:
                reading = self._read_words(tokens.piece(first, last), guessed)
            if reading is not None:
                found[d].append(Span(first, last, reading))
        return found

    def _read_words(self, piece: str, guessed: bool) -> Reading | None:
        return self._read(piece, normalise(piece), False, guessed_of_words(piece) if guessed else ())

    def _read_word(self, word: str, sign: str) -> Reading | None:
        return self._read(word, normalise(word), sign in ("#", "@"), guessed_of_word(word, sign), single=True)

    def _read(
        self, piece: str, key: str, signed: bool, guesses: tuple[str, ...], *, single: bool = False
    ) -> Reading | None:
        lexicon = self._lexicon
        surfaces: dict[str, int] = {}
        for form, name in written_forms(piece, key, single=single):
            if name in lexicon.surfaces or name in self._linked:
                surfaces[name] = surfaces.get(name, 0) | FORM[form]
        squeezed = self._squeezed_matches((key, *spelled_out(key), *((key.rstrip("_0123456789"),) if signed else ())))
        affixes = tuple(self._affixes(squeeze(key))) if signed else ()
        if surfaces or squeezed or affixes or guesses or alias_key(key) in lexicon.aliases:
            return Reading(key, tuple(surfaces.items()), squeezed, affixes, guesses, single, piece[:1].isupper())
        return None

    def _squeezed_matches(self, spellings: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(
            name for form in dict.fromkeys(spellings) for name in self._lexicon.squeezed_matches(squeeze(form))
        )

    def _affixes(self, short: str) -> list[str]:
        """Surfaces that a user name or hashtag contains besides a common prefix or suffix, or at its start; best
        first."""
        lexicon = self._lexicon
        rests = [short.removeprefix(prefix) for prefix in PREFIXES if short.startswith(prefix)]
        found: list[str] = []
        for rest in [rest for rest in rests if len(rest) > 3]:
            found += [rest] if rest in lexicon.surfaces else lexicon.squeezed_matches(rest)
        for rest in [short.removesuffix(suffix) for suffix in SUFFIXES if short.endswith(suffix)]:
            if len(rest) > 2 and rest not in COMMON:
                found += [*([rest] if rest in lexicon.surfaces else []), *lexicon.squeezed_matches(rest)]
        starts = [(len(p), p) for p in lexicon.surfaces.prefixes(short) if len(p) > 4 and p not in COMMON]
        packed = [
            (len(p), q) for p in lexicon.squeezed.prefixes(short) if len(p) > 5 for q in lexicon.squeezed_matches(p)
        ]
        return found + [name for _, name in sorted(starts + packed, key=lambda item: -item[0])]


def alias_key(key: str) -> str:
    return fold(key).replace(".", "")
