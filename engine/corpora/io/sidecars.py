"""Sidecars: tables next to a CoNLL file with more information on its tokens and mentions.

    x.dep.tsv       document, sentence, token, word, lemma, UPOS, POS, head in the sentence (-1 root), relation;
                    a blank line after each sentence -> columns deplemma, upos, head, deprel
    x.mentions.tsv  document, sentence, start, end, entity id, category, mention type
                    -> type of a mention, and "chain" and "kind" in its extra

for x.conll; all may be compressed. Rows are in the order of the documents; documents are named by their id.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, groupby
from operator import lt
from pathlib import Path
from typing import IO, Final, NoReturn

from engine.corpora.io import files
from engine.data.document import GOLD, Document, Mention
from engine.data.errors import InputError

COLUMNS: Final = ("deplemma", "upos", "deppos", "head", "deprel")

Row = tuple[int, list[str]]
"""Line number and cells."""


def stem(path: Path) -> Path:
    """The path without .gz and the extension before it."""
    bare = path.with_suffix("") if path.suffix == ".gz" else path
    return bare.with_suffix("")


def beside(path: Path, kind: str) -> Path | None:
    """The sidecar of this kind, if it exists."""
    for name in (f"{kind}.tsv.gz", f"{kind}.tsv"):
        candidate = stem(path).with_name(f"{stem(path).name}.{name}")
        if candidate.exists():
            return candidate
    return None


def find(path: Path) -> SidecarReader:
    return SidecarReader(beside(path, "dep"), beside(path, "mentions"))


class SidecarReader:
    """Adds the information of the sidecars to each document, in order."""

    def __init__(self, dependencies: Path | None, mentions: Path | None) -> None:
        self.dependencies = _Table(dependencies, 9) if dependencies else None
        self.mentions = _Table(mentions, 7) if mentions else None

    def attach(self, document: Document) -> Document:
        if self.dependencies:
            document = _with_dependencies(document, self.dependencies.of(document.id), self.dependencies.path)
        if self.mentions:
            document = _with_types(document, self.mentions.of(document.id), self.mentions.path)
        return document

    def finish(self) -> None:
        for table in (self.dependencies, self.mentions):
            if table and table.name is not None:
                raise InputError(
                    f"rows of document {table.name!r}, which does not follow in the file it lies beside",
                    file=table.path,
                    line=table.rows[0][0],
                )


class _Table:
    """Rows of a sidecar, grouped by document and read in parallel with the documents."""

    def __init__(self, path: Path, width: int) -> None:
        self.path = path
        self._groups = groupby(self._cells(width), key=lambda row: row[1][0])
        self._advance()

    def _cells(self, width: int) -> Iterator[Row]:
        for number, line in files.lines(self.path):
            if line in ("", "\r"):
                continue
            cells = line.removesuffix("\r").split("\t")
            if len(cells) != width:
                raise InputError(f"{len(cells)} columns, expected {width}", file=self.path, line=number)
            yield number, cells

    def _advance(self) -> None:
        self.name: str | None
        self.name, rows = next(self._groups, (None, iter(())))
        self.rows: list[Row] = list(rows)

    def of(self, id: str) -> list[Row]:
        if self.name != id:
            return []
        rows = self.rows
        self._advance()
        return rows

    def __bool__(self) -> bool:
        return True


def _number(row: Row, column: int, path: Path, least: int = 0) -> int:
    line, cells = row
    try:
        value = int(cells[column])
    except ValueError:
        value = least - 1
    if value < least or str(value) != cells[column]:
        raise InputError(
            f"expected a whole number, found {cells[column]!r}", file=path, line=line, field=str(column + 1)
        )
    return value


def _with_dependencies(document: Document, rows: list[Row], path: Path) -> Document:
    if not rows and not document.tokens:
        return document
    n = sum(last - first for first, last in document.sentences)
    if len(rows) != n:
        line = rows[0][0] if rows else None
        raise InputError(f"{len(rows)} rows for the {n} tokens of document {document.id!r}", file=path, line=line)
    fields = list(zip(*(cells for _, cells in rows), strict=True))
    heads = _heads(document, fields)
    if heads is None:
        _refuse(document, rows, path)
    columns = dict(document.columns)
    columns["deplemma"], columns["upos"] = fields[4], fields[5]
    if fields[6] != columns.get("pos"):
        columns["deppos"] = fields[6]
    columns["head"] = heads
    columns["deprel"] = fields[8]
    return replace(document, columns=columns)


def _heads(document: Document, fields: Sequence[tuple[str, ...]]) -> tuple[int, ...] | None:
    """The column of heads; None if there is anything wrong in the rows."""
    lengths = [last - first for first, last in document.sentences]
    sentences = chain.from_iterable([str(sentence)] * length for sentence, length in enumerate(lengths))
    tokens = chain.from_iterable(map(str, range(length)) for length in lengths)
    if (fields[1], fields[2], fields[3]) != (tuple(sentences), tuple(tokens), document.words):
        return None
    try:
        number = {cell: int(cell) for cell in set(fields[7])}
    except ValueError:
        return None
    heads = tuple(number[cell] for cell in fields[7])
    ends = chain.from_iterable([length] * length for length in lengths)
    right = all(str(value) == cell and value >= -1 for cell, value in number.items())
    return heads if right and all(map(lt, heads, ends)) else None


def _refuse(document: Document, rows: list[Row], path: Path) -> NoReturn:
    """Name the first row that is wrong."""
    places = [(s, t - first) for s, (first, last) in enumerate(document.sentences) for t in range(first, last)]
    for row, (sentence, token), word in zip(rows, places, document.words, strict=True):
        line, cells = row
        if (_number(row, 1, path), _number(row, 2, path)) != (sentence, token) or cells[3] != word:
            raise InputError(f"expected sentence {sentence}, token {token}, {word!r}", file=path, line=line)
        head = _number(row, 7, path, least=-1)
        first, last = document.sentences[sentence]
        if head >= last - first:
            raise InputError(f"head {head} is outside its sentence", file=path, line=line, field="8")
    raise AssertionError("nothing is wrong in these rows")


def _with_types(document: Document, rows: list[Row], path: Path) -> Document:
    gold = document.gold
    position = {mention.span: i for i, mention in enumerate(gold.mentions)}
    mentions: list[Mention] = list(gold.mentions)
    for row in rows:
        line, cells = row
        sentence, first, last = (_number(row, column, path) for column in (1, 2, 3))
        if sentence >= len(document.sentences):
            raise InputError(f"document {document.id!r} has no sentence {sentence}", file=path, line=line, field="2")
        begin, end = document.sentences[sentence]
        if not first < last <= end - begin:
            raise InputError(f"[{first}, {last}) is not a span of sentence {sentence}", file=path, line=line, field="3")
        i = position.get(document.char_range(begin + first, begin + last))
        if i is None:
            raise InputError(
                f"sentence {sentence}, [{first}, {last}) is not a mention of {document.id!r}", file=path, line=line
            )
        mentions[i] = replace(mentions[i], type=cells[5], extra={"chain": cells[4], "kind": cells[6]})
    return document.with_layer(GOLD, replace(gold, mentions=tuple(mentions)))


class Writer:
    """Writes the sidecars of the documents that have them, next to the file."""

    def __init__(self, batch: files.FileBatch, path: Path) -> None:
        self._batch = batch
        self._path = path
        self._files: dict[str, IO[bytes]] = {}

    def write(self, document: Document) -> None:
        if "deprel" in document.columns:
            self._file("dep").write("".join(_dependency_lines(document)).encode("utf-8"))
        if any("kind" in mention.extra for mention in document.gold.mentions):
            self._file("mentions").write("".join(_mention_lines(document)).encode("utf-8"))

    def _file(self, kind: str) -> IO[bytes]:
        if kind not in self._files:
            ending = f".{kind}.tsv" + (".gz" if self._path.suffix == ".gz" else "")
            self._files[kind] = self._batch.create(stem(self._path).with_name(stem(self._path).name + ending))
        return self._files[kind]

    def finish(self) -> None:
        """Refuse if there is a foreign sidecar of this name, which would be read together with the written file."""
        for kind in ("dep", "mentions"):
            stranger = beside(self._path, kind)
            if stranger and kind not in self._files:
                raise InputError(f"lies where a sidecar of {self._path.name} would be; move it away", file=stranger)


def _dependency_lines(document: Document) -> Iterator[str]:
    columns, words = document.columns, document.words
    tags = columns.get("deppos", columns.get("pos")) or ("-",) * len(words)
    names = ("deplemma", "upos", "head", "deprel")
    lemmas, upos, heads, relations = (tuple(map(str, columns[name])) for name in names)
    cells = zip(words, lemmas, upos, map(str, tags), heads, relations, strict=True)
    rows = ["\t".join(row) for row in cells]
    for sentence, (first, last) in enumerate(document.sentences):
        start = f"{document.id}\t{sentence}\t"
        yield from [f"{start}{token}\t{row}\n" for token, row in enumerate(rows[first:last])]
        yield "\n"


def _mention_lines(document: Document) -> Iterator[str]:
    chains = document.gold.cluster_of()
    starts = [first for first, _ in document.sentences]
    for i, mention in enumerate(document.gold.mentions):
        if "kind" not in mention.extra:
            continue
        first, last = document.token_range(mention.start, mention.end)
        sentence = max(s for s, start in enumerate(starts) if start <= first)
        chain = mention.extra.get("chain", chains.get(i, "-"))
        place = [sentence, first - starts[sentence], last - starts[sentence]]
        yield "\t".join(map(str, [document.id, *place, chain, mention.type or "-", mention.extra["kind"]])) + "\n"
