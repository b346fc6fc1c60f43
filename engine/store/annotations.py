"""The append-only log of edits: who changed what, when; state at any point; undo and redo without end.

Undo is itself a row that names the edit it takes back, and redo a row that names that undo, so the whole history
stays readable and survives a restart. A layer of annotation is named: "gold" is shared, others belong to one
annotator or are the result of adjudication.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timezone

import sqlalchemy as sa

from engine.data.document import GOLD, Document, Layer
from engine.data.edits import Edit, EditRefused, State, apply, from_json, replay, to_json, touches
from engine.store import database


@dataclass(frozen=True)
class LogRow:
    """One line of the history."""

    number: int
    document: str
    layer: str
    user: str
    time: str
    edit: Edit | None
    undoes: int | None


class Conflict(Exception):
    """Somebody else changed the same thing after the version this edit was made on."""

    def __init__(self, theirs: Sequence[LogRow]) -> None:
        self.theirs = tuple(theirs)
        who = ", ".join(sorted({row.user for row in theirs}))
        super().__init__(f"{who} changed the same annotation meanwhile; look at it and choose")


class AnnotationLog:
    """Edits of one corpus."""

    def __init__(self, engine: sa.Engine, corpus: str) -> None:
        self._engine = engine
        self._corpus = corpus

    def append(self, document: Document, edit: Edit, *, user: str, base: int | None = None, layer: str = GOLD) -> int:
        """Add an edit; the number of its row is the document's new version.

        `base` is the version the user was looking at. Edits made since by others are merged when they touch nothing in
        common with this one, else Conflict is raised and nothing is written.
        """
        with database.transaction(self._engine) as connection:
            rows = self._rows(connection, document.id, layer)
            if base is not None:
                mine = touches(edit)
                theirs = [row for row in rows if row.number > base and row.user != user and _touched(row, rows) & mine]
                if theirs:
                    raise Conflict(theirs)
            apply(replay(_start(document, layer), live(rows)), edit)  # refuses what does not fit
            return self._insert(connection, document.id, layer, user, json.dumps(to_json(edit)), None)

    def undo(self, document: Document, *, user: str, layer: str = GOLD) -> int | None:
        """Take back the user's latest live edit of the document; its undo row, or None where there is none."""
        with database.transaction(self._engine) as connection:
            rows = self._rows(connection, document.id, layer)
            alive = live_numbers(rows)
            mine = [row.number for row in rows if row.edit is not None and row.user == user and row.number in alive]
            if not mine:
                return None
            return self._insert(connection, document.id, layer, user, "null", mine[-1])

    def redo(self, document: Document, *, user: str, layer: str = GOLD) -> int | None:
        """Bring back what the user's latest undo took, unless the user has edited since."""
        with database.transaction(self._engine) as connection:
            rows = [row for row in self._rows(connection, document.id, layer) if row.user == user]
            target = _redoable(rows)
            if target is None:
                return None
            return self._insert(connection, document.id, layer, user, "null", target)

    def last_edited(self, *, user: str, layer: str = GOLD, undone: bool = False) -> str | None:
        """The document of the user's latest edit (or, `undone`, of the latest undo) anywhere in the corpus."""
        table = database.edits
        query = (
            sa.select(table.c.document)
            .where(table.c.corpus == self._corpus, table.c.user == user, table.c.layer == layer)
            .where(table.c.undoes.is_not(None) if undone else table.c.undoes.is_(None))
            .order_by(table.c.number.desc())
            .limit(1)
        )
        with self._engine.connect() as connection:
            return connection.execute(query).scalar()

    def state(self, document: Document, *, layer: str = GOLD, upto: int | None = None) -> State:
        """The layer as it stands, or as it stood at an earlier version."""
        rows = self.history(document.id, layer=layer)
        if upto is not None:
            rows = [row for row in rows if row.number <= upto]
        return replay(_start(document, layer), live(rows))

    def version(self, document: str, *, layer: str = GOLD) -> int:
        """Number of the latest row of the document; 0 where it was never edited."""
        rows = self.history(document, layer=layer)
        return rows[-1].number if rows else 0

    def history(self, document: str | None = None, *, layer: str | None = None) -> list[LogRow]:
        with self._engine.connect() as connection:
            return self._rows(connection, document, layer)

    def edited_documents(self, *, layer: str | None = None) -> set[str]:
        return {row.document for row in self.history(layer=layer)}

    def _rows(self, connection: sa.Connection, document: str | None, layer: str | None) -> list[LogRow]:
        table = database.edits
        query = sa.select(table).where(table.c.corpus == self._corpus).order_by(table.c.number)
        if document is not None:
            query = query.where(table.c.document == document)
        if layer is not None:
            query = query.where(table.c.layer == layer)
        return [
            LogRow(
                row.number,
                row.document,
                row.layer,
                row.user,
                row.time,
                None if row.undoes is not None else from_json(json.loads(row.edit)),
                row.undoes,
            )
            for row in connection.execute(query)
        ]

    def _insert(
        self, connection: sa.Connection, document: str, layer: str, user: str, edit: str, undoes: int | None
    ) -> int:
        result = connection.execute(
            database.edits.insert().values(
                corpus=self._corpus,
                document=document,
                layer=layer,
                user=user,
                time=datetime.now(timezone.utc).isoformat(timespec="milliseconds"),
                edit=edit,
                undoes=undoes,
            )
        )
        key = result.inserted_primary_key
        if key is None:
            raise EditRefused("the database gave the edit no number")
        return int(key[0])


def live_numbers(rows: Sequence[LogRow]) -> set[int]:
    """Rows that count: an undo kills its target, an undo of an undo revives it."""
    dead: set[int] = set()
    for row in reversed(rows):
        if row.undoes is not None and row.number not in dead:
            dead.add(row.undoes)
    return {row.number for row in rows if row.number not in dead}


def live(rows: Sequence[LogRow]) -> list[Edit]:
    alive = live_numbers(rows)
    return [row.edit for row in rows if row.edit is not None and row.number in alive]


def _redoable(mine: Sequence[LogRow]) -> int | None:
    """The user's latest live undo of an edit; a fresh edit after it closes the way back."""
    alive = live_numbers(mine)
    edits = {row.number for row in mine if row.edit is not None}
    for row in reversed(mine):
        if row.edit is not None:
            if row.number in alive and not _was_revived(row.number, mine):
                return None
        elif row.undoes in edits and row.number in alive:
            return row.number
    return None


def _was_revived(number: int, rows: Sequence[LogRow]) -> bool:
    return any(row.undoes == number for row in rows)


def _touched(row: LogRow, rows: Sequence[LogRow]) -> frozenset[str]:
    """What a row changes: an undo touches what its target touched."""
    by_number = {one.number: one for one in rows}
    while row.edit is None and row.undoes in by_number:
        row = by_number[row.undoes]
    return frozenset() if row.edit is None else touches(row.edit)


def _start(document: Document, layer: str) -> Layer:
    """Where a layer's edits start from: the gold the document came with. Annotators start from an empty page."""
    return document.gold if layer == GOLD else document.layers.get(layer, Layer())
