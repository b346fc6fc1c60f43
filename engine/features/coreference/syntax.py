"""Constituents from the bracketed parse column, paths between them, and the head word of a span."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from engine.data.document import Document
from engine.features.coreference.languages import Language


class Constituent(NamedTuple):
    """A node of the parse over tokens [start, end); `parent` is its position in the list, -1 at the top."""

    label: str
    start: int
    end: int
    parent: int


def constituents(document: Document) -> Sequence[Constituent]:
    """All constituents in order of their opening bracket; empty without a usable parse column."""
    column = document.columns.get("parse")
    return () if column is None else _constituents(column)


@lru_cache(maxsize=1)
def _constituents(column: tuple[str, ...]) -> tuple[Constituent, ...]:
    """Kept for the latest document, because mentions and paths both need them."""
    labels: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    parents: list[int] = []
    stack: list[int] = []
    for token, bits in enumerate(column):
        opened, n_closed = _brackets(bits)
        for label in opened:
            parents.append(stack[-1] if stack else -1)
            stack.append(len(labels))
            labels.append(label)
            starts.append(token)
            ends.append(token + 1)
        for _ in range(min(n_closed, len(stack))):
            ends[stack.pop()] = token + 1
    return tuple(map(Constituent, labels, starts, ends, parents))


@lru_cache(maxsize=1 << 14)
def _brackets(bits: str) -> tuple[tuple[str, ...], int]:
    """The labels that a cell of the parse column opens, and how many constituents it closes."""
    before, star, after = bits.partition("*")
    return (tuple(before.split("(")[1:]), after.count(")")) if star else ((), 0)


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


class PathsToSentence:
    """Labels from a constituent up to the nearest S, by span, or by start for spans that are not constituents."""

    def __init__(self, document: Document) -> None:
        self._tree = constituents(document)
        self._of_span: dict[tuple[int, int], Constituent] = {}
        self._of_start: dict[int, Constituent] = {}
        for node in self._tree:
            self._of_span.setdefault((node.start, node.end), node)
            self._of_start[node.start] = node

    def of(self, start: int, end: int) -> str:
        """The path of a span; empty without a parse."""
        for node in (self._of_span.get((start, end)), self._of_start.get(start)):
            if node is not None and (path := self._path(node)):
                return path
        return ""

    def _path(self, node: Constituent) -> str:
        labels: list[str] = []
        while node.parent >= 0 and len(labels) < 6:
            labels.append(node.label)
            if node.label in ("S", "SBAR", "SINV", "SQ", "TOP"):
                break
            node = self._tree[node.parent]
        return ">".join(labels)
