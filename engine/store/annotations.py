"""The append-only log of edits: who changed what and when; the state at any point; unlimited undo and redo.

An undo is itself a row that names the edit it reverts, and a redo is a row that names that undo, so the whole history
stays readable and survives a restart. Rows that share a batch are one action, over any number of documents: they are
undone and redone together. A layer of annotation has a name: "gold" is shared, others belong to one annotator or are
the result of adjudication.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import groupby
from typing import Any, Final, NamedTuple, TypeAlias

import sqlalchemy as sa

from engine.data.document import GOLD, Document, Layer
from engine.data.edits import DefineLabels, Edit, EditRefused, State, apply, from_json, replay, to_json, touches
from engine.data.errors import InputError
from engine.store import database
from engine.store.tables import loads, storable

LABELS: Final = "label set"
"""The layer, not of any document, that holds the corpus's label set."""


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
    token: str | None = None
    batch: str | None = None

    @property
    def writer(self) -> str:
        """The writer of the row: a browser tab, identified by the part of its token before the colon, else the user."""
        return writer(self.token, self.user)


class _NewRow(NamedTuple):
    """A row on its way into the log, by the columns of the table."""

    document: str
    layer: str
    user: str
    edit: str
    """The edit as JSON; "null" if the row reverts another one."""
    undoes: int | None = None
    token: str | None = None
    batch: str | None = None


class EditConflict(Exception):
    """Somebody else changed the same thing after the version on which this edit is based."""

    def __init__(self, theirs: Sequence[LogRow]) -> None:
        self.theirs = tuple(theirs)
        who = ", ".join(sorted({row.user for row in theirs}))
        super().__init__(f"{who} changed the same annotation meanwhile; look at it and choose")


def writer(token: str | None, user: str) -> str:
    return token.rpartition(":")[0] if token and ":" in token else user


