"""Constituents, paths, governors, turns and quotations, token by token: what the engine must agree with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from engine.data.document import Document
from engine.features.coreference.discourse import _speakers_of
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


def _constituents(column: tuple[str, ...]) -> tuple[Constituent, ...]:
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
