"""Makes documents from the rows of a table.

Rows of one document are those with the same id, or, without a column of ids, with the same text. A mention is located
in its text by its offsets, or by its words: at their first occurrence that no other row has taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from engine.corpora.tables.cells import Grid, Row
from engine.corpora.tables.columns import USED, Columns
from engine.data.document import GOLD, NIL, Bag, Document, Layer, Member, Mention, Relation
from engine.data.errors import InputError
from engine.data.plain_text import tokenised

NIL_CELLS: Final = frozenset({"nil", NIL.lower()})
NONE_CELLS: Final = frozenset({"", "none", "na", "n/a", "no relation", "no_relation", "nil"})
"""Usual entries, in lower case, for "no relation"."""


@dataclass(frozen=True)
class Line:
    """A row by roles; other columns under their names."""

    number: int
    cells: Mapping[str, str]
    further: Mapping[str, str] = field(default_factory=dict)

    def get(self, role: str) -> str:
        return self.cells.get(role, "").strip()


def documents(grid: Grid, columns: Columns, file: Path | None = None) -> list[Document]:
    """All documents; InputError names the row if one cannot be made."""
    lacking = columns.missing()
    if lacking:
        raise InputError(
            f"no column is the {' and the '.join(lacking)}; the table has {', '.join(grid.header)}", file=file
        )
    make = {"text": _text, "mention": _mentions, "relation": _relations, "pair": _bag}[columns.kind]
    try:
        lines = [_line(grid, row, columns) for row in grid.rows]
        return [make(id, found) for id, found in _grouped(lines, columns).items()]
    except InputError as error:
        raise (error.at(file) if file is not None else error) from None


def _line(grid: Grid, row: Row, columns: Columns) -> Line:
    used = {role: name for role, name in columns.of.items() if role in USED[columns.kind]}
    by_name = dict(zip(grid.header, row.cells, strict=True))
    further = {name.lstrip("#") or "column": cell for name, cell in by_name.items() if name not in used.values()}
    return Line(row.number, {role: by_name[name] for role, name in used.items()}, further if grid.named else {})


def _grouped(lines: Sequence[Line], columns: Columns) -> dict[str, list[Line]]:
    """Document id -> its rows, in order of first appearance."""
    groups: dict[str, list[Line]] = {}
    if columns.kind == "pair":
        for line in lines:
            groups.setdefault(f"{line.get('head')} | {line.get('tail')}", []).append(line)
    elif "id" in columns.of:
        for line in lines:
            if not line.get("id"):
                raise InputError("the id is empty", line=line.number)
            groups.setdefault(line.get("id"), []).append(line)
    elif columns.kind == "text":
        groups = {str(i): [line] for i, line in enumerate(lines, 1)}
    else:
        by_text: dict[str, list[Line]] = {}
        for line in lines:
            by_text.setdefault(line.cells["text"], []).append(line)
        groups = {str(i): found for i, found in enumerate(by_text.values(), 1)}
    return groups


def _one_text(id: str, lines: Sequence[Line]) -> str:
    text = lines[0].cells["text"]
    if not text.strip():
        raise InputError("the text is empty", line=lines[0].number)
    for line in lines:
        # The text may be given in only the first row of its document.
        if line.cells["text"] not in (text, ""):
            raise InputError(f"document {id!r} has another text in an earlier row", line=line.number)
    return text


def _text(id: str, lines: Sequence[Line]) -> Document:
    if len(lines) > 1:
        raise InputError(f"two rows have the id {id!r}", line=lines[1].number)
    return Document(id, _one_text(id, lines), extra={name: cell for name, cell in lines[0].further.items() if cell})


def _mentions(id: str, lines: Sequence[Line]) -> Document:
    text = _one_text(id, lines)
    mentions: list[Mention] = []
    chains: dict[str, list[int]] = {}
    for line in lines:
        span = _span(text, line, [mention.span for mention in mentions])
        if span is None:
            continue
        entity = line.get("entity")
        link = NIL if entity.lower() in NIL_CELLS else entity or None
        extra = {name: cell for name, cell in line.further.items() if cell}
        if line.get("chain"):
            chains.setdefault(line.get("chain"), []).append(len(mentions))
        mentions.append(Mention(*span, line.get("type") or None, link, extra=extra))
    return Document(id, text, layers={GOLD: Layer(tuple(mentions), tuple(map(tuple, chains.values())))})


def _span(text: str, line: Line, taken: Sequence[tuple[int, int]]) -> tuple[int, int] | None:
    """The span of a row's mention; None if the row has none."""
    words = line.cells.get("mention", "")
    if not line.get("start") or not line.get("end"):
        return place(text, words, taken, line.number) if words.strip() else None
    start, end = (_number(line, role) for role in ("start", "end"))
    if not 0 <= start < end <= len(text):
        raise InputError(f"[{start}, {end}) is not part of a text of {len(text)} characters", line=line.number)
    if words and text[start:end] != words:
        raise InputError(
            f"the text has {text[start:end]!r} at [{start}, {end}), not {words!r}; offsets count characters from 0, and"
            " the end is the first one after the mention",
            line=line.number,
        )
    return start, end


