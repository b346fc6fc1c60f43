"""Gold as people have edited it: the log of each corpus, and the states of it that were named and frozen."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from engine.data.document import GOLD, Document
from engine.data.errors import InputError
from engine.store import database
from engine.store.annotations import AnnotationLog
from engine.store.corpora import Corpora
from engine.store.tables import now


@dataclass(frozen=True)
class GoldVersion:
    """A named, frozen state of a layer: everything up to one row of the log."""

    corpus: str
    name: str
    layer: str
    upto: int
    user: str
    time: str


class Gold(Corpora):
    """The annotation of a workspace's corpora."""

    def annotations(self, corpus: str) -> AnnotationLog:
        return AnnotationLog(self._engine, corpus)

    def edit_version(self, corpus: str) -> int:
        """Number of the corpus's latest edit; 0 where nothing was edited. Changes whenever gold does."""
        table = database.edits
        query = sa.select(sa.func.max(table.c.number)).where(table.c.corpus == corpus, table.c.layer == GOLD)
        with self._engine.connect() as connection:
            return int(connection.execute(query).scalar() or 0)

    def freeze(self, corpus: str, name: str, *, user: str, layer: str = GOLD) -> GoldVersion:
        """Name the present state of a layer. A name is given once."""
        rows = self.annotations(corpus).history(layer=layer)
        version = GoldVersion(corpus, name, layer, rows[-1].number if rows else 0, user, now())
        with database.transaction(self._engine) as connection:
            table = database.versions
            there = connection.execute(sa.select(table.c.name).where(table.c.corpus == corpus, table.c.name == name))
            if there.first() is not None:
                raise InputError(f"there is already a gold version {name!r}; choose another name")
            connection.execute(table.insert().values(**version.__dict__))
        return version

    def version(self, corpus: str, name: str) -> GoldVersion:
        for version in self.versions(corpus):
            if version.name == name:
                return version
        raise InputError(f"the corpus has no gold version {name!r}")

    def gold_documents(self, corpus: str, version: str | None = None, *, layer: str = GOLD) -> list[Document]:
        """The documents with gold as it has been edited up to now, or as it was frozen under a name."""
        upto = None
        if version is not None:
            frozen = self.version(corpus, version)
            upto, layer = frozen.upto, frozen.layer
        states = self.annotations(corpus).states(self.documents(corpus), layer=layer, upto=upto)
        return [document.with_layer(GOLD, state.layer()) for document, state in states]

    def versions(self, corpus: str) -> list[GoldVersion]:
        table = database.versions
        query = sa.select(table).where(table.c.corpus == corpus).order_by(table.c.time)
        with self._engine.connect() as connection:
            return [GoldVersion(**row._mapping) for row in connection.execute(query)]
