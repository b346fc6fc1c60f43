"""Constituents from the bracketed parse column, paths between them, and the head word of a span."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

from engine.arrays import Flags, Ints, ShortInts
from engine.data.document import Document
from engine.features.coreference.languages import Language
from engine.kernels import kernel

_CLAUSES: Final = frozenset({"S", "SBAR", "SINV", "SQ", "TOP"})
_LONGEST_PATH: Final = 6


class Tree(NamedTuple):
    """All constituents of a document, in order of their opening bracket; none without a usable parse column."""

    labels: list[str]
    """The distinct labels."""
    label: ShortInts
    """The number of each constituent's label."""
    start: ShortInts
    end: ShortInts
    parent: ShortInts
    """Position of the constituent around it, -1 at the top."""

    def are(self, labels: frozenset[str]) -> Flags:
        """Whether each constituent has one of these labels, without what follows a hyphen."""
        named = np.array([label.split("-")[0] in labels for label in self.labels], dtype=np.bool_)
        return named[self.label] if len(self.labels) else np.zeros(0, dtype=np.bool_)

    def paths(self, starts: Ints, ends: Ints) -> list[str]:
        """Labels from each span up to the nearest clause; from the last constituent that begins with it, if the span is
        no constituent. Empty without a parse."""
        if not len(self.label):
            return [""] * len(starts)
        clauses = np.array([label in _CLAUSES for label in self.labels], dtype=np.bool_)
        rows = np.zeros((len(starts), _LONGEST_PATH), dtype=np.int32)
        _find_paths(self.label, self.start, self.end, self.parent, clauses, np.stack([starts, ends]), rows)
        content, size = rows.tobytes(), rows.itemsize * _LONGEST_PATH
        known: dict[bytes, str] = {}
        found = []
        for row, at in enumerate(range(0, len(content), size)):
            key = content[at : at + size]
            path = known.get(key)
            if path is None:
                known[key] = path = ">".join(self.labels[label - 1] for label in rows[row].tolist() if label)
            found.append(path)
        return found


def tree_of(document: Document) -> Tree:
    column = document.columns.get("parse")
    cells = {} if column is None else {bits: number for number, bits in enumerate(dict.fromkeys(column))}
    read = [_brackets(bits) for bits in cells]
    labels = list(dict.fromkeys(label for opened, _ in read for label in opened))
    number = {label: at for at, label in enumerate(labels)}
    opened = np.array([number[label] for opened, _ in read for label in opened], dtype=np.int32)
    offsets = np.cumsum([0, *(len(opened) for opened, _ in read)])
    closed = np.array([n for _, n in read], dtype=np.int64)
    tokens = np.fromiter(map(cells.__getitem__, column or ()), np.int64, len(column or ()))
    return Tree(labels, *_read_brackets(tokens, offsets, opened, closed))


@lru_cache(maxsize=1 << 14)
def _brackets(bits: str) -> tuple[tuple[str, ...], int]:
    """The labels that a cell of the parse column opens, and how many constituents it closes."""
    before, star, after = bits.partition("*")
    return (tuple(before.split("(")[1:]), after.count(")")) if star else ((), 0)


@kernel
def _read_brackets(
    tokens: Ints, offsets: Ints, opened: ShortInts, closed: Ints
) -> tuple[ShortInts, ShortInts, ShortInts, ShortInts]:
    """Label, start, end and parent of every constituent; token t has cell c = tokens[t], which opens the labels
    opened[offsets[c]:offsets[c + 1]] and closes closed[c] constituents. What is never closed has one token."""
    n = 0
    for cell in tokens:
        n += offsets[cell + 1] - offsets[cell]
    label, start = np.zeros(n, dtype=np.int32), np.zeros(n, dtype=np.int32)
    end, parent = np.zeros(n, dtype=np.int32), np.zeros(n, dtype=np.int32)
    node, top = 0, -1
    for token in range(len(tokens)):
        cell = tokens[token]
        for at in range(offsets[cell], offsets[cell + 1]):
            label[node], start[node], end[node], parent[node] = opened[at], token, token + 1, top
            top = node
            node += 1
        for _ in range(closed[cell]):
            if top < 0:
                break
            end[top] = token + 1
            top = parent[top]
    return label, start, end, parent


@kernel
def _find_paths(
    label: ShortInts,
    start: ShortInts,
    end: ShortInts,
    parent: ShortInts,
    clauses: Flags,
    spans: Ints,
    out: ShortInts,
) -> None:
    """The labels on the path of each span, plus 1; rows end in zeros. The node at the top has no path."""
    for row in range(spans.shape[1]):
        first = np.searchsorted(start, spans[0, row])
        same, last = -1, -1
        node = first
        while node < len(start) and start[node] == spans[0, row]:
            last = node
            if same < 0 and end[node] == spans[1, row]:
                same = node
            node += 1
        for begin in (same, last):
            node, length = begin, 0
            while node >= 0 and parent[node] >= 0 and length < out.shape[1]:
                out[row, length] = label[node] + 1
                length += 1
                if clauses[label[node]]:
                    break
                node = parent[node]
            if length:
                break


def governors(document: Document) -> list[int] | None:
    """Document position of every token's governor, -1 for roots; None without dependencies."""
    column = document.columns.get("head")
    if column is None:
        return None
    firsts = np.zeros(len(column), dtype=np.int64)
    inside = np.zeros(len(column), dtype=np.bool_)
    for first, last in document.sentences:
        firsts[first:last], inside[first:last] = first, True
    heads = column if set(map(type, column)) <= {int} else [h if isinstance(h, int) else -1 for h in column]
    places = np.array(heads, dtype=np.int64)
    absolute: list[int] = np.where(inside & (places >= 0), firsts + places, -1).tolist()
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