class AnnotationLog:
    """Edits of one corpus."""

    def __init__(self, engine: sa.Engine, corpus: str) -> None:
        self._engine = engine
        self._corpus = corpus

    @property
    def corpus(self) -> str:
        return self._corpus

    def append(
        self,
        document: Document,
        edit: Edit,
        *,
        user: str,
        base: int | None = None,
        layer: str = GOLD,
        token: str | None = None,
        check: Callable[[State, Edit], None] | None = None,
    ) -> int:
        """Add an edit; the number of its row is the document's new version.

        `base` is the version that the user was looking at. Later edits by other writers (another person, or the same
        person in another tab) are merged if they have nothing in common with this one; otherwise EditConflict is raised
        and nothing is written. If the `token` of an edit is already in the log, the edit was done before, and its row
        is returned. `check` may refuse an edit in the current state.
        """
        # Reading and folding a long history takes longer than writing, so it is done before the lock is taken.
        rows = self.history(document.id, layer=layer)
        known = fold(document, rows, layer)
        with database.transaction(self._engine) as connection:
            done = self._done(connection, token)
            if done is not None:
                return done
            later = self._rows(connection, document=document.id, layer=layer, after=rows[-1].number if rows else 0)
            rows += later
            if base is not None:
                mine, here = touches(edit), writer(token, user)
                theirs = [r for r in rows if r.number > base and r.writer != here and _touched(r, rows) & mine]
                if theirs:
                    raise EditConflict(theirs)
            state = fold(document, rows, layer) if later else known
            if check is not None:
                check(state, edit)
            apply(state, edit)  # raises EditRefused if it does not fit
            return self._insert(connection, _NewRow(document.id, layer, user, json.dumps(to_json(edit)), token=token))

    def append_all(self, edits: Sequence[tuple[Document, Edit]], *, user: str, layer: str = GOLD) -> None:
        """Add edits of several documents as one action: all are written or none, and one undo reverts all."""
        with database.transaction(self._engine) as connection:
            self._insert_all(connection, [(document, edit, layer) for document, edit in edits], user)

    def define_labels(
        self, record: Mapping[str, Any], *, user: str, edits: Sequence[tuple[Document, Edit, str]] = ()
    ) -> None:
        """Write the corpus's label set and, in the same action, the resulting changes of documents and their layers."""
        with database.transaction(self._engine) as connection:
            batch = self._insert_all(connection, edits, user)
            text = json.dumps(to_json(DefineLabels(record)))
            self._insert(connection, _NewRow("", LABELS, user, text, batch=batch))

    def labels(self) -> tuple[Mapping[str, Any], int] | None:
        """The record of the corpus's label set and the row that defines it; None if there is none."""
        rows = self.history("", layer=LABELS)
        alive = live_numbers(rows)
        for row in reversed(rows):
            if isinstance(row.edit, DefineLabels) and row.number in alive:
                return row.edit.record, row.number
        return None

    def undo(
        self, *, user: str, layer: str = GOLD, document: str | None = None, token: str | None = None
    ) -> LogRow | None:
        """Undo the user's latest action, in the whole corpus or in one document; returns the new row (the first of
        several), or None if there is nothing to undo."""
        with database.transaction(self._engine) as connection:
            undoable, _ = stacks(self._rows(connection, document=document, layer=layer, user=user), user)
            return self._take_back(connection, undoable, user, token)

    def redo(
        self, *, user: str, layer: str = GOLD, document: str | None = None, token: str | None = None
    ) -> LogRow | None:
        """Redo the user's latest undo, unless a new edit followed it."""
        with database.transaction(self._engine) as connection:
            _, redoable = stacks(self._rows(connection, document=document, layer=layer, user=user), user)
            return self._take_back(connection, redoable, user, token)

    def state(self, document: Document, *, layer: str = GOLD, upto: int | None = None) -> State:
        """The current state of the layer, or its state at an earlier version."""
        rows = self.history(document.id, layer=layer)
        return fold(document, [row for row in rows if upto is None or row.number <= upto], layer)

    def states(
        self, documents: Sequence[Document], *, layer: str = GOLD, upto: int | None = None
    ) -> list[tuple[Document, State]]:
        """The state of every document, from one reading of the log."""
        rows: dict[str, list[LogRow]] = {}
        for row in self.history(layer=layer):
            if upto is None or row.number <= upto:
                rows.setdefault(row.document, []).append(row)
        return [(document, fold(document, rows.get(document.id, ()), layer)) for document in documents]

    def version(self, document: str | None = None, *, layer: str = GOLD) -> int:
        """The number of the latest row of the document, or of all; 0 if nothing was edited."""
        query = sa.select(sa.func.max(database.edits.c.number)).where(*self._where(document, layer))
        with self._engine.connect() as connection:
            return int(connection.execute(query).scalar() or 0)

    def history(self, document: str | None = None, *, layer: str | None = None, after: int = 0) -> list[LogRow]:
        """The rows of the log, or those after a known number."""
        with self._engine.connect() as connection:
            return self._rows(connection, document=document, layer=layer, after=after)

    def edited_documents(self, *, layer: str | None = None, upto: int | None = None) -> set[str]:
        return self._distinct(database.edits.c.document, layer, upto) - {""}

    def layers(self) -> set[str]:
        """Every layer that somebody has edited."""
        return self._distinct(database.edits.c.layer, None, None) - {LABELS}

    def users(self) -> set[str]:
        """Everybody who has edited something."""
        return self._distinct(database.edits.c.user, None, None)

    def _distinct(self, column: sa.Column[str], layer: str | None, upto: int | None) -> set[str]:
        query = sa.select(column).where(*self._where(None, layer)).distinct()
        if upto is not None:
            query = query.where(database.edits.c.number <= upto)
        with self._engine.connect() as connection:
            return set(connection.execute(query).scalars())

    def _where(self, document: str | None, layer: str | None, user: str | None = None) -> list[sa.ColumnElement[bool]]:
        table = database.edits
        named = ((table.c.document, document), (table.c.layer, layer), (table.c.user, user))
        return [table.c.corpus == self._corpus, *(column == value for column, value in named if value is not None)]

    def _rows(
        self,
        connection: sa.Connection,
        *,
        document: str | None = None,
        layer: str | None = None,
        user: str | None = None,
        batch: str | None = None,
        after: int = 0,
    ) -> list[LogRow]:
        table = database.edits
        query = sa.select(table).where(*self._where(document, layer, user)).order_by(table.c.number)
        if batch is not None:
            query = query.where(table.c.batch == batch)
        if after:
            query = query.where(table.c.number > after)
        return [
            LogRow(
                row.number,
                row.document,
                row.layer,
                row.user,
                row.time,
                None if row.undoes is not None else _edit(row.edit, row.number),
                row.undoes,
                row.token,
                row.batch,
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
        self, connection: sa.Connection, actions: Sequence[Action], user: str, token: str | None
    ) -> LogRow | None:
        if not actions or self._done(connection, token) is not None:
            return None
        target = self._whole(connection, actions[-1])
        batch = uuid.uuid4().hex if len(target) > 1 else None
        numbers = [
            self._insert(
                connection,
                _NewRow(row.document, row.layer, user, "null", row.number, token if row is target[0] else None, batch),
            )
            for row in target
        ]
        first = target[0]
        return LogRow(numbers[0], first.document, first.layer, user, _now(), None, first.number, token, batch)

    def _whole(self, connection: sa.Connection, action: Action) -> Action:
        """All rows of an action, since one layer may hold only some of them."""
        batch = action[0].batch
        return action if batch is None else tuple(self._rows(connection, batch=batch))

    def _insert_all(self, connection: sa.Connection, edits: Sequence[tuple[Document, Edit, str]], user: str) -> str:
        """Write edits of several documents and layers as one action; returns the name of its batch."""
        batch = uuid.uuid4().hex
        for document, edit, layer in edits:
            rows = self._rows(connection, document=document.id, layer=layer)
            apply(fold(document, rows, layer), edit)
            self._insert(connection, _NewRow(document.id, layer, user, json.dumps(to_json(edit)), batch=batch))
        return batch

    def _insert(self, connection: sa.Connection, row: _NewRow) -> int:
        for text, what in ((row.user, "the user's name"), (row.layer, "the layer's name"), (row.token, "the token")):
            storable(text or "", what)
        values = {"corpus": self._corpus, "time": _now(), **row._asdict()}
        key = connection.execute(database.edits.insert().values(values)).inserted_primary_key
        if key is None:
            raise EditRefused("the database gave the edit no number")
        return int(key[0])


def fold(document: Document, rows: Sequence[LogRow], layer: str = GOLD) -> State:
    """The layer of the document after these rows of its log."""
    return replay(start(document, layer), live(rows))


def live_numbers(rows: Sequence[LogRow]) -> set[int]:
    """The rows in effect: an undo cancels its target, an undo of an undo restores it."""
    dead: set[int] = set()
    for row in reversed(rows):
        if row.undoes is not None and row.number not in dead:
            dead.add(row.undoes)
    return {row.number for row in rows if row.number not in dead}


def live(rows: Sequence[LogRow]) -> list[Edit]:
    alive = live_numbers(rows)
    return [row.edit for row in rows if row.edit is not None and row.number in alive]


Action: TypeAlias = tuple[LogRow, ...]
"""Rows that were written together, and are undone and redone together."""


def actions_of(rows: Sequence[LogRow]) -> Iterator[Action]:
    for _, group in groupby(rows, key=lambda row: row.batch or row.number):
        yield tuple(group)


def stacks(rows: Sequence[LogRow], user: str) -> tuple[list[Action], list[Action]]:
    """The user's actions that can be undone, and the undos that can be redone, latest last."""
    undoable: list[Action] = []
    redoable: list[Action] = []
    action_of: dict[int, Action] = {}
    undone_by: dict[Action, Action] = {}
    for action in actions_of([row for row in rows if row.user == user]):
        action_of.update((row.number, action) for row in action)
        if action[0].undoes is None:
            undoable.append(action)
            redoable.clear()
            continue
        target = action_of[action[0].undoes]
        if target in undoable:
            undone_by[action] = target
            undoable.remove(target)
            redoable.append(action)
        else:
            undoable.append(undone_by[target])
            redoable.remove(target)
    return undoable, redoable


def _touched(row: LogRow, rows: Sequence[LogRow]) -> frozenset[str]:
    """What a row changes: an undo touches what its target touched."""
    by_number = {one.number: one for one in rows}
    while row.edit is None and row.undoes in by_number:
        row = by_number[row.undoes]
    return frozenset() if row.edit is None else touches(row.edit)


def start(document: Document, layer: str) -> State:
    """The starting state of a layer: for gold, the document's original gold. Annotators start from an empty layer,
    unless the document already has a layer of theirs."""
    if layer == GOLD:
        return State.of_gold(document)
    if document.bag is not None:
        brought = document.layers.get(layer, Layer())
        return replace(State.unanswered(document), labels=brought.labels)
    return State.of(document.layers.get(layer, Layer()))


def _edit(text: str, number: int) -> Edit:
    what = f"edit {number}"
    try:
        return from_json(loads(text, what))
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{what} is damaged in the database: {error}") from error


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
