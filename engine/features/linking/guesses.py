"""Titles that the lexicon may lack, guessed from how a span is written.

A guess is often right in spelling and still no page of the knowledge base, so it pays for itself when the Nil bias is
chosen (see engine/tasks/linking/training).
"""

from __future__ import annotations

from typing import Final

from engine.features.linking.tokens import Tokens
from engine.features.linking.words import RANKS
from engine.lexicon.surfaces import split_camel

_SMALL: Final = frozenset("of the and for in on at to a an de la le du von van & 's -".split())
_MOST_TOKENS: Final = 5


def guessed_titles(tokens: Tokens, first: int, last: int) -> tuple[str, ...]:
    """Titles that a capitalised span would have."""
    if last == first + 1:
        titles = _of_word(tokens.words[first], tokens.signs[first]) if tokens.lower[first] not in RANKS else []
    else:
        titles = _of_words(tokens, first, last)
    return tuple(title.title() if title.isupper() and len(title) > 5 else title for title in titles)


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


def _of_words(tokens: Tokens, first: int, last: int) -> list[str]:
    words = tokens.words[first:last]
    if len(words) > _MOST_TOKENS or any(tokens.signs[first:last]):
        return []
    if not all(w[:1].isupper() or w.isdigit() or w in _SMALL for w in words):
        return []
    if not (words[0][:1].isupper() and (words[-1][:1].isupper() or words[-1].isdigit())):
        return []
    return [" ".join(tokens.piece(first, last).split())]
