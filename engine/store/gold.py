"""Edited gold: the annotation log of each corpus, and its named, frozen versions."""

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
        """The number of the corpus's latest edit; 0 if nothing was edited. Changes whenever gold does."""
        return self.annotations(corpus).version()

    def edit_versions(self) -> dict[str, int]:
        """The same of every corpus that was edited, in one question."""
        edits = database.edits.c
        query = sa.select(edits.corpus, sa.func.max(edits.number)).where(edits.layer == GOLD).group_by(edits.corpus)
        with self._engine.connect() as connection:
            return {corpus: int(number) for corpus, number in connection.execute(query)}

    def freeze(self, corpus: str, name: str, *, user: str, layer: str = GOLD) -> GoldVersion:
        """Give a name to the current state of a layer. A name can be used only once."""
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
        """The documents with the current gold, or with a frozen version.

        `originals` are the corpus's documents if the caller has already read them. Documents that nobody edited are
        returned unchanged. `only_done` leaves out those that are not marked as done in this layer; `comments` adds
        people's comments as extra fields, for formats that can hold them.
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
        """The documents for training, with the current gold.

        A text that nobody has looked at is not a text without names, so from a corpus that came without annotation only
        documents that were edited or marked as done are used. `only_done` requires the mark in such a corpus, and in
        any corpus in which some document has it.
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
        """The documents marked as done in this layer."""
        log = self.annotations(corpus)
        begun = log.edited_documents(layer=layer)
        states = log.states([one for one in self.documents(corpus) if one.id in begun], layer=layer)
        return {document.id for document, state in states if state.done}

    def versions(self, corpus: str) -> list[GoldVersion]:
        table = database.versions
        query = sa.select(table).where(table.c.corpus == corpus).order_by(table.c.time)
        with self._engine.connect() as connection:
            return [GoldVersion(**row._mapping) for row in connection.execute(query)]
