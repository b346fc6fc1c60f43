"""Tokens and sentences of plain text, by simple rules.

Words are runs of letters and digits, with single hyphens, dots and apostrophes inside; characters of scripts that are
written without spaces (Chinese, Japanese, Thai, ...) are words of their own. A sentence ends at a full stop, question
or exclamation mark that no lower-case word follows and no abbreviation precedes, and at an empty line.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from engine.data.document import Document

_UNSPACED: Final = (
    "\\u0e00-\\u0eff\\u1000-\\u109f\\u1780-\\u17ff\\u3040-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff"
    "\\U00020000-\\U0003ffff"
)
_SPACED: Final = rf"[^\W{_UNSPACED}]"
_TOKEN: Final = re.compile(rf"[{_UNSPACED}]|{_SPACED}+(?:[-.]{_SPACED}+)*|['’]s\b|[^\w\s]")
_END: Final = frozenset(".!?…。！？｡")
_WIDE_END: Final = frozenset("。！？｡")
_CLOSING: Final = frozenset("\"'”’»)]」』）")
_ABBREVIATIONS: Final = frozenset(
    "mr mrs ms dr prof st sr jr gen col lt sgt capt rep sen gov rev hon inc corp co ltd vs etc no vol fig al e.g i.e"
    " jan feb mar apr jun jul aug sep sept oct nov dec".split()
)


def tokenised(document: Document) -> Document:
    """The document with tokens and sentences; unchanged if it has them."""
    if document.tokens or not document.text.strip():
        return document
    tokens = tuple(match.span() for match in _TOKEN.finditer(document.text))
    if not tokens:
        return document
    return in_sentences(replace(document, tokens=tokens))


def in_sentences(document: Document) -> Document:
    """The document with sentences; unchanged if it has some, or no tokens."""
    if document.sentences or not document.tokens:
        return document
    ends = _sentence_ends(document.text, document.tokens)
    return replace(document, sentences=tuple(zip([0, *ends[:-1]], ends, strict=True)))


def _sentence_ends(text: str, tokens: tuple[tuple[int, int], ...]) -> list[int]:
    """The token after each sentence; closing quotes and brackets belong to the sentence before them."""
    ends: list[int] = []
    for i in range(len(tokens) - 1):
        gap = text[tokens[i][1] : tokens[i + 1][0]]
        last = i
        while last > 0 and _sign(text, tokens[last]) in _CLOSING and tokens[last - 1][1] == tokens[last][0]:
            last -= 1
        mark = _sign(text, tokens[last])
        if gap.count("\n") > 1 or (mark in _END and _ends_here(text, tokens, last, i, gap)):
            ends.append(i + 1)
    return [*ends, len(tokens)]


def _ends_here(text: str, tokens: tuple[tuple[int, int], ...], mark: int, i: int, gap: str) -> bool:
    sign = _sign(text, tokens[mark])
    follows = _sign(text, tokens[i + 1])
    if sign in _WIDE_END:
        return follows not in _CLOSING and follows not in _END
    if not gap or follows.islower():
        return False
    if sign == "." and mark > 0 and tokens[mark - 1][1] == tokens[mark][0]:
        word = text[tokens[mark - 1][0] : tokens[mark - 1][1]]
        # The dot of an initial, or of a title before a name, does not end a sentence.
        return not (word.lower() in _ABBREVIATIONS or (len(word) == 1 and word.isupper()))
    return True


def _sign(text: str, token: tuple[int, int]) -> str:
    """The first character of a token; none of one that is empty, as tokens of others may be."""
    return text[token[0] : token[1]][:1]
