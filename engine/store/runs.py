"""Runs of a workspace: settings, rounds, scores, the operating point, and every look at test data."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import sqlalchemy as sa

from engine.data.errors import InputError
from engine.store import database
from engine.store.tables import StoredTables, free_name, loads, now, storable

LONGEST_NAME: Final = 80

Status: TypeAlias = Literal["running", "done", "cancelled", "failed"]


@dataclass(frozen=True)
class RoundInfo:
    index: int
    objective: float
    scores: Mapping[str, float]
    details: Mapping[str, Any]


@dataclass(frozen=True)
class RunInfo:
    id: str
    task: str
    learner: str
    settings: Mapping[str, Any]
    seed: int
    train: str
    dev: str
    data_hash: str
    status: Status
    created: str
    finished: str | None
    scores: Mapping[str, Any]
    bias: float
    message: str
    name: str = ""
    """The name given by a user; empty if there is none."""
    note: str = ""
    starred: bool = False
    judged_at: float | None = None
    """The bias at which `scores` were measured; the run may have another one by now."""


@dataclass(frozen=True)
class Look:
    """Somebody looked at a test corpus with this run, at this bias."""

    run: str
    corpus: str
    bias: float
    time: str
    scores: Mapping[str, Any]


class Runs(StoredTables):
    """The runs of a workspace; their models are files of its directory."""

    def start_run(
        self,
        task: str,
        learner: str,
        settings: Mapping[str, Any],
        *,
        train: str = "",
        dev: str = "",
    ) -> str:
        with database.transaction(self._engine) as connection:
            taken = set(connection.execute(sa.select(database.runs.c.id)).scalars())
            id = free_name(f"{task}-{datetime.now(UTC):%Y%m%d-%H%M%S}", taken)
            connection.execute(
                database.runs.insert().values(
                    id=id,
                    task=task,
                    learner=learner,
                    settings=json.dumps(dict(settings)),
                    seed=int(settings.get("seed", 0)),
                    train=train,
                    dev=dev,
                    data_hash="",
                    status="running",
                    created=now(),
                    finished=None,
                    scores="{}",
                    bias=0.0,
                    message="",
                )
            )
        return id

    def add_round(
        self,
        run: str,
        index: int,
        objective: float,
        scores: Mapping[str, float],
        details: Mapping[str, Any] | None = None,
    ) -> None:
        with database.transaction(self._engine) as connection:
            table = database.rounds
            connection.execute(table.delete().where(table.c.run == run, table.c.number == index))
            connection.execute(
                table.insert().values(
                    run=run,
                    number=index,
                    objective=objective,
                    scores=json.dumps(dict(scores)),
                    details=json.dumps(dict(details or {})),
                )
            )

    def rounds(self, run: str) -> list[RoundInfo]:
        table = database.rounds
        query = sa.select(table).where(table.c.run == run).order_by(table.c.number)
        with self._engine.connect() as connection:
            return [
                RoundInfo(row.number, row.objective, _object(row.scores), _object(row.details))
                for row in connection.execute(query)
            ]

    def finish_run(
        self, run: str, status: Status, *, scores: Mapping[str, Any] | None = None, bias: float = 0.0, message: str = ""
    ) -> None:
        self._change(
            run,
            status=status,
            finished=now(),
            scores=json.dumps(dict(scores or {})),
            bias=bias,
            judged_at=bias if scores else None,
            message=message,
        )

    def reopen_run(self, run: str) -> None:
        """Mark a stopped run as running again."""
        self._change(run, status="running", finished=None, message="")

    def set_bias(self, run: str, bias: float) -> None:
        """Set the operating point that predict, export and the app use from now on."""
        self._change(run, bias=bias)

    def describe_run(self, run: str, *, name: str, note: str, starred: bool) -> None:
        """Set a run's name, its note, and whether it is starred as the default."""
        if len(name) > LONGEST_NAME:
            raise InputError(f"the name of a run has at most {LONGEST_NAME} characters")
        for text, what in ((name, "the name of a run"), (note, "the note on a run")):
            storable(text, what)
        self._change(run, name=" ".join(name.split()), note=note.strip(), starred=int(starred))

    def attach_corpora(self, run: str, *, train: Sequence[str], dev: Sequence[str]) -> None:
        """Set the corpora that a run was trained and chosen on, which the file of an added model does not say."""
        self._change(run, train=",".join(train), dev=",".join(dev))

    def set_data_hash(self, run: str, data_hash: str) -> None:
        """Set the hash of the training data, known once the documents are read with their current gold."""
        self._change(run, data_hash=data_hash)

    def _change(self, run: str, **values: Any) -> None:
        table = database.runs
        with database.transaction(self._engine) as connection:
            connection.execute(table.update().where(table.c.id == run).values(**values))

    def runs(self, task: str | None = None) -> list[RunInfo]:
        """The runs, newest first."""
        table = database.runs
        query = sa.select(table).order_by(table.c.created.desc(), table.c.id.desc())
        if task is not None:
            query = query.where(table.c.task == task)
        with self._engine.connect() as connection:
            return [_run(row) for row in connection.execute(query)]

    def run(self, id: str) -> RunInfo:
        table = database.runs
        with self._engine.connect() as connection:
            row = connection.execute(sa.select(table).where(table.c.id == id)).first()
        if row is None:
            raise InputError(f"the workspace has no run {id!r}")
        return _run(row)

    def remove_run(self, id: str) -> None:
        with database.transaction(self._engine) as connection:
            for table in (database.rounds, database.looks, database.locks):
                connection.execute(table.delete().where(table.c.run == id))
            connection.execute(database.runs.delete().where(database.runs.c.id == id))
        self.model_path(id).unlink(missing_ok=True)
        self.checkpoint_path(id).unlink(missing_ok=True)

    def model_path(self, run: str) -> Path:
        return self.directory / "models" / f"{run}.zip"

    def checkpoint_path(self, run: str) -> Path:
        """The checkpoint from which a stopped run resumes; it no longer exists once the run is done."""
        return self.directory / "models" / f"{run}.resume"

    # The guard: the locked setting, and every look at test data (explained in engine/tuning/guard.py)

    def lock(self, run: str, corpus: str, bias: float) -> None:
        """Lock the setting chosen on `corpus`; locking again replaces it, and looks before the new lock count as
        premature."""
        table = database.locks
        with database.transaction(self._engine) as connection:
            connection.execute(table.delete().where(table.c.run == run))
            connection.execute(table.insert().values(run=run, corpus=corpus, bias=bias, time=now()))
            connection.execute(database.runs.update().where(database.runs.c.id == run).values(bias=bias))

    def lock_of(self, run: str) -> tuple[str, float, str] | None:
        """Corpus, bias and time of the run's lock."""
        table = database.locks
        with self._engine.connect() as connection:
            row = connection.execute(sa.select(table).where(table.c.run == run)).first()
        return None if row is None else (row.corpus, row.bias, row.time)

    def record_look(self, run: str, corpus: str, bias: float, scores: Mapping[str, Any]) -> None:
        with database.transaction(self._engine) as connection:
            connection.execute(
                database.looks.insert().values(
                    run=run, corpus=corpus, bias=bias, time=now(), scores=json.dumps(dict(scores))
                )
            )

    def is_revealed(self, run: str, corpus: str) -> bool:
        """Whether somebody has asked to see this run on this corpus."""
        table = database.looks
        query = sa.select(table.c.number).where(table.c.run == run, table.c.corpus == corpus).limit(1)
        with self._engine.connect() as connection:
            return connection.execute(query).first() is not None

    def looks(self, run: str) -> list[Look]:
        table = database.looks
        query = sa.select(table).where(table.c.run == run).order_by(table.c.number)
        with self._engine.connect() as connection:
            return [
                Look(row.run, row.corpus, row.bias, row.time, _object(row.scores)) for row in connection.execute(query)
            ]


def _run(row: Any) -> RunInfo:
    """A run from its database row. A damaged one is listed all the same, so that it can be removed and does not break
    pages about others."""
    said = {"name": row.name or "", "note": row.note or "", "starred": bool(row.starred)}
    values = {**row._mapping, **said}
    try:
        return RunInfo(**{**values, "settings": _object(row.settings), "scores": _object(row.scores)})
    except InputError as error:
        return RunInfo(**{**values, "settings": {}, "scores": {}, "status": "failed", "message": str(error)})


def _object(text: str) -> dict[str, Any]:
    found = loads(text, "what is known of a run")
    if not isinstance(found, dict):
        raise InputError("what is known of a run is damaged in the database: it is not an object")
    return found
