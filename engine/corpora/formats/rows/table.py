"""Any tab-separated table, row by row: {"row": [cells]} in native JSONL. For lists that are not corpora.

Byte-exact: only "\\n" ends a row, and a last row without one comes back without one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from engine.corpora.io import files
from engine.corpora.shapes import row
from engine.data.document import Document
from engine.data.errors import InputError

TITLE: Final = "Table (TSV)"
EXTENSIONS: Final = (".tsv", ".tab")
ABOUT: Final = "Tab-separated rows carried as they are: lists of names, counts, descriptions."

UNENDED: Final = "unended"


def read(path: Path) -> Iterator[Document]:
    for _, line in files.lines(path, ends=True):
        document = row.of_cells(line.removesuffix("\n").split("\t"), {})
        yield document if line.endswith("\n") else replace(document, extra={**document.extra, UNENDED: True})


def write(documents: Iterable[Document], path: Path) -> None:
    with files.FileBatch() as batch:
        file = batch.create(path)
        for document in documents:
            if document.shape != row.NAME or "row" not in document.extra:
                raise InputError(f"document {document.id!r} is not a row of a table; choose another format")
            cells = document.extra["row"]
            if any("\t" in cell or "\n" in cell for cell in cells):
                raise InputError(f"row {document.id!r} has a tab or a line break inside a cell")
            end = "" if document.extra.get(UNENDED) else "\n"
            file.write(("\t".join(cells) + end).encode("utf-8"))


def losses(document: Document) -> list[str]:
    unknown = set(document.extra) - {"row", UNENDED}
    return ["further fields"] if any(not name.startswith("#") for name in unknown) else []
