"""Reads tables of texts and annotation, as written by spreadsheets and data frames: CSV, TSV, XLSX.

`cells` reads a file into rows of texts, `columns` determines the meaning of each column (guessed, or given), `building`
makes documents from the rows.
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
    """The documents of a table. `told` gives columns by role, which override the guess; `kind` is what a row stands
    for."""
    grid = read_grid(path)
    return documents(grid, guess(grid).with_told(grid, told or {}, kind), path)
