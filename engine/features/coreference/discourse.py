"""Discourse structure: speakers' turns, quotations and their speakers."""

from __future__ import annotations

from collections.abc import Sequence

from engine.features.coreference.languages import Language


def turns_of(speakers: Sequence[str]) -> list[int]:
    """The number of each token's turn, which changes with the speaker."""
    turns, turn = [0] * len(speakers), 0
    for token in range(1, len(speakers)):
        if speakers[token] != speakers[token - 1]:
            turn += 1
        turns[token] = turn
    return turns


def quotations(words: Sequence[str], language: Language) -> tuple[list[int], dict[int, int]]:
    """The number of the quotation around every token (0 outside), and the token that names its speaker, if found."""
    quotes, number, inside = [0] * len(words), 0, False
    ranges: list[tuple[int, int, int]] = []
    begun = 0
    for token, word in enumerate(words):
        opening = word in ("``", "“") or (word == '"' and not inside)
        closing = word in ("''", "”") or (word == '"' and inside)
        if opening and not inside:
            inside, number, begun = True, number + 1, token
        elif closing and inside:
            inside = False
            ranges.append((number, begun, token))
        elif inside:
            quotes[token] = number
    if inside:
        # Limits a quotation that is never closed, which would otherwise extend to the end of the document.
        for token in range(begun, len(words)):
            quotes[token] = 0
    return quotes, _speakers_of(ranges, words, language)


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
