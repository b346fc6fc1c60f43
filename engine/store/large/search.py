"""Full-text search: an SQLite index (FTS5), in a separate file, of the words in a corpus.

The index is computed from the texts and holds nothing else, so it is kept with the other computed results, not in the
database. Every word of a query must be the beginning of a word in the text or the id. Scripts without spaces are
indexed character by character, and a query in them finds consecutive characters.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Final

import numpy as np

from engine.arrays import Ints

_UNSPACED: Final = re.compile(r"([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff])")
"""Thai, Lao, Burmese, Khmer, Japanese and Chinese characters."""


def build(path: Path, texts: Iterable[tuple[str, str]]) -> None:
    """Index (id, text) of every document, in order."""
    with closing(sqlite3.connect(path)) as connection:
        # A result that is not finished is thrown away: there is nothing to protect.
        connection.execute("PRAGMA journal_mode=OFF")
        connection.execute("PRAGMA synchronous=OFF")
        connection.execute(
            "CREATE VIRTUAL TABLE texts USING fts5"
            "(id, text, content='', columnsize=0, tokenize='unicode61 remove_diacritics 2')"
        )
        connection.executemany(
            "INSERT INTO texts (rowid, id, text) VALUES (?, ?, ?)",
            ((number, _spaced(id), _spaced(text)) for number, (id, text) in enumerate(texts)),
        )
        connection.commit()


def find(path: Path, search: str) -> Ints:
    """Positions of the documents that contain every word of the query, ascending."""
    terms = [_term(word) for word in search.split()]
    if not all(terms):
        return np.zeros(0, dtype=np.int64)
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        rows = connection.execute("SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rowid", (" ".join(terms),))
        return np.fromiter((row[0] for row in rows), dtype=np.int64)


def _term(word: str) -> str:
    """One word as a prefix query of the index; empty if nothing of it is indexed."""
    pieces = re.findall(r"\w+", _spaced(word))
    return f'"{" ".join(pieces)}" *' if pieces else ""


def _spaced(text: str) -> str:
    return _UNSPACED.sub(r" \1 ", text).replace("\x00", " ")
