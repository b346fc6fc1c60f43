"""CoNLL-2012: one token per line, coreference as brackets in the last column; what the official scorer reads.

Standard columns are document, part, token, word, pos, parse, lemma, frameset, sense, speaker, ner, any number of
predicate arguments, coreference; scorer test files have fewer. A line is written from the document's columns;
where a file does it differently (other separators, comments, a header without part), `extra["conll"]` remembers
how, so a file that is read and written is the same file. The coreference column is kept as it was read (ids,
order in the cell, mentions given twice) and used again while the clusters are unchanged.

A mention is kept once: the official scorer counts a repeated span for the entity that began first.
Dependencies (x.dep.tsv) and mention types (x.mentions.tsv) beside a file x.conll are read with it and written
back beside it: see engine/corpora/io/sidecars.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, Final

from engine.corpora.holdings import OTHER_LAYERS
from engine.corpora.io import brackets, files, sidecars
from engine.corpora.records.spans import on_tokens
from engine.corpora.shapes.sentence import is_joined
from engine.data.document import GOLD, Document, Layer, Mention
from engine.data.errors import InputError

TITLE: Final = "CoNLL-2012"
EXTENSIONS: Final = (".conll", ".v4_gold_conll", ".v4_auto_conll", ".key", ".response")
ABOUT: Final = "Tokens in columns with coreference brackets, as the official scorer reads; sidecars by name."

PLACE: Final = ("document", "part", "token", "word")
STANDARD: Final = ("pos", "parse", "lemma", "frameset", "sense", "speaker", "ner")
EMPTY: Final = {"parse": "*", "ner": "*"}
COREFERENCE: Final = "coref"
UNKNOWN_WORD: Final = "_"
"""The placeholder for each word of a file that has only coreference."""

BEGIN = re.compile(r"#begin document \((.*)\);?\s*(?:part\s+(\d+))?\s*")
END: Final = "#end document"


@dataclass
class _Lines:
    """The lines of the current document read so far."""

    id: str
    layout: list[tuple[int, str]]
    starts: list[int] = field(default_factory=list)
    cells: list[list[str]] = field(default_factory=list)
    raw: list[str] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    separator: str = "\t"
    plain: bool = True
    """Whether every line consists of its cells with tabs between, and nothing else."""
    ended: bool = False
    broken: bool = True

    def columns(self) -> list[tuple[str, ...]]:
        return list(zip(*self.cells, strict=True))


def read(path: Path) -> Iterator[Document]:
    attached = sidecars.find(path)
    for document in _documents(path):
        yield attached.attach(document)
    attached.finish()


def _documents(path: Path) -> Iterator[Document]:
    current: _Lines | None = None
    before: list[tuple[int, str]] = []
    terminated = True
    for number, raw in files.lines(path, ends=True):
        line = raw.removesuffix("\n")
        terminated = line is not raw
        comment = line.startswith("#")
        if comment and line.startswith("#begin document"):
            if current is not None:
                yield _document(current, path, number)
            current = _Lines(_id(line), [*before, (0, line)])
            before = []
        elif comment or not line or line.isspace():
            layout = before if current is None else current.layout
            layout.append((len(current.cells) if current else 0, line))
            if current is not None:
                current.broken = True
                current.ended = current.ended or line.startswith(END)
        elif current is None or current.ended:
            raise InputError(
                'expected "#begin document (name); part 000" before the first token', file=path, line=number
            )
        else:
            try:
                _token(current, line, number)
            except InputError as error:
                raise error.at(path, number) from None
    if current is None:
        raise InputError('there is no "#begin document" line; is this CoNLL-2012?', file=path, line=1)
    last = _document(current, path, None)
    if not terminated:
        last = replace(last, extra={"conll": {**last.extra.get("conll", {}), "terminated": False}})
    yield last


def _id(header: str) -> str:
    """Name, or name;part for the later parts of a document."""
    match = BEGIN.fullmatch(header)
    name, part = match.groups() if match else (header.removeprefix("#begin document").strip(), None)
    return name if not part or not int(part) else f"{name};{int(part)}"


def _name_and_part(id: str) -> tuple[str, int]:
    name, semicolon, part = id.rpartition(";")
    if semicolon and part.isascii() and part.isdigit() and part[0] != "0" and len(part) < 10:
        return name, int(part)
    return id, 0


def _token(current: _Lines, line: str, number: int) -> None:
    body = line.rstrip()
    tabs = "\t" in body
    cells = body.split("\t") if tabs else body.split()
    if len(cells) < 2:
        raise InputError("a token needs at least a document and a coreference column")
    if current.cells and len(cells) != len(current.cells[0]):
        raise InputError(f"{len(cells)} columns, the document's first token has {len(current.cells[0])}")
    if not current.cells:
        current.separator = "\t" if tabs else " "
    if len(cells) > 4 and not cells[3]:
        raise InputError("the word is empty", field="word")
    if current.broken:
        current.starts.append(len(current.cells))
        current.broken = False
    current.plain = current.plain and tabs and len(body) == len(line)
    current.cells.append(cells)
    current.raw.append(line)
    current.numbers.append(number)


def _document(current: _Lines, path: Path, line: int | None) -> Document:
    if not current.ended:
        raise InputError(f"document {current.id!r} has no {END!r} line", file=path, line=line)
    width = len(current.cells[0]) - 1 if current.cells else len(PLACE) + len(STANDARD)
    read = current.columns() or [()] * (width + 1)
    words = read[3] if width >= len(PLACE) else (UNKNOWN_WORD,) * len(current.cells)
    columns = dict(zip(_names(width - len(PLACE)), read[len(PLACE) : -1], strict=True))
    coreference = columns[COREFERENCE] = read[-1]
    bounds = [*current.starts, len(words)]
    sentences = [words[a:b] for a, b in pairwise(bounds)]
    bare = Document.from_words(current.id, sentences, columns=columns, shape="conll2012")
    try:
        layer = _layer(bare, brackets.read(coreference))
    except brackets.BracketError as error:
        raise InputError(error.what, file=path, line=current.numbers[error.token], field=COREFERENCE) from None
    extra = _differences(bare, current, read)
    return replace(bare, layers={GOLD: layer}, extra={"conll": extra} if extra else {})


def _names(count: int) -> list[str]:
    """Names of the columns between the word and the coreference."""
    return [STANDARD[i] if i < len(STANDARD) else f"argument{i - len(STANDARD)}" for i in range(max(0, count))]


def _layer(document: Document, chains: Sequence[Sequence[brackets.Span]]) -> Layer:
    spans = sorted(span for chain in chains for span in chain)
    position = {span: i for i, span in enumerate(spans)}
    mentions = tuple(Mention(*document.char_range(first, last)) for first, last in spans)
    return Layer(mentions, tuple(tuple(sorted(position[span] for span in chain)) for chain in chains))


def _differences(document: Document, current: _Lines, read: Sequence[tuple[str, ...]]) -> dict[str, Any]:
    """How the lines that were read differ from the ones we would write."""
    found: dict[str, Any] = {}
    width = len(read) - 1
    if width != len(PLACE) + len(STANDARD):
        found["columns"] = width
    if current.separator != "\t":
        found["separator"] = current.separator
    if not (current.plain and width >= len(PLACE) and read[:3] == _place_columns(document)):
        odd = []
        usual = _beginnings(document, width, current.separator)
        for token, (line, cells, beginning) in enumerate(zip(current.raw, current.cells, usual, strict=True)):
            end = len(line.rstrip())
            start = end - len(cells[-1])
            if line[:start] != beginning or end != len(line):
                odd.append([token, line[:start], line[end:]])
        if odd:
            found["lines"] = odd
    layout = [list(item) for item in current.layout]
    if layout != _layout(document):
        found["layout"] = layout
    return found


def _place_columns(document: Document) -> list[tuple[str, ...]]:
    """The columns before the words: name and part of the document, number of the token in its sentence."""
    name, part = _name_and_part(document.id)
    n = len(document.tokens)
    numbers = chain.from_iterable(map(str, range(last - first)) for first, last in _sentences(document))
    return [(name,) * n, (str(part),) * n, tuple(numbers)]


def _beginnings(document: Document, width: int, separator: str) -> list[str]:
    """Each token's line up to its coreference cell."""
    n = len(document.tokens)
    columns: list[Iterable[str]] = [*_place_columns(document), document.words]
    for i, name in enumerate(_names(width - len(PLACE))):
        column = document.columns.get(name)
        if column is not None:
            columns.append(map(str, column))
        else:
            columns.append([EMPTY.get(name, "-") if i < len(STANDARD) else "*"] * n)
    return (
        [separator.join(cells) + separator for cells in zip(*columns[:width], strict=True)]
        if width
        else [separator] * n
    )


