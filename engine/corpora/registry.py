"""The registry of formats, and detection of a file's format."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from engine.corpora.formats import jsonl
from engine.corpora.io import files, texts
from engine.corpora.shapes import SHAPES
from engine.corpora.tables.cells import SEPARATORS, is_workbook
from engine.corpora.tables.names import role_of
from engine.data.document import Document
from engine.data.errors import InputError


class FormatModule(Protocol):
    """The interface of a module in `formats`."""

    TITLE: str
    EXTENSIONS: tuple[str, ...]
    ABOUT: str

    def read(self, path: Path) -> Iterator[Document]: ...

    def write(self, documents: Iterable[Document], path: Path) -> None: ...

    def losses(self, document: Document) -> list[str]:
        """What the format cannot hold of the document."""
        ...


@dataclass(frozen=True)
class Format:
    """A registered format. Its module is imported when it is first used: some need large libraries."""

    name: str
    room: str = "engine.corpora.formats"

    @property
    def module(self) -> FormatModule:
        # Every module satisfies the protocol; the contract tests of formats check that.
        return cast(FormatModule, import_module(f"{self.room}.{self.name}"))

    @property
    def title(self) -> str:
        return self.module.TITLE

    @property
    def extensions(self) -> tuple[str, ...]:
        return self.module.EXTENSIONS

    @property
    def about(self) -> str:
        return self.module.ABOUT


ROWS = "engine.corpora.formats.rows"

FORMATS = {
    one.name: one
    for one in (
        Format("jsonl"),
        Format("conll2012"),
        Format("aidayago"),
        Format("neel", ROWS),
        Format("neleval", ROWS),
        Format("tac", ROWS),
        Format("nif"),
        Format("brat"),
        Format("spert"),
        Format("labelstudio"),
        Format("uimacas"),
        Format("csv", ROWS),
        Format("xlsx", ROWS),
        Format("plain"),
        Format("table", ROWS),
    )
}

OTHER_NAMES = {"native": "jsonl", "conll": "conll2012", "aida": "aidayago", "cas": "uimacas", "tsv": "table"}

AMBIGUOUS = {".json", ".tsv", ".tab", ".txt"}
"""Endings shared by several formats, which are distinguished by content."""


def by_name(name: str) -> Format:
    name = OTHER_NAMES.get(name, name)
    if name not in FORMATS:
        raise InputError(f"there is no format {name!r}; choose one of {', '.join(FORMATS)}")
    return FORMATS[name]


def detect(path: Path, reading: bool = True) -> Format:
    """The format of a file by its name and, if the name fits several, by its beginning."""
    if reading and not path.exists():
        raise InputError("there is no such file", file=path)
    if reading and path.is_dir():
        return _of_folder(path)
    named = _by_name(path)
    if reading and (named is None or _suffix(path) in AMBIGUOUS):
        return FORMATS[_by_content(path, _suffix(path))]
    if named is None:
        raise InputError(f"no format has a name like this; choose one of {', '.join(FORMATS)}", file=path)
    return FORMATS[named]


def check_name(path: Path, format: Format) -> None:
    """Raise InputError if a file of this format would be read as another format, or unpacked, under this name."""
    if path.suffix.lower() == ".zip" and not path.is_dir():
        raise InputError(
            f"is the name of a zip file, which is read but not written; choose a name that ends in"
            f" {' or '.join(format.extensions)}",
            file=path,
        )
    named = _by_name(path)
    if named is None or named == format.name or _suffix(path) in AMBIGUOUS or path.is_dir():
        return
    raise InputError(
        f"is the name of {FORMATS[named].title}, not of {format.title}; choose one that ends in"
        f" {' or '.join(format.extensions)}",
        file=path,
    )


def _suffix(path: Path) -> str:
    return Path(path.name.lower().removesuffix(".gz")).suffix


def _by_name(path: Path) -> str | None:
    """The format whose ending fits best; None if none does."""
    bare = path.name.lower().removesuffix(".gz")
    fits = [
        (len(ending), name) for name, item in FORMATS.items() for ending in item.extensions if bare.endswith(ending)
    ]
    return max(fits)[1] if fits else None


def _of_folder(path: Path) -> Format:
    endings = {item.suffix for item in path.iterdir()}
    for ending, name in ((".ann", "brat"), (".json", "uimacas"), (".txt", "plain")):
        if ending in endings:
            return FORMATS[name]
    raise InputError("is a directory without .ann, .json or .txt files; name a file", file=path)


def _by_content(path: Path, suffix: str) -> str:
    if is_workbook(path):
        return "xlsx"
    lines = _first_lines(path)
    first = next(lines, "")
    if first.startswith("#begin document"):
        return "conll2012"
    if first.startswith("-DOCSTART-"):
        return "aidayago"
    start = first.lstrip("\ufeff").lstrip()
    if _is_record(start):
        return "jsonl"
    if start.startswith("[") or (start.startswith("{") and suffix == ".json"):
        return _kind_of_json(path)
    if start.startswith("{"):
        return "uimacas" if any(sign in start[:200] for sign in ('"%TYPES"', '"%FEATURE_STRUCTURES"')) else "jsonl"
    if start.startswith(("@prefix", "<http", "<urn", "@base", "PREFIX")):
        return "nif"
    if suffix == ".txt" and path.with_suffix(".ann").exists():
        return "brat"
    if texts.beside(path) is not None:
        return _kind_of_links(path)
    if _names_a_text(first):
        return "csv"
    if suffix in (".tsv", ".tab") or "\t" in first:
        return "table"
    if suffix == ".txt":
        return "plain"
    raise InputError(f"its format is not clear; choose one of {', '.join(FORMATS)}", file=path)


def _names_a_text(header: str) -> bool:
    """Whether a row of cells names a column of texts, so that it is the header of a table of texts."""
    cells = [re.split(f"[{separator}]", header.lstrip("\ufeff").rstrip("\r")) for separator in SEPARATORS]
    # A text that happens to begin with such a word is not a header: in a header we know all but one or two columns.
    return any(
        len(row) > 1 and "text" in (roles := list(map(role_of, row))) and roles.count(None) <= 2 for row in cells
    )


def _is_record(line: str) -> bool:
    """Whether a line is a native record."""
    try:
        record = jsonl.parse(line) if line.startswith("{") else None
    except InputError:
        return False
    return isinstance(record, dict) and any(shape.matches(record) for shape in SHAPES)


def _kind_of_links(path: Path) -> str:
    """The format of a table of links: as recorded in its texts, if we wrote them. Otherwise TAC has eight columns, NEEL
    names entities by URIs, neleval does not. The latter two count ends differently, so the format of a table with only
    NIL mentions is not guessed."""
    told = texts.table_of(path)
    if told in FORMATS:
        return told
    for line in _first_lines(path):
        cells = line.split("\t")
        if len(cells) == 8:
            return "tac"
        if len(cells) > 3 and not cells[3].startswith("NIL"):
            return "neel" if "://" in cells[3] else "neleval"
    raise InputError("neel and neleval are both possible; choose one, and name the file so", file=path)


def _first_lines(path: Path) -> Iterator[str]:
    for _, line in files.lines(path, may_be_empty=texts.beside(path) is not None):
        if line.strip():
            yield line


def _kind_of_json(path: Path) -> str:
    """The format by the first field names of the file, since a JSON file may be large."""
    with files.opened(path) as file:
        head = file.read(1 << 16).decode("utf-8", errors="replace")
    for sign, name in (("%FEATURE_STRUCTURES", "uimacas"), ("%TYPES", "uimacas")):
        if sign in head:
            return name
    if '"annotations"' in head or '"predictions"' in head or '"data"' in head:
        return "labelstudio"
    if '"tokens"' in head:
        return "spert" if head.lstrip("\ufeff \r\n\t").startswith("[") else "jsonl"
    if head.lstrip("\ufeff \r\n\t").startswith("{"):
        return "jsonl"
    raise InputError(f"its format is not clear; choose one of {', '.join(FORMATS)}", file=path)
