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

    def append(
        self,
        document: Document,
        edit: Edit,
        *,
        user: str,
        base: int | None = None,
        layer: str = GOLD,
        token: str | None = None,
    ) -> int:
        """Add an edit; the number of its row is the document's new version.

        `base` is the version the user was looking at. Edits made since by others are merged when they touch nothing in
        common with this one, else Conflict is raised and nothing is written. An edit whose `token` is in the log
        already was done before: its row is the answer.
        """
        with database.transaction(self._engine) as connection:
            done = self._done(connection, token)
            if done is not None:
                return done
            rows = self._rows(connection, document.id, layer)
            if base is not None:
                mine = touches(edit)
                theirs = [row for row in rows if row.number > base and row.user != user and _touched(row, rows) & mine]
                if theirs:
                    raise Conflict(theirs)
            apply(replay(_start(document, layer), live(rows)), edit)  # refuses what does not fit
            return self._insert(connection, document.id, layer, user, json.dumps(to_json(edit)), None, token)

    def undo(
        self, *, user: str, layer: str = GOLD, document: str | None = None, token: str | None = None
    ) -> LogRow | None:
        """Take back the user's latest action, in the whole corpus or in one document; the new row, or None."""
        with database.transaction(self._engine) as connection:
            undoable, _ = stacks(self._rows(connection, document, layer), user)
            return self._take_back(connection, undoable, user, token)

    def redo(
        self, *, user: str, layer: str = GOLD, document: str | None = None, token: str | None = None
    ) -> LogRow | None:
        """Bring back what the user's latest undo took; a fresh edit after it closes the way back."""
        with database.transaction(self._engine) as connection:
            _, redoable = stacks(self._rows(connection, document, layer), user)
            return self._take_back(connection, redoable, user, token)

    def state(self, document: Document, *, layer: str = GOLD, upto: int | None = None) -> State:
        """The layer as it stands, or as it stood at an earlier version."""
        rows = self.history(document.id, layer=layer)
        if upto is not None:
            rows = [row for row in rows if row.number <= upto]
        return replay(_start(document, layer), live(rows))

    def states(
        self, documents: Sequence[Document], *, layer: str = GOLD, upto: int | None = None
    ) -> list[tuple[Document, State]]:
        """The state of every document, from one reading of the log."""
        rows: dict[str, list[LogRow]] = {}
        for row in self.history(layer=layer):
            if upto is None or row.number <= upto:
                rows.setdefault(row.document, []).append(row)
        return [(document, replay(_start(document, layer), live(rows.get(document.id, ())))) for document in documents]

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

    def _done(self, connection: sa.Connection, token: str | None) -> int | None:
        if token is None:
            return None
        table = database.edits
        query = sa.select(table.c.number).where(table.c.corpus == self._corpus, table.c.token == token)
        return connection.execute(query).scalar()

    def _take_back(
        self, connection: sa.Connection, candidates: Sequence[LogRow], user: str, token: str | None
    ) -> LogRow | None:
        if not candidates or self._done(connection, token) is not None:
            return None
        target = candidates[-1]
        number = self._insert(connection, target.document, target.layer, user, "null", target.number, token)
        return LogRow(number, target.document, target.layer, user, _now(), None, target.number)

    def _insert(
        self,
        connection: sa.Connection,
        document: str,
        layer: str,
        user: str,
        edit: str,
        undoes: int | None,
        token: str | None,
    ) -> int:
        result = connection.execute(
            database.edits.insert().values(
                corpus=self._corpus,
                document=document,
                layer=layer,
                user=user,
                time=_now(),
                edit=edit,
                undoes=undoes,
                token=token,
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


def stacks(rows: Sequence[LogRow], user: str) -> tuple[list[LogRow], list[LogRow]]:
    """The user's edits that can be undone, and the undos that can be undone in turn: latest last."""
    undoable: list[LogRow] = []
    redoable: list[LogRow] = []
    edit_of: dict[int, LogRow] = {}
    for row in rows:
        if row.user != user:
            continue
        if row.undoes is None:
            edit_of[row.number] = row
            undoable.append(row)
            redoable.clear()
        elif any(one.number == row.undoes for one in undoable):
            edit_of[row.number] = edit_of[row.undoes]
            undoable = [one for one in undoable if one.number != row.undoes]
            redoable.append(row)
        else:
            undoable.append(edit_of[row.undoes])
            redoable = [one for one in redoable if one.number != row.undoes]
    return undoable, redoable


def _touched(row: LogRow, rows: Sequence[LogRow]) -> frozenset[str]:
    """What a row changes: an undo touches what its target touched."""
    by_number = {one.number: one for one in rows}
    while row.edit is None and row.undoes in by_number:
        row = by_number[row.undoes]
    return frozenset() if row.edit is None else touches(row.edit)


def _start(document: Document, layer: str) -> Layer:
    """Where a layer's edits start from: the gold the document came with. Annotators start from an empty page."""
    return document.gold if layer == GOLD else document.layers.get(layer, Layer())


def _now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds")
