"""A simple proposer of mentions: runs of name words, and phrases annotated in training.

If there are tags, a name word is one tagged NNP or NNPS; otherwise it is a capitalised word, unless it begins the
sentence and the text also has it in lower case. A phrase from training wins over a run that it overlaps if it is
longer.
"""

from __future__ import annotations

from collections.abc import Collection

from engine.data.document import Document

LONGEST = 8
_JOINS = frozenset({"of", "de", "for", "and", "&"})


def propose(document: Document, phrases: Collection[str]) -> list[tuple[int, int]]:
    """Character ranges of the proposed mentions, in text order, none overlapping."""
    words = document.words
    is_name = _name_words(document)
    chosen: list[tuple[int, int]] = []
    token = 0
    sentence_ends = {end for _, end in document.sentences}
    while token < len(words):
        known = _longest_known(words, token, phrases)
        end = token
        while end < len(words) and (is_name[end] or _is_join(is_name, words, token, end)):
            end += 1
            if end in sentence_ends:
                break
        end = max(end, known)
        if end > token:
            chosen.append(document.char_range(token, end))
            token = end
        else:
            token += 1
    return chosen


def _name_words(document: Document) -> list[bool]:
    tags = document.columns.get("pos")
    if tags is not None:
        return [str(tag) in ("NNP", "NNPS") for tag in tags]
    lower = set(document.words)
    starts = {start for start, _ in document.sentences}
    return [
        word[:1].isupper() and not (token in starts and word.lower() in lower)
        for token, word in enumerate(document.words)
    ]


def _is_join(is_name: list[bool], words: tuple[str, ...], start: int, token: int) -> bool:
    """ "of" and the like between two name words."""
    return token > start and words[token].lower() in _JOINS and token + 1 < len(words) and is_name[token + 1]


def _longest_known(words: tuple[str, ...], token: int, phrases: Collection[str]) -> int:
    for end in range(min(len(words), token + LONGEST), token, -1):
        if words[token][:1].isupper() and " ".join(words[token:end]).lower() in phrases:
            return end
    return token
