"""Reads a table file as a header and rows of text cells: CSV with any usual separator, TSV, the first sheet of XLSX.

Whether the first row is a header is guessed: from known names, or because it is short and unlike the rest.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from xml.etree.ElementTree import ParseError

from engine.corpora.io import files
from engine.corpora.tables.names import role_of
from engine.data.errors import InputError

SEPARATORS: Final = (",", "\t", ";", "|")
MOST_COLUMNS: Final = 500
_SAMPLE: Final = 50
"""Number of rows examined to find the separator."""
_SHORT: Final = 40
"""Maximum number of characters of a column's name if it is recognised only by its appearance."""

csv.field_size_limit(files.LINE_LIMIT)


@dataclass(frozen=True)
class Row:
    number: int
    """The line or row of the file, from 1, at which it ends."""
    cells: tuple[str, ...]


@dataclass(frozen=True)
class Grid:
    """Distinct names of the columns, and rows with a cell for each."""

    header: tuple[str, ...]
    rows: tuple[Row, ...]
    named: bool
    """Whether the names come from the file; otherwise they are numbers."""

    def values(self, column: str) -> list[str]:
        at = self.header.index(column)
        return [row.cells[at] for row in self.rows]


def read_grid(path: Path, *, header: bool | None = None) -> Grid:
    """The table in a file; `header` overrides the guess whether its first row has names."""
    raw = _sheet(path) if is_workbook(path) else _separated(path)
    rows = [row for row in raw if any(cell.strip() for cell in row.cells)]
    if not rows:
        raise InputError("the table has no row", file=path)
    width = max(len(row.cells) for row in rows)
    if width > MOST_COLUMNS:
        raise InputError(f"the table has {width} columns, more than {MOST_COLUMNS}", file=path)
    filled = [Row(row.number, row.cells + ("",) * (width - len(row.cells))) for row in rows]
    named = _has_header(filled) if header is None else header
    names = filled[0].cells if named else [f"column {i + 1}" for i in range(width)]
    if named and len(filled) < 2:
        raise InputError("the table has no row below its header", file=path)
    return Grid(_distinct(names), tuple(filled[1:] if named else filled), named)


def is_workbook(path: Path) -> bool:
    """Whether a file exists and begins like a workbook, which is a zip file."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(4) == b"PK\x03\x04"


def _separated(path: Path) -> list[Row]:
    text = files.whole(path).removeprefix("\ufeff")
    separator = _separator(text)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        return [Row(reader.line_num, tuple(cells)) for cells in reader]
    except csv.Error as error:
        raise InputError(
            f"is not a table with the separator {separator!r}: {error}", file=path, line=reader.line_num
        ) from None


def _separator(text: str) -> str:
    """The separator that divides most of the first rows into the same number of cells, at least two; else a comma."""

    def agreement(separator: str) -> tuple[float, int]:
        reader = csv.reader(io.StringIO(text[: 1 << 16], newline=""), delimiter=separator)
        try:
            widths = [len(cells) for _, cells in zip(range(_SAMPLE), reader, strict=False) if cells]
        except csv.Error:
            return 0.0, 0
        usual = max(set(widths), key=widths.count, default=1)
        return (widths.count(usual) / len(widths), usual) if usual > 1 else (0.0, 0)

    return max(SEPARATORS, key=agreement)


def _sheet(path: Path) -> list[Row]:
    import openpyxl
    from openpyxl.utils.exceptions import InvalidFileException

    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(member.file_size for member in archive.infolist())
        if size > files.WHOLE_LIMIT:
            raise InputError(f"holds more than {files.WHOLE_LIMIT >> 20} MB when unpacked; split it", file=path)
        with path.open("rb") as file:
            # Passed as an open file, because a workbook may have any name.
            book = openpyxl.load_workbook(file, read_only=True, data_only=True)
            rows = book.worksheets[0].iter_rows(values_only=True)
            found = [Row(i, tuple(map(_text, cells))) for i, cells in enumerate(rows, 1)]
            book.close()
        return found
    except FileNotFoundError:
        raise InputError("there is no such file", file=path) from None
    except (
        zipfile.BadZipFile, zlib.error, InvalidFileException, ParseError, KeyError, ValueError, TypeError, IndexError,
        OSError, AttributeError, EOFError, NotImplementedError, RuntimeError,
    ) as error:  # fmt: skip
        # openpyxl has no specific error for a damaged workbook and raises all kinds of exceptions.
        if isinstance(error, InputError):
            raise
        raise InputError(f"is not a workbook that can be read ({type(error).__name__})", file=path) from None


def _text(value: object) -> str:
    if value is None:
        return ""
    # A spreadsheet stores whole numbers as floats.
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _has_header(rows: Sequence[Row]) -> bool:
    first, rest = rows[0].cells, rows[1:]
    if sum(role_of(cell) is not None for cell in first) >= min(2, len(first)):
        return True
    if not rest or any(not cell.strip() or len(cell) > _SHORT or re.search(r"\d{3}|[.!?]", cell) for cell in first):
        return False
    if any(role_of(cell) is not None for cell in first):
        return True
    # Column names are shorter than the cells below them, or are above numbers.
    return any(_unlike(first[i], [row.cells[i] for row in rest]) for i in range(len(first)))


def _unlike(name: str, below: Sequence[str]) -> bool:
    filled = [cell for cell in below if cell.strip()]
    if not filled or name in filled:
        return False
    return all(cell.strip().lstrip("-").isdigit() for cell in filled) or min(map(len, filled)) > 2 * len(name)


def _distinct(names: Iterable[str]) -> tuple[str, ...]:
    """Distinct names: a repeated name gets a number, an empty one is replaced by its position."""
    found: list[str] = []
    for place, name in enumerate(names, 1):
        wanted = " ".join(name.split()) or f"column {place}"
        number, label = 1, wanted
        while label in found:
            number += 1
            label = f"{wanted} ({number})"
        found.append(label)
    return tuple(found)