def _layout(document: Document) -> list[list[Any]]:
    """The non-token lines, each with the number of the token that follows it."""
    name, part = _name_and_part(document.id)
    breaks = [[last, ""] for _, last in _sentences(document)]
    return [[0, f"#begin document ({name}); part {part:03d}"], *breaks, [len(document.tokens), END]]


def _sentences(document: Document) -> list[brackets.Span]:
    """Non-empty token ranges that together cover every token."""
    ranges: list[brackets.Span] = []
    at = 0
    for first, last in document.sentences:
        ranges += [(at, first), (first, last)]
        at = last
    ranges.append((at, len(document.tokens)))
    return [(first, last) for first, last in ranges if first < last]


def write(documents: Iterable[Document], path: Path) -> None:
    with files.FileBatch() as batch:
        file = batch.create(path)
        attached = sidecars.Writer(batch, path)
        for document in documents:
            file.write("".join(_written(document)).encode("utf-8"))
            attached.write(document)
        attached.finish()


def _written(document: Document) -> Iterator[str]:
    if document.text and not document.tokens:
        raise InputError(f"document {document.id!r} has no tokens; CoNLL-2012 holds tokenised text only")
    if "" in document.words:
        raise InputError(f"document {document.id!r}: an empty word cannot be written in a column")
    how = document.extra.get("conll", {})
    separator = how.get("separator", "\t")
    names = [name for name in document.columns if name.startswith("argument")]
    width = how.get("columns", len(PLACE) + len(STANDARD) + len(names))
    odd = {token: (beginning, end) for token, beginning, end in how.get("lines", ())}
    cells = _coreference(document)
    beginnings = _beginnings(document, width, separator)
    _check_lines(document, beginnings, width, separator)
    rows = [f"{beginning}{cell}\n" for beginning, cell in zip(beginnings, cells, strict=True)]
    for token in odd.keys() & set(range(len(rows))):
        start, end = odd[token]
        rows[token] = f"{start}{cells[token]}{end}\n"
    at = 0
    result: list[str] = []
    for token, line in how.get("layout") or _layout(document):
        result += rows[at:token]
        result.append(line + "\n")
        at = token
    if not how.get("terminated", True):
        result[-1] = result[-1].removesuffix("\n")
    return iter(result)


