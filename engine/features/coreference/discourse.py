"""Discourse structure: quotations and their speakers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.features.coreference.languages import Language

_OPENING: Final = frozenset({"``", "“", '"'})
_CLOSING: Final = frozenset({"''", "”", '"'})


def quotations(words: Sequence[str], language: Language) -> tuple[list[int], dict[int, int]]:
    """The number of the quotation around every token (0 outside), and the token that names its speaker, if found. A
    quotation that is never closed would extend to the end of the document, so it does not count."""
    quotes, inside, begun = [0] * len(words), False, 0
    marks = _OPENING | _CLOSING
    ranges: list[tuple[int, int, int]] = []
    for token in [token for token, word in enumerate(words) if word in marks]:
        if not inside and words[token] in _OPENING:
            inside, begun = True, token
        elif inside and words[token] in _CLOSING:
            inside = False
            ranges.append((len(ranges) + 1, begun, token))
            quotes[begun + 1 : token] = [len(ranges)] * (token - begun - 1)
    return quotes, _speakers_of(ranges, words, language) if ranges else {}


def _speakers_of(ranges: Sequence[tuple[int, int, int]], words: Sequence[str], language: Language) -> dict[int, int]:
    said_by: dict[int, int] = {}
    verbs = language.speech_verbs
    lower = [word.lower() for word in words]
    for number, begun, ended in ranges:
        # "..." said Tom / "..." he said; else Tom said, "..."
        for token in range(ended + 1, min(ended + 6, len(lower))):
            if lower[token] in verbs:
                said_by[number] = token - 1 if token > ended + 1 and lower[token - 1].isalpha() else token + 1
                break
            if words[token] in ('"', "``", "“", "."):
                break
        else:
            continue
        if number in said_by:
            continue
        for token in range(begun - 1, max(begun - 7, -1), -1):
            if lower[token] in verbs:
                said_by[number] = token - 1
                break
            if words[token] in (".", '"', "''", "”"):
                break
    return said_by
