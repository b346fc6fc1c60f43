"""Constituents from the bracketed parse column, paths between them, and the head word of a span."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from engine.data.document import Document
from engine.features.coreference.languages import Language


class Constituent(NamedTuple):
    """A node of the parse over tokens [start, end); `parent` is its position in the list, -1 at the top."""

    label: str
    start: int
    end: int
    parent: int


def constituents(document: Document) -> list[Constituent]:
    """All constituents in order of their opening bracket; empty without a usable parse column."""
    column = document.columns.get("parse")
    if column is None:
        return []
    labels: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    parents: list[int] = []
    stack: list[int] = []
    for token, bits in enumerate(column):
        if "*" not in bits:
            continue
        before, _, after = bits.partition("*")
        for label in before.split("(")[1:]:
            parents.append(stack[-1] if stack else -1)
            stack.append(len(labels))
            labels.append(label)
            starts.append(token)
            ends.append(token + 1)
        for _ in range(after.count(")")):
            if stack:
                ends[stack.pop()] = token + 1
    return list(map(Constituent, labels, starts, ends, parents))


def governors(document: Document) -> Sequence[int] | None:
    """Document position of every token's governor, -1 for roots; None without dependencies."""
    column = document.columns.get("head")
    if column is None:
        return None
    absolute = [-1] * len(column)
    for first, last in document.sentences:
        for token in range(first, last):
            head = column[token]
            if isinstance(head, int) and head >= 0:
                absolute[token] = first + head
    return absolute


def head_of(
    start: int,
    end: int,
    words: Sequence[str],
    pos: Sequence[str] | None,
    heads: Sequence[int] | None,
    language: Language,
) -> int:
    """The head token of a span: the one governed from outside, else by tags, else by surface."""
    if end - start == 1:
        return start
    if heads is not None:
        for token in range(start, end):
            if not start <= heads[token] < end and (pos is None or pos[token] not in (",", ".", "''", "``")):
                return token
    limit = end
    for token in range(start + 1, end):
        if words[token].lower() in language.prepositions:
            limit = token
            break
    if language.head_first:
        return _first_noun(start, limit, words, pos, language)
    if pos is not None:
        for token in range(limit - 1, start - 1, -1):
            if pos[token] in language.noun_tags or pos[token] in language.pronoun_tags:
                return token
    at = limit - 1
    # A possessive marker is never the head.
    while at > start and words[at].lower() in ("'s", "'", "’s", "’", '"', "''"):
        at -= 1
    return at


def _first_noun(start: int, limit: int, words: Sequence[str], pos: Sequence[str] | None, language: Language) -> int:
    """For languages with initial heads: the first noun after demonstratives and quantifiers."""
    before = language.demonstrative | language.quantifiers
    for token in range(start, limit):
        if words[token] not in before and (pos is None or pos[token] in language.noun_tags):
            return token
    return start


def paths_to_sentence(document: Document) -> tuple[dict[tuple[int, int], str], dict[int, str]]:
    """Labels from a constituent up to the nearest S, by span, and by start for spans that are not constituents."""
    tree = constituents(document)
    by_span: dict[tuple[int, int], str] = {}
    by_start: dict[int, str] = {}
    for node in tree:
        labels: list[str] = []
        at = node
        while at.parent >= 0 and len(labels) < 6:
            labels.append(at.label)
            if at.label in ("S", "SBAR", "SINV", "SQ", "TOP"):
                break
            at = tree[at.parent]
        path = ">".join(labels)
        by_span.setdefault((node.start, node.end), path)
        by_start[node.start] = path
    return by_span, by_start
