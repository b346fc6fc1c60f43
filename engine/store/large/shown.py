"""Lists of decisions for pages, in an SQLite file in corpus order; only those on screen are read."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import astuple
from pathlib import Path
from typing import Any

from engine.data.document import Document
from engine.metrics.differences import Decision


def key_of(document: str, one: Decision) -> str:
    """The identifier of a decision in addresses."""
    return f"{document}|{one.kind}|{one.start}|{one.end}|{one.value}|{one.other}"


class ShownWriter:
    """Writes a list, which is complete when the context ends."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path)
        # A result that is not finished is thrown away: there is nothing to protect.
        self._connection.executescript(
            "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
            "CREATE TABLE decisions (number INTEGER PRIMARY KEY, document TEXT, key TEXT, told TEXT);"
        )
        self._n = 0

    def add(self, found: Iterable[tuple[Document, Decision]]) -> None:
        for document, one in found:
            row = (self._n, document.id, key_of(document.id, one), json.dumps(astuple(one)))
            self._connection.execute("INSERT INTO decisions VALUES (?, ?, ?, ?)", row)
            self._n += 1

    def __enter__(self) -> ShownWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self._connection.execute("CREATE INDEX decisions_by_key ON decisions (key)")
            self._connection.commit()
        self._connection.close()


class ShownDecisions:
    """A finished list."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._n = int(self._rows("SELECT COUNT(*) FROM decisions")[0][0])

    def _rows(self, query: str, values: Iterable[Any] = ()) -> list[Any]:
        with closing(sqlite3.connect(f"file:{self._path}?mode=ro", uri=True)) as connection:
            return connection.execute(query, tuple(values)).fetchall()

    def __len__(self) -> int:
        return self._n

    def index_of(self, key: str) -> int | None:
        """The position of the decision with this key; None if it is not in the list."""
        found = self._rows("SELECT MIN(number) FROM decisions WHERE key = ?", [key])[0][0]
        return None if found is None else int(found)

    def part(self, first: int, last: int) -> list[tuple[str, Decision]]:
        """Document and decision of the entries first to last - 1."""
        query = "SELECT document, told FROM decisions WHERE number >= ? AND number < ? ORDER BY number"
        return [(document, _decision(json.loads(told))) for document, told in self._rows(query, [first, last])]


def _decision(told: list[Any]) -> Decision:
    start, end, kind, value, other = told
    return Decision(start, end, kind, value, (other[0], other[1]))
