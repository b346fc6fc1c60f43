"""Titles that the lexicon may lack, guessed from how a span is written.

A guess is often spelt correctly and still not a page of the knowledge base, so it is penalised when the Nil bias is
chosen (see engine/tasks/linking/training).
"""

from __future__ import annotations

from typing import Final

from engine.features.linking.text.words import RANKS
from engine.lexicon.surfaces import fold, split_camel

SMALL: Final = frozenset("of the and for in on at to a an de la le du von van & 's -".split())
"""Words that are written small inside a title."""
MOST_TOKENS: Final = 5
"""The longest title that is guessed."""


def guessed_of_word(word: str, sign: str) -> tuple[str, ...]:
    """Titles that a capitalised word may stand for; `sign` is the character directly before it."""
    if fold(word.lower().replace("’", "'")) in RANKS:
        return ()
    return tuple(map(_as_title, _of_word(word, sign)))


def guessed_of_words(piece: str) -> tuple[str, ...]:
    """The title that several words would form."""
    return (_as_title(" ".join(piece.split())),)


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
