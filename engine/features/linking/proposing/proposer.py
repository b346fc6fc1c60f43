"""Proposes the n-grams of a text that may name an entity.

A span is proposed if the lexicon has one of its written forms, if it is a piece or the initials of a known title, if
the training corpus linked it, or if its capitals make it look like a title that the lexicon lacks (a guess).

Almost all n-grams consist of several plain words and are not in the lexicon, so these are cut directly out of the
lower-case text and rejected by a few look-ups. Single words recur all the time, so their look-ups are cached.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Final, NamedTuple

from engine.features.linking.inventory import Inventory
from engine.features.linking.proposing.forms import FORM, PREFIXES, SUFFIXES
from engine.features.linking.proposing.guesses import GuessedRuns, guessed_of_word
from engine.features.linking.text.tokens import Tokens
from engine.features.linking.text.words import COMMON
from engine.lexicon.lexicon import ABBREVIATIONS, MOST_TOKENS, spelled_out, written_forms
from engine.lexicon.surfaces import fold, normalise, squeeze

KEPT: Final = 1 << 15
"""Maximum number of words whose look-ups are cached."""
_OTHERWISE_WRITTEN: Final = re.compile(r"[.\-&']|[^\x00-\x7f]")
"""Characters that give an n-gram other written forms (engine.lexicon.lexicon.written_forms)."""


class Reading(NamedTuple):
    """The ways to look up an n-gram: surfaces it may stand for, with the form of each; surfaces with the same letters;
    surfaces that a user name or hashtag contains; and titles it may be."""

    key: str
    surfaces: tuple[tuple[str, int], ...]
    squeezed: tuple[str, ...]
    affixes: tuple[str, ...]
    guesses: tuple[str, ...]


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
        self._linked_letters = frozenset(map(squeeze, linked))
        self._of_word = lru_cache(maxsize=KEPT)(self._read_word)

    def spans(self, tokens: Tokens) -> list[Span]:
        """The spans of one text, ordered by their first token, the shorter first."""
        written = _Written.of(tokens)
        runs = GuessedRuns(tokens)
        found: list[Span] = []
        for first, bound in enumerate(tokens.bounds):
            if not bound or tokens.breaks[first]:
                continue
            reading = self._of_word(tokens.words[first], tokens.signs[first])
            if reading is not None:
                found.append(Span(first, first + 1, reading))
            guessable, plain = runs.until(first), 0 if written is None else written.plain_until(first)
            for last in _longer(tokens, first):
                guesses = runs.titles(first, last) if last <= guessable else ()
                if written is not None and tokens.ends[last - 1] <= plain:
                    reading = self._read_plain(*written.key(first, last), guesses, written.abbreviates)
                else:
                    reading = self._read_marked(tokens.piece(first, last), guesses)
                if reading is not None:
                    found.append(Span(first, last, reading))
        return found

    def _read_plain(self, key: str, letters: str, guesses: tuple[str, ...], abbreviates: bool) -> Reading | None:
        """Several words without marks; `letters` are those of the key."""
        lexicon, linked = self._lexicon, self._linked
        if not (guesses or abbreviates or self._has_letters(letters) or key in lexicon.aliases):
            return None
        surfaces: tuple[tuple[str, int], ...] = ()
        if key in lexicon.surfaces or key in linked:
            surfaces = ((key, FORM["plain"]),)
        if key[-1] == "s" and len(key) > 4 and key[-2] != "s":
            single = key[:-1]
            if single in lexicon.surfaces or single in linked:
                surfaces += ((single, FORM["plural"]),)
        if abbreviates and (others := spelled_out(key)):
            squeezed = self._squeezed_matches((key, *others))
        else:
            squeezed = tuple(lexicon.squeezed_matches(letters))
        if surfaces or squeezed or guesses or key in lexicon.aliases:
            return Reading(key, surfaces, squeezed, (), guesses)
        return None

    def _read_marked(self, piece: str, guesses: tuple[str, ...]) -> Reading | None:
        """Several words, with marks that give them other written forms."""
        key = normalise(piece)
        if not guesses and key.isascii():
            # A form of several words without any mark is its own letters, which the trie of letters leaves out.
            letters = squeeze(key)
            known = self._has_letters(letters) or letters in self._lexicon.surfaces
            known = known or (letters[-1] == "s" and letters[:-1] in self._lexicon.surfaces)
            if not (known or alias_key(key) in self._lexicon.aliases or spelled_out(key)):
                return None
        return self._read(piece, key, False, guesses)

    def _has_letters(self, letters: str) -> bool:
        """Whether a name of several words may have these letters and digits, or all but a final s. The trie of letters
        has none of less than three."""
        squeezed, linked = self._lexicon.squeezed, self._linked_letters
        if len(letters) < 4 or letters in squeezed or letters in linked:
            return True
        return letters[-1] == "s" and (letters[:-1] in squeezed or letters[:-1] in linked)

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
            return Reading(key, tuple(surfaces.items()), squeezed, affixes, guesses)
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


def _longer(tokens: Tokens, first: int) -> list[int]:
    """The possible ends of spans of more than one token that begin here."""
    end = min(first + MOST_TOKENS, len(tokens))
    if True in tokens.breaks[first + 1 : end]:
        end = tokens.breaks.index(True, first + 1)
    return [last for last in range(first + 2, end + 1) if tokens.bounds[last - 1]]


@dataclass(frozen=True)
class _Written:
    """A text in lower case, from which keys can be cut directly, and its letters and digits."""

    lower: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    letters: str
    n_before: list[int]
    """The number of letters and digits before each character."""
    otherwise: list[int]
    """Positions of characters that give an n-gram other written forms."""
    abbreviates: bool
    """Whether it may contain a common abbreviation."""

    @classmethod
    def of(cls, tokens: Tokens) -> _Written | None:
        """None if a key is not simply a stretch of the lower-case text: if lower-casing changes the length or depends
        on neighbouring letters, or if white space is more than single spaces."""
        lower = tokens.text.lower()
        if len(lower) != len(tokens.text) or "Σ" in tokens.text or " ".join(lower.split()) != lower.strip():
            return None
        if any(word != word.strip() for word in tokens.words):
            return None
        is_letter = list(map(str.isalnum, lower))
        return cls(
            lower,
            tokens.starts,
            tokens.ends,
            "".join(filter(str.isalnum, lower)),
            list(accumulate(is_letter, initial=0)),
            [match.start() for match in _OTHERWISE_WRITTEN.finditer(lower)],
            any(short in lower for short in ABBREVIATIONS),
        )

    def plain_until(self, first: int) -> int:
        """The character up to which n-grams from this token on have no other written forms."""
        at = bisect_left(self.otherwise, self.starts[first])
        return self.otherwise[at] if at < len(self.otherwise) else len(self.lower)

    def key(self, first: int, last: int) -> tuple[str, str]:
        """The key of the tokens, and its letters."""
        start, end = self.starts[first], self.ends[last - 1]
        return self.lower[start:end], self.letters[self.n_before[start] : self.n_before[end]]
