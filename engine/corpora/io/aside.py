"""What has to wait while a file is read: lines under names, on disk, so that memory does not grow with their number.

Files name things in their own order, and we need them in another: documents by id, rows by document. A private SQLite
file without a name holds them; the system removes it when it is closed, or when the process ends.
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
    """Names, each with the lines that were kept under it, in the order in which they came."""

    def __init__(self) -> None:
        # Whoever reads may be handed from one thread to the next, as the app does; they never ask at the same time.
        self._kept = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._kept.executescript(_TABLE)

    def keep(self, name: str, line: str = "") -> None:
        self._kept.execute("INSERT INTO kept (name, line) VALUES (?, ?)", (name, line))

    def lines(self, name: str) -> list[str]:
        """What is kept under a name; empty where nothing is."""
        found = self._kept.execute("SELECT line FROM kept WHERE name = ? ORDER BY place", (name,))
        return [line for (line,) in found]

    def take(self, name: str) -> list[str]:
        """The same, and they are kept no longer."""
        found = self.lines(name)
        if found:
            self._kept.execute("DELETE FROM kept WHERE name = ?", (name,))
        return found

    def names(self) -> Iterator[str]:
        """Every name once, in the order in which they first came."""
        found = self._kept.execute("SELECT name FROM kept GROUP BY name ORDER BY MIN(place)")
        return (name for (name,) in found)

    def __contains__(self, name: str) -> bool:
        return self._kept.execute("SELECT 1 FROM kept WHERE name = ?", (name,)).fetchone() is not None

    def __len__(self) -> int:
        """How many names there are."""
        found: int = self._kept.execute("SELECT COUNT(DISTINCT name) FROM kept").fetchone()[0]
        return found


class DocumentsAside(Mapping[str, Document]):
    """Documents by id, each read anew when it is asked for. Of one id the first is kept."""

    def __init__(self, documents: Iterable[Document] = ()) -> None:
        self._aside = Aside()
        for document in documents:
            if document.id not in self._aside:
                self.keep(document)

    def keep(self, document: Document) -> None:
        self._aside.keep(document.id, json.dumps(jsonl.record(document)))

    def pop(self, id: str) -> Document | None:
        """The document of this id, which is kept no longer; None where there is none."""
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
