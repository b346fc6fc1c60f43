"""Titles that the lexicon may lack, guessed from how a span is written.

A guess is often right in spelling and still no page of the knowledge base, so it pays for itself when the Nil bias is
chosen (see engine/tasks/linking/training).
"""

from __future__ import annotations

from typing import Final

from engine.features.linking.tokens import Tokens
from engine.features.linking.words import RANKS
from engine.lexicon.surfaces import fold, split_camel

_SMALL: Final = frozenset("of the and for in on at to a an de la le du von van & 's -".split())
_MOST_TOKENS: Final = 5


def guessed_of_word(word: str, sign: str) -> tuple[str, ...]:
    """Titles that a capitalised word would have; `sign` is what stands directly before it."""
    if fold(word.lower().replace("’", "'")) in RANKS:
        return ()
    return tuple(map(_as_title, _of_word(word, sign)))


def _as_title(title: str) -> str:
    return title.title() if title.isupper() and len(title) > 5 else title


def _of_word(word: str, sign: str) -> list[str]:
    if not word[:1].isupper() or len(word) < 3:
        return []
    pieces = split_camel(word).split()
    if sign and len(pieces) > 2 and len(pieces[-1]) < 4 and (pieces[-1].isupper() or pieces[-1].isdigit()):
        # ChrisBryantMP, JasonTerry31
        pieces = pieces[:-1]
    if len(pieces) == 1:
        # Most user names of one piece are nobody's title.
        return [] if sign == "@" else pieces
    # MarketWatch is written so, GraemeMcDowell is not: both are offered. Digits and underscores are never in the title.
    return [" ".join(pieces)] if "_" in word or word[-1].isdigit() else [" ".join(pieces), word]


class GuessedRuns:
    """Runs of words in a text that would make a title: between capitals only numbers and small words."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        words = tokens.words
        self._opens = [word[:1].isupper() for word in words]
        self._closes = [opens or word.isdigit() for opens, word in zip(self._opens, words, strict=True)]
        joins = [closes or word in _SMALL for closes, word in zip(self._closes, words, strict=True)]
        self._until = [0] * len(words)
        """The first token from here on that no title holds."""
        end = len(words)
        for i in range(len(words) - 1, -1, -1):
            if not joins[i] or tokens.signs[i]:
                end = i
            self._until[i] = end

    def until(self, first: int) -> int:
        """Titles that begin here end there or before."""
        return min(self._until[first], first + _MOST_TOKENS) if self._opens[first] else 0

    def titles(self, first: int, last: int) -> tuple[str, ...]:
        """The title that the tokens [first, last), more than one and none past `until`, would have."""
        if not self._closes[last - 1]:
            return ()
        return (_as_title(" ".join(self._tokens.piece(first, last).split())),)
