"""The first sheet of an Excel workbook, read and written like a CSV table."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from engine.corpora import tables
from engine.corpora.formats.rows import csv
from engine.corpora.io import files
from engine.data.document import Document
from engine.data.errors import InputError

TITLE: Final = "Excel workbook"
EXTENSIONS: Final = (".xlsx",)
ABOUT: Final = "The same as a CSV table, in the first sheet of a workbook."
_LONGEST: Final = 32_767
"""Maximum number of characters of a cell."""


def read(path: Path) -> Iterator[Document]:
    return iter(tables.read(path))


def write(documents: Iterable[Document], path: Path) -> None:
    from openpyxl import Workbook
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

    rows = list(csv.rows(documents))
    for cell in (cell for row in rows for cell in row):
        if len(cell) > _LONGEST:
            raise InputError(
                f"{cell[:40]!r}… cannot be stored in a cell of a workbook, which has {_LONGEST} characters at most"
            )
        if ILLEGAL_CHARACTERS_RE.search(cell) or re.search("[\ud800-\udfff\ufffe\uffff]", cell):
            raise InputError(f"{cell[:40]!r} has a character that cannot be stored in a workbook")
    book = Workbook(write_only=True)
    sheet = book.create_sheet("documents")
    for row in rows:
        made = [WriteOnlyCell(sheet, cell) for cell in row]
        for one in made:
            # Always a text, never a formula.
            one.data_type = "s"
        sheet.append(made)
    made_now = io.BytesIO()
    book.save(made_now)
    with files.FileBatch() as batch, zipfile.ZipFile(batch.create(path), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in _timeless(made_now):
            archive.writestr(zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)


def _timeless(book: io.BytesIO) -> Iterator[tuple[str, bytes]]:
    """The members of a workbook without the time of writing, so that equal content gives equal bytes."""
    with zipfile.ZipFile(book) as archive:
        for name in archive.namelist():
            content = archive.read(name)
            yield (
                name,
                re.sub(rb">[-0-9]+T[0-9:]+Z<", b">1980-01-01T00:00:00Z<", content) if "core" in name else content,
            )


def losses(document: Document) -> list[str]:
    lost = csv.losses(document)
    # XML has one kind of line break, and workbooks write others as _x000D_.
    if "\r" in document.text or "_x" in document.text:
        lost.append("line breaks as they are")
    return lost
