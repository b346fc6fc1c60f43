"""Documents being added to a workspace: checked, counted and hashed one by one, and buffered until all are read.

Large numbers are buffered in a temporary file, so that a corpus of any size can be added with little memory, and the
database is locked only while records are inserted.
"""

from __future__ import annotations

import hashlib
import json
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from tempfile import SpooledTemporaryFile
from typing import Final, TypeAlias

from engine.corpora.formats import jsonl
from engine.data.document import Document
from engine.data.errors import InputError

IN_MEMORY: Final = 64 << 20
"""Maximum number of bytes buffered in memory; more go to a file."""
AT_ONCE: Final = 1000
"""Number of records inserted into the database together."""

Rows: TypeAlias = list[dict[str, object]]


class Incoming:
    """All documents of a corpus to be added. `record` makes the database record of a document, given its position."""

    def __init__(self, documents: Iterable[Document], record: Callable[[Document, int], str]) -> None:
        self._file = SpooledTemporaryFile(max_size=IN_MEMORY, mode="w+", encoding="utf-8", newline="\n")
        digest, ids = hashlib.sha256(), array("q")
        for position, document in enumerate(documents):
            digest.update(jsonl.canonical(document) + b"\n")
            self._file.write(json.dumps([document.id, record(document, position)]) + "\n")
            ids.append(hash(document.id))
        self.n_documents, self.hash = len(ids), digest.hexdigest()
        self._refuse_repeated({one for one, n in Counter(ids).items() if n > 1} if len(set(ids)) < len(ids) else set())

    def _refuse_repeated(self, suspects: set[int]) -> None:
        """Raise InputError if two documents have the same id. Different ids may, very rarely, share a hash, so the ids
        themselves are compared."""
        seen: set[str] = set()
        for id, _ in self._records() if suspects else ():
            if hash(id) in suspects:
                if id in seen:
                    raise InputError(f"two documents have the id {id!r}; ids must differ within a corpus")
                seen.add(id)

    def _records(self) -> Iterator[tuple[str, str]]:
        self._file.seek(0)
        for line in self._file:
            id, record = json.loads(line)
            yield id, record

    def rows(self, corpus: str) -> Iterator[Rows]:
        """The rows for the table of documents, some at a time."""
        numbered = enumerate(self._records())
        while some := list(islice(numbered, AT_ONCE)):
            yield [{"corpus": corpus, "position": i, "id": id, "record": record} for i, (id, record) in some]

    def __enter__(self) -> Incoming:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
