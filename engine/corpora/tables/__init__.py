"""Tables of texts and annotation, as spreadsheets and data frames write them: CSV, TSV, XLSX.

`cells` reads a file into rows of texts, `columns` says which column means what (guessed, or told), `building` makes
documents of the rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from engine.corpora.tables.building import documents
from engine.corpora.tables.cells import Grid, read_grid
from engine.corpora.tables.columns import KINDS, ROLES, Columns, guess
from engine.data.document import Document

__all__ = ["KINDS", "ROLES", "Columns", "Grid", "documents", "guess", "read", "read_grid"]


def read(path: Path, told: Mapping[str, str] | None = None, kind: str | None = None) -> list[Document]:
    """The documents of a table. `told` are columns by role, which win over the guess; `kind` is what a row is."""
    grid = read_grid(path)
    return documents(grid, guess(grid).with_told(grid, told or {}, kind), path)
