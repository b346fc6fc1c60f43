"""Spelling of names: tokens of noisy text, and the forms under which a name may be looked up.

A lexicon key is in lower case with single spaces. In tweets the same name occurs with # or @ before it, in CamelCase,
with a possessive, or without its diacritics, dots or spaces; all of these are handled here and nowhere else.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

URL: Final = r"(?:https?://|www\.)\S+"
_TOKEN: Final = re.compile(
    rf"""{URL}
    | (?:[A-Za-z]\.){{2,}}                          # U.S.
    | \w+(?:[&\-]\w+)*                              # words, AT&T, STS-135
    | ['’](?:s|S|t|T|re|RE|ve|VE|ll|LL|d|D|m|M)\b   # the clitic is a token of its own
    | [^\w\s]""",
    re.VERBOSE,
)
_CAMEL: Final = re.compile(r"(?<=[a-z])(?<!Mc)(?=[A-Z0-9])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[0-9])(?=[A-Za-z])|_+")
_MARKS: Final = re.compile(r"[\W_]+")
_ASCII_MARKS: Final = {code: None for code in range(128) if not chr(code).isalnum()}
"""The same for ASCII, without a regular expression, since building a lexicon uses it a million times."""
_ASCII_MARKS_IN_LINES: Final = {code: None for code in _ASCII_MARKS if chr(code) != "\n"}


def tokenise(text: str) -> list[tuple[int, int]]:
    """Character ranges of the tokens; # and @ are separate from the name that follows them."""
    return [match.span() for match in _TOKEN.finditer(text)]


def normalise(text: str) -> str:
    """The text in lower case with single spaces: the form of a lexicon key."""
    return " ".join(text.lower().replace("’", "'").split())


@lru_cache(maxsize=1 << 16)
def fold(text: str) -> str:
    """The text without its diacritics."""
    if text.isascii():
        return text
    kept = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return kept.translate(_LETTERS)


def fold_all(texts: Sequence[str]) -> list[str]:
    """`fold` of every text; most are ASCII and need no call."""
    return [text if text.isascii() else fold(text) for text in texts]


_LETTERS: Final = str.maketrans({"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "ð": "d", "ı": "i", "ß": "ss"})


def split_camel(text: str) -> str:
    """'NewYork_Giants88' with spaces inserted at its capitals, digits and underscores."""
    return " ".join(_CAMEL.sub(" ", text).split())


def squeeze(text: str) -> str:
    """Letters and digits only, folded: the form of a name in a hashtag."""
    if text.isascii():
        return text.lower().translate(_ASCII_MARKS)
    return _MARKS.sub("", fold(text.lower()))


def squeeze_all(texts: Sequence[str]) -> list[str]:
    """`squeeze` of every text. ASCII texts are processed together, unless a line break is in one of them."""
    plain = [text for text in texts if text.isascii()]
    lines = "\n".join(plain)
    if lines.count("\n") >= max(1, len(plain)):
        return [squeeze(text) for text in texts]
    short = iter(lines.lower().translate(_ASCII_MARKS_IN_LINES).split("\n"))
    return [next(short) if text.isascii() else squeeze(text) for text in texts]


def plain_title(title: str) -> str:
    """A title without the bracket that distinguishes it from its namesakes."""
    if not title.endswith(")"):
        return title
    before, opens, inside = title[:-1].rpartition("(")
    return before.rstrip() or title if opens and ")" not in inside else title


@lru_cache(maxsize=1 << 16)
def words_of(title: str) -> tuple[str, ...]:
    """Lower-case words of a title without bracket, dots and commas."""
    return tuple(fold(plain_title(title).lower()).replace(".", "").replace(",", " ").replace("–", " ").split())
