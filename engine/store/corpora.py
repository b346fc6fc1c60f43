"""The corpora of a workspace and the layers added to them later, kept as native records, so that they can be written
out again unchanged."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import sqlalchemy as sa

from engine.corpora.formats import jsonl
from engine.corpora.shapes.document import layer_record, read_layer
from engine.data.document import Document, Layer
from engine.data.errors import InputError
from engine.store import database
from engine.store.large.incoming import Incoming
from engine.store.tables import StoredTables, free_label, free_name, loads, now, slug, storable

AT_ONCE: Final = 500
"""Ids in one question to the database, which allows only so many values."""


@dataclass(frozen=True)
class CorpusInfo:
    id: str
    name: str
    split: str
    source: str
    hash: str
    n_documents: int
    created: str

    @property
    def label(self) -> str:
        """Its name in lists; unique within a workspace."""
        return label_of(self.name, self.split)


def label_of(name: str, split: str) -> str:
    """The name, followed by the split if the name does not contain it."""
    return name if not split or split in re.split(r"[\W_]+", name.lower()) else f"{name} {split}"


def free_corpus_name(name: str, split: str, taken: set[str]) -> str:
    """The name, followed by a number if another corpus in the list has the same name."""
    return free_label(name, lambda one: label_of(one, split) in taken)


class Corpora(StoredTables):
    """The corpora of a workspace."""

    def corpora(self) -> list[CorpusInfo]:
        with self._engine.connect() as connection:
            rows = connection.execute(sa.select(database.corpora).order_by(database.corpora.c.created))
            return [CorpusInfo(**row._mapping) for row in rows]

    def corpus(self, id: str) -> CorpusInfo:
        for info in self.corpora():
            if info.id == id:
                return info
        raise InputError(f"the workspace has no corpus {id!r}")

    def add_corpus(self, name: str, documents: Iterable[Document], *, split: str = "", source: str = "") -> str:
        """Store a corpus completely or not at all; returns its id. A name already in use gets a number. Documents are
        processed one by one, so they need not all be in memory."""
        for text, what in ((name, "the name"), (split, "the split"), (source, "the source")):
            storable(text, what)
        with Incoming(documents, _kept) as coming, database.transaction(self._engine) as connection:
            table = database.corpora
            taken = connection.execute(sa.select(table.c.id, table.c.name, table.c.split)).all()
            name = free_corpus_name(
                " ".join(name.split()) or "corpus", split, {label_of(row.name, row.split) for row in taken}
            )
            id = free_name(slug(f"{name} {split}", "corpus"), {row.id for row in taken})
            connection.execute(
                database.corpora.insert().values(
                    id=id,
                    name=name,
                    split=split,
                    source=source,
                    hash=coming.hash,
                    n_documents=coming.n_documents,
                    created=now(),
                )
            )
            for rows in coming.rows(id):
                connection.execute(database.documents.insert(), rows)
        return id

    def documents(self, corpus: str, first: int = 0, last: int | None = None) -> list[Document]:
        """The documents as they were added, or those at positions first to last - 1; edits are in the annotation
        log."""
        table = database.documents
        query = self._between(sa.select(table.c.id, table.c.record), corpus, first, last)
        with self._engine.connect() as connection:
            rows = connection.execute(query).all()
        return [_read(row.id, row.record, f"document {row.id!r} of corpus {corpus!r}") for row in rows]

    def document_ids(self, corpus: str, first: int = 0, last: int | None = None) -> list[str]:
        query = self._between(sa.select(database.documents.c.id), corpus, first, last)
        with self._engine.connect() as connection:
            return list(connection.execute(query).scalars())

    def documents_at(self, corpus: str, places: Iterable[int]) -> list[Document]:
        """The documents at some positions, as they were added, in the order of these."""
        table = database.documents
        rows = self._at(sa.select(table.c.position, table.c.id, table.c.record), corpus, places)
        return [_read(row.id, row.record, f"document {row.id!r} of corpus {corpus!r}") for row in rows]

    def ids_at(self, corpus: str, places: Iterable[int]) -> list[str]:
        """The ids of the documents at some positions, in the order of these."""
        table = database.documents
        return [row.id for row in self._at(sa.select(table.c.position, table.c.id), corpus, places)]

    def _at(self, query: sa.Select[Any], corpus: str, places: Iterable[int]) -> list[Any]:
        table, wanted = database.documents, [int(place) for place in places]
        query = query.where(table.c.corpus == corpus, table.c.position.in_(wanted))
        with self._engine.connect() as connection:
            known = {row.position: row for row in connection.execute(query)}
        return [known[place] for place in wanted]

    def position_of(self, corpus: str, id: str) -> int | None:
        """The position of a document in its corpus; None if there is none with this id."""
        table = database.documents
        query = sa.select(table.c.position).where(table.c.corpus == corpus, table.c.id == id)
        with self._engine.connect() as connection:
            found = connection.execute(query).scalar()
        return None if found is None else int(found)

    def positions_of(self, corpus: str, ids: Iterable[str]) -> dict[str, int]:
        """The positions of the documents with these ids, those that there are."""
        table, wanted, found = database.documents, list(dict.fromkeys(ids)), {}
        with self._engine.connect() as connection:
            for first in range(0, len(wanted), AT_ONCE):
                some = wanted[first : first + AT_ONCE]
                query = sa.select(table.c.id, table.c.position).where(table.c.corpus == corpus, table.c.id.in_(some))
                found.update({row.id: int(row.position) for row in connection.execute(query)})
        return found

    def size_of(self, corpus: str) -> int:
        """The number of characters of all records of a corpus, about its size in memory."""
        table = database.documents
        query = sa.select(sa.func.sum(sa.func.length(table.c.record))).where(table.c.corpus == corpus)
        with self._engine.connect() as connection:
            return int(connection.execute(query).scalar() or 0)

    def _between(self, query: sa.Select[Any], corpus: str, first: int, last: int | None) -> sa.Select[Any]:
        """The query restricted to these positions of a corpus, in order."""
        place = database.documents.c.position
        query = query.where(database.documents.c.corpus == corpus)
        if first:
            query = query.where(place >= first)
        if last is not None:
            query = query.where(place < last)
        return query.order_by(place)

    def remove_corpus(self, id: str) -> None:
        """Remove a corpus and its edits, which a later corpus with the same id must not inherit."""
        with database.transaction(self._engine) as connection:
            for table in (database.documents, database.layers, database.versions, database.edits):
                connection.execute(table.delete().where(table.c.corpus == id))
            connection.execute(database.corpora.delete().where(database.corpora.c.id == id))

    # Layers that did not come with the corpus: predictions of outside systems, adjudicated gold

    def add_layer(self, corpus: str, name: str, layers: Mapping[str, Layer]) -> None:
        """Store one layer for the given documents, replacing any layer of that name."""
        known = set(self.document_ids(corpus))
        strangers = sorted(set(layers) - known)
        if strangers:
            raise InputError(f"the corpus has no document {strangers[0]!r} ({len(strangers)} unknown in all)")
        storable(name, "the name")
        table = database.layers
        with database.transaction(self._engine) as connection:
            connection.execute(table.delete().where(table.c.corpus == corpus, table.c.name == name))
            if layers:
                connection.execute(
                    table.insert(),
                    [
                        {"corpus": corpus, "name": name, "document": id, "record": _dumps(layer_record(layer))}
                        for id, layer in layers.items()
                    ],
                )

    def layer_names(self, corpus: str) -> list[str]:
        table = database.layers
        query = sa.select(table.c.name).where(table.c.corpus == corpus).distinct().order_by(table.c.name)
        with self._engine.connect() as connection:
            return list(connection.execute(query).scalars())

    def layer(self, corpus: str, name: str, document: str | None = None) -> dict[str, Layer]:
        """Document id -> layer, for the documents that have it, or for one of them."""
        table = database.layers
        query = sa.select(table.c.document, table.c.record).where(table.c.corpus == corpus, table.c.name == name)
        if document is not None:
            query = query.where(table.c.document == document)
        with self._engine.connect() as connection:
            what = f"layer {name!r} of corpus {corpus!r}"
            return {row.document: read_layer(loads(row.record, what), name) for row in connection.execute(query)}


def _kept(document: Document, position: int) -> str:
    """The record for the database, read back before anything is committed to make sure that it is stored faithfully."""
    what = f"document {document.id!r}"
    record = _dumps(jsonl.record(document))
    storable(document.id, f"the id of document {position + 1}")
    storable(record, what)
    if _read(document.id, record, what) != document:
        raise InputError(f"{what} would not come back from the workspace as it is; please report this file")
    return record


def _read(id: str, record: str, what: str) -> Document:
    try:
        found = jsonl.document(loads(record, what))
    except InputError as error:
        raise InputError(f"{what} cannot be read: {error.what}") from error
    # A record without an id of its own got its line number in the original file as its id.
    return found if found.id == id else replace(found, id=id)


def _dumps(record: Any) -> str:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))
