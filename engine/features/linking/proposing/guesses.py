"""Titles that the lexicon may lack, guessed from how a span is written.

A guess is often spelt correctly and still not a page of the knowledge base, so it is penalised when the Nil bias is
chosen (see engine/tasks/linking/training).
"""

from __future__ import annotations

from typing import Final

from engine.features.linking.text.tokens import Tokens
from engine.features.linking.text.words import RANKS
from engine.lexicon.surfaces import fold, split_camel

_SMALL: Final = frozenset("of the and for in on at to a an de la le du von van & 's -".split())
_MOST_TOKENS: Final = 5


def guessed_of_word(word: str, sign: str) -> tuple[str, ...]:
    """Titles that a capitalised word may stand for; `sign` is the character directly before it."""
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
        # Most user names of one piece are not titles.
        return [] if sign == "@" else pieces
    # MarketWatch is a title as written, GraemeMcDowell is not, so both forms are offered, without digits and
    # underscores.
    return [" ".join(pieces)] if "_" in word or word[-1].isdigit() else [" ".join(pieces), word]


class GuessedRuns:
    """Runs of words in a text that may form a title: between capitalised words only numbers and small words."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        words = tokens.words
        self._opens = [word[:1].isupper() for word in words]
        self._closes = [opens or word.isdigit() for opens, word in zip(self._opens, words, strict=True)]
        joins = [closes or word in _SMALL for closes, word in zip(self._closes, words, strict=True)]
        self._until = [0] * len(words)
        """For each token, the next token that cannot be part of a title."""
        end = len(words)
        for i in range(len(words) - 1, -1, -1):
            if not joins[i] or tokens.signs[i]:
                end = i
            self._until[i] = end

    def until(self, first: int) -> int:
        """The last possible end of titles that begin here."""
        return min(self._until[first], first + _MOST_TOKENS) if self._opens[first] else 0

    def titles(self, first: int, last: int) -> tuple[str, ...]:
        """The title that the tokens [first, last) would form; there must be more than one, and none beyond `until`."""
        if not self._closes[last - 1]:
            return ()
        return (_as_title(" ".join(self._tokens.piece(first, last).split())),)
