"""Gold as people have edited it: the log of each corpus, and the states of it that were named and frozen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from engine.data.document import GOLD, Document, Layer
from engine.data.edits import with_comments
from engine.data.errors import InputError
from engine.store import database
from engine.store.annotations import AnnotationLog
from engine.store.corpora import Corpora
from engine.store.tables import now, storable


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
        return self.annotations(corpus).version()

    def freeze(self, corpus: str, name: str, *, user: str, layer: str = GOLD) -> GoldVersion:
        """Name the present state of a layer. A name is given once."""
        storable(name, "the name of a version")
        version = GoldVersion(corpus, name, layer, self.annotations(corpus).version(layer=layer), user, now())
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

    def gold_documents(
        self,
        corpus: str,
        version: str | None = None,
        *,
        layer: str = GOLD,
        originals: Sequence[Document] | None = None,
        only_done: bool = False,
        comments: bool = False,
    ) -> list[Document]:
        """The documents with gold as it has been edited up to now, or as it was frozen under a name.

        `originals` are the corpus's documents where the caller has read them before. Documents that nobody edited
        are given back as they came. `only_done` leaves out those that nobody has marked as done in this layer;
        `comments` puts what people wrote beside the annotation into further fields, for formats that can carry it.
        """
        upto = None
        if version is not None:
            frozen = self.version(corpus, version)
            upto, layer = frozen.upto, frozen.layer
        documents = self.documents(corpus) if originals is None else originals
        log = self.annotations(corpus)
        edited = log.edited_documents(layer=layer, upto=upto) if layer == GOLD else {d.id for d in documents}
        changed = log.states([d for d in documents if d.id in edited], layer=layer, upto=upto)
        done = {document.id for document, state in changed if state.done}
        now = {
            document.id: with_comments(state).document(document) if comments else state.document(document)
            for document, state in changed
        }
        return [now.get(one.id, one) for one in documents if not only_done or one.id in done]

    def learnable_documents(self, corpus: str, *, only_done: bool = False) -> list[Document]:
        """What can be learnt from: gold as it stands.

        A text that nobody has looked at is not a text without names: of a corpus that came without any annotation only
        what somebody has edited or marked as done counts. `only_done` asks for the mark, wherever somebody sets marks:
        in such a corpus, and in one where some document has it.
        """
        originals = self.documents(corpus)
        came_bare = all(document.bag is None and document.gold == Layer() for document in originals)
        edited = self.annotations(corpus).edited_documents(layer=GOLD)
        done = self.done_documents(corpus)
        kept = [
            document
            for document in originals
            if (document.id in done if only_done and (done or came_bare) else document.id in edited or not came_bare)
        ]
        return self.gold_documents(corpus, originals=kept)

    def done_documents(self, corpus: str, *, layer: str = GOLD) -> set[str]:
        """The documents that are marked as done in this layer."""
        log = self.annotations(corpus)
        begun = log.edited_documents(layer=layer)
        states = log.states([one for one in self.documents(corpus) if one.id in begun], layer=layer)
        return {document.id for document, state in states if state.done}

    def versions(self, corpus: str) -> list[GoldVersion]:
        table = database.versions
        query = sa.select(table).where(table.c.corpus == corpus).order_by(table.c.time)
        with self._engine.connect() as connection:
            return [GoldVersion(**row._mapping) for row in connection.execute(query)]