def _number(line: Line, role: str) -> int:
    try:
        return int(line.get(role))
    except ValueError:
        raise InputError(f"the {role} {line.get(role)!r} is not a whole number", line=line.number) from None


def place(text: str, words: str, taken: Sequence[tuple[int, int]], number: int | None = None) -> tuple[int, int]:
    """The first occurrence of these words that is not taken, preferably one at word boundaries."""
    words = words if words in text else words.strip()
    spans = [span for span in _places(text, words) if span not in taken]
    if not spans:
        raise InputError(f"{words!r} does not stand in its text" + (" so often" if words in text else ""), line=number)
    whole = [(a, b) for a, b in spans if not text[a - 1 : a].isalnum() and not text[b : b + 1].isalnum()]
    return (whole or spans)[0]


def _places(text: str, words: str) -> Iterator[tuple[int, int]]:
    at = text.find(words)
    while at >= 0 and words:
        yield at, at + len(words)
        at = text.find(words, at + 1)


def _relations(id: str, lines: Sequence[Line]) -> Document:
    """A document of relations; equal words in its rows are one mention."""
    text = _one_text(id, lines)
    mentions: list[Mention] = []
    at: dict[str, int] = {}
    relations: list[Relation] = []
    for line in lines:
        sides = []
        for role in ("head", "tail"):
            words, type = line.get(role), line.get(f"{role} type") or None
            if not words:
                continue
            if words not in at:
                at[words] = len(mentions)
                mentions.append(Mention(*place(text, words, [m.span for m in mentions], line.number), type))
            known = mentions[at[words]]
            if type is not None and known.type not in (None, type):
                raise InputError(f"{words!r} is {known.type!r} in an earlier row, {type!r} here", line=line.number)
            mentions[at[words]] = replace(known, type=type or known.type)
            sides.append(at[words])
        if line.get("relation").lower() in NONE_CELLS:
            continue
        if len(sides) < 2:
            raise InputError("a relation needs a head and a tail", line=line.number)
        one = Relation(sides[0], sides[1], line.get("relation"))
        if one not in relations:
            relations.append(one)
    return Document(id, text, layers={GOLD: Layer(tuple(mentions), relations=tuple(relations))})


def _bag(id: str, lines: Sequence[Line]) -> Document:
    """A bag with one sentence per row, each with its two arguments; the relations of all rows are those of the pair."""
    first, second = lines[0].get("head"), lines[0].get("tail")
    if not first or not second:
        raise InputError("a pair needs a head and a tail", line=lines[0].number)
    read = [tokenised(Document(id, _one_text(id, [line]))) for line in lines]
    bare = Document.from_words(id, [one.words for one in read], shape="bag")
    mentions: list[Mention] = []
    for number, (line, one) in enumerate(zip(lines, read, strict=True)):
        head = place(one.text, first, [], line.number)
        tail = place(one.text, second, [head], line.number)
        begin = bare.sentences[number][0]
        for span in (head, tail):
            low, high = one.token_range(*span)
            mentions.append(Mention(*bare.char_range(begin + low, begin + high)))
    members = tuple(Member(2 * i, 2 * i + 1) for i in range(len(lines)))
    labels = dict.fromkeys(line.get("relation") for line in lines if line.get("relation").lower() not in NONE_CELLS)
    return replace(bare, bag=Bag(first, second, members), layers={GOLD: Layer(tuple(mentions), labels=tuple(labels))})