def _check_lines(document: Document, beginnings: Sequence[str], width: int, separator: str) -> None:
    """Raise InputError if one of these beginnings of lines would be read otherwise."""
    together = "\n".join(["", *beginnings])
    # No line has fewer separators than columns, so none has more if all have as many as they should.
    counts = together.count(separator), together.count("\n")
    if counts == (width * len(beginnings), len(beginnings)) and "\r" not in together and "\n#" not in together:
        return
    for beginning in beginnings:
        if beginning.count(separator) != width or "\n" in beginning or "\r" in beginning or beginning.startswith("#"):
            raise InputError(f"document {document.id!r}: {beginning!r} cannot be a line of columns")


def _chains(document: Document) -> list[list[brackets.Span]]:
    """The clusters as spans of tokens; a mention in no cluster is one of its own."""
    gold = document.gold
    spans = [document.token_range(mention.start, mention.end) for mention in gold.mentions]
    inside = gold.cluster_of()
    chains = [[spans[i] for i in cluster] for cluster in gold.clusters]
    return chains + [[span] for i, span in enumerate(spans) if i not in inside]


def _coreference(document: Document) -> Sequence[str]:
    """The column as read, if it still agrees with the gold layer; else a new one."""
    chains = _chains(document)
    kept = document.columns.get(COREFERENCE)
    if kept is not None and brackets.partition(brackets.read(kept)) == brackets.partition(chains):
        return kept
    return brackets.write(chains, len(document.tokens))


def losses(document: Document) -> list[str]:
    return [sentence for sentence, is_lost in (*_lost_of_gold(document), *_lost_of_text(document)) if is_lost]


def _lost_of_gold(document: Document) -> Iterator[tuple[str, bool]]:
    gold = document.gold
    mentions = gold.mentions
    fields = any(set(mention.extra) - {"kind", "chain"} for mention in mentions)
    single = "which mentions are in no cluster (they become clusters of one)"
    crossing = "mentions of one cluster that cross, and spans given twice"
    aligned = on_tokens(document, mentions)
    yield OTHER_LAYERS, bool(set(document.layers) - {GOLD})
    yield "bags and labels", document.bag is not None or bool(gold.labels)
    yield "relations", bool(gold.relations)
    yield "entity links", any(mention.entity is not None for mention in mentions)
    yield "mention types", any(mention.type is not None and "kind" not in mention.extra for mention in mentions)
    yield "scores", any(mention.score is not None for mention in mentions)
    yield "further fields of mentions", fields or bool(gold.extra)
    yield single, len(gold.cluster_of()) < len(mentions)
    yield "mention borders inside tokens", not aligned
    yield crossing, aligned and _reads_otherwise(document)


def _lost_of_text(document: Document) -> Iterator[tuple[str, bool]]:
    other_columns = set(document.columns) - {*_names(64), COREFERENCE, *sidecars.COLUMNS}
    respaced = bool(document.tokens) and not (is_joined(document) and list(document.sentences) == _sentences(document))
    yield "token columns that the format cannot hold", bool(other_columns)
    yield "white space of the text", respaced
    yield "further fields of documents", bool(set(document.extra) - {"conll"})


def _reads_otherwise(document: Document) -> bool:
    chains = _chains(document)
    spans = [span for chain in chains for span in chain]
    read_back = brackets.read(_coreference(document))
    return len(set(spans)) < len(spans) or brackets.partition(read_back) != brackets.partition(chains)
