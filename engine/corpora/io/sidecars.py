"""Sidecars: tables next to a CoNLL file with more information on its tokens and mentions.

    x.dep.tsv       document, sentence, token, word, lemma, UPOS, POS, head in the sentence (-1 root), relation;
                    a blank line after each sentence -> columns deplemma, upos, head, deprel
    x.mentions.tsv  document, sentence, start, end, entity id, category, mention type
                    -> type of a mention, and "chain" and "kind" in its extra

for x.conll; all may be compressed. Rows are in the order of the documents; documents are named by their id.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import IO, Final

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
            cells = line.removesuffix("\r").split("\t")
            if cells == [""]:
                continue
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
    places = [(s, t - first) for s, (first, last) in enumerate(document.sentences) for t in range(first, last)]
    if len(rows) != len(places):
        line = rows[0][0] if rows else None
        raise InputError(
            f"{len(rows)} rows for the {len(places)} tokens of document {document.id!r}", file=path, line=line
        )
    heads = []
    for row, (sentence, token), word in zip(rows, places, document.words, strict=True):
        line, cells = row
        if (_number(row, 1, path), _number(row, 2, path)) != (sentence, token) or cells[3] != word:
            raise InputError(f"expected sentence {sentence}, token {token}, {word!r}", file=path, line=line)
        head = _number(row, 7, path, least=-1)
        first, last = document.sentences[sentence]
        if head >= last - first:
            raise InputError(f"head {head} is outside its sentence", file=path, line=line, field="8")
        heads.append(head)
    columns = dict(document.columns)
    columns["deplemma"] = tuple(cells[4] for _, cells in rows)
    columns["upos"] = tuple(cells[5] for _, cells in rows)
    tags = tuple(cells[6] for _, cells in rows)
    if tags != columns.get("pos"):
        columns["deppos"] = tags
    columns["head"] = tuple(heads)
    columns["deprel"] = tuple(cells[8] for _, cells in rows)
    return replace(document, columns=columns)


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
    columns = document.columns
    tags = columns.get("deppos", columns.get("pos"))
    for sentence, (first, last) in enumerate(document.sentences):
        for token in range(first, last):
            cells = [document.id, sentence, token - first, document.words[token], columns["deplemma"][token]]
            cells += [columns["upos"][token], tags[token] if tags else "-"]
            cells += [columns["head"][token], columns["deprel"][token]]
            yield "\t".join(map(str, cells)) + "\n"
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
