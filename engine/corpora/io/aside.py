"""A temporary store on disk for lines under names, so that memory does not grow while a file is read out of order.

Files have their own order, and we need another: documents by id, rows by document. The lines are in a private, unnamed
SQLite file, which the system removes when it is closed or when the process ends.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping

from engine.corpora.formats import jsonl
from engine.data.document import Document

_TABLE = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE TABLE kept (place INTEGER PRIMARY KEY, name TEXT NOT NULL, line TEXT NOT NULL);
CREATE INDEX by_name ON kept (name);
BEGIN;
"""


class Aside:
    """Names, each with the lines stored under it, in order of arrival."""

    def __init__(self) -> None:
        # A reader may be passed from one thread to another, as in the app, but is never used by two at the same time.
        self._kept = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._kept.executescript(_TABLE)

    def keep(self, name: str, line: str = "") -> None:
        self._kept.execute("INSERT INTO kept (name, line) VALUES (?, ?)", (name, line))

    def lines(self, name: str) -> list[str]:
        """The lines under a name; empty if there are none."""
        found = self._kept.execute("SELECT line FROM kept WHERE name = ? ORDER BY place", (name,))
        return [line for (line,) in found]

    def take(self, name: str) -> list[str]:
        """The same, and remove them."""
        found = self.lines(name)
        if found:
            self._kept.execute("DELETE FROM kept WHERE name = ?", (name,))
        return found

    def names(self) -> Iterator[str]:
        """The distinct names, in order of first arrival."""
        found = self._kept.execute("SELECT name FROM kept GROUP BY name ORDER BY MIN(place)")
        return (name for (name,) in found)

    def __contains__(self, name: str) -> bool:
        return self._kept.execute("SELECT 1 FROM kept WHERE name = ?", (name,)).fetchone() is not None

    def __len__(self) -> int:
        """The number of names."""
        found: int = self._kept.execute("SELECT COUNT(DISTINCT name) FROM kept").fetchone()[0]
        return found


class DocumentsAside(Mapping[str, Document]):
    """Documents by id, each parsed again on access. If an id occurs twice, the first document is kept."""

    def __init__(self, documents: Iterable[Document] = ()) -> None:
        self._aside = Aside()
        for document in documents:
            if document.id not in self._aside:
                self.keep(document)

    def keep(self, document: Document) -> None:
        self._aside.keep(document.id, json.dumps(jsonl.record(document)))

    def pop(self, id: str) -> Document | None:
        """Remove and return the document with this id; None if there is none."""
        lines = self._aside.take(id)
        return jsonl.document(jsonl.parse(lines[0])) if lines else None

    def __getitem__(self, id: str) -> Document:
        lines = self._aside.lines(id)
        if not lines:
            raise KeyError(id)
        return jsonl.document(jsonl.parse(lines[0]))

    def __contains__(self, id: object) -> bool:
        return isinstance(id, str) and id in self._aside

    def __iter__(self) -> Iterator[str]:
        return self._aside.names()

    def __len__(self) -> int:
        return len(self._aside)
