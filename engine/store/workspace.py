"""A workspace: a directory with one database, the models of its runs, and nothing else to lose.

Corpora are kept as native records, so what was read can be written again unchanged. `ESPALIER_DATABASE_URL` moves
the tables to PostgreSQL; models stay in the directory.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Literal, TypeAlias

import sqlalchemy as sa

from engine import corpora as files
from engine.corpora import jsonl
from engine.corpora.shapes.document import layer_record, read_layer
from engine.data.document import GOLD, Document, Layer
from engine.data.errors import InputError
from engine.store import database
from engine.store.annotations import AnnotationLog

Status: TypeAlias = Literal["running", "done", "cancelled", "failed"]


@dataclass(frozen=True)
class CorpusInfo:
    id: str
    name: str
    split: str
    source: str
    hash: str
    n_documents: int
    created: str


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


@dataclass(frozen=True)
class Look:
    """Somebody looked at a test corpus with this run, at this bias."""

    run: str
    corpus: str
    bias: float
    time: str
    scores: Mapping[str, Any]


@dataclass(frozen=True)
class GoldVersion:
    """A named, frozen state of a layer: everything up to one row of the log."""

    corpus: str
    name: str
    layer: str
    upto: int
    user: str
    time: str


class Workspace:
    """Corpora, runs and annotations that survive a restart."""

    def __init__(self, directory: Path, engine: sa.Engine) -> None:
        self.directory = directory
        self._engine = engine

    @classmethod
    def open(cls, directory: Path, url: str | None = None) -> Workspace:
        """The workspace in this directory, made where there is none; WorkspaceDamaged where it cannot be read."""
        directory = Path(directory)
        (directory / "models").mkdir(parents=True, exist_ok=True)
        engine = database.connect(url or os.environ.get("ESPALIER_DATABASE_URL") or database.url_of(directory))
        return cls(directory, engine)

    @staticmethod
    def set_aside(directory: Path) -> Path:
        """Rename a damaged database so that a fresh one can be made; the renamed file."""
        stamp = datetime.now(timezone.utc).strftime("%Y%m%d-%H%M%S-%f")
        kept = Path(directory) / f"espalier-damaged-{stamp}.db"
        for suffix in ("", "-wal", "-shm"):
            old = Path(directory) / f"espalier.db{suffix}"
            if old.exists():
                old.rename(f"{kept}{suffix}")
        return kept

    def close(self) -> None:
        self._engine.dispose()

    # Corpora

    def corpora(self) -> list[CorpusInfo]:
        with self._engine.connect() as connection:
            rows = connection.execute(sa.select(database.corpora).order_by(database.corpora.c.created))
            return [CorpusInfo(**row._mapping) for row in rows]

    def corpus(self, id: str) -> CorpusInfo:
        for info in self.corpora():
            if info.id == id:
                return info
        raise InputError(f"the workspace has no corpus {id!r}")

    def add_corpus(self, name: str, documents: Sequence[Document], *, split: str = "", source: str = "") -> str:
        """Keep a corpus, all of it or nothing; the id it is known by."""
        clashes = _repeated(document.id for document in documents)
        if clashes:
            raise InputError(f"two documents have the id {clashes[0]!r}; ids must differ within a corpus")
        with database.transaction(self._engine) as connection:
            taken = set(connection.execute(sa.select(database.corpora.c.id)).scalars())
            id = _free(_slug(f"{name} {split}"), taken)
            connection.execute(
                database.corpora.insert().values(
                    id=id,
                    name=name,
                    split=split,
                    source=source,
                    hash=files.data_hash(documents),
                    n_documents=len(documents),
                    created=_now(),
                )
            )
            if documents:
                connection.execute(
                    database.documents.insert(),
                    [
                        {"corpus": id, "position": i, "id": document.id, "record": _dumps(jsonl.record(document))}
                        for i, document in enumerate(documents)
                    ],
                )
        return id

    def documents(self, corpus: str) -> list[Document]:
        """The documents as they were added; edits are in the annotation log."""
        table = database.documents
        query = sa.select(table.c.record).where(table.c.corpus == corpus).order_by(table.c.position)
        with self._engine.connect() as connection:
            records = connection.execute(query).scalars().all()
        return [jsonl.document(json.loads(record), i + 1) for i, record in enumerate(records)]

    def document_ids(self, corpus: str) -> list[str]:
        table = database.documents
        query = sa.select(table.c.id).where(table.c.corpus == corpus).order_by(table.c.position)
        with self._engine.connect() as connection:
            return list(connection.execute(query).scalars())

    def remove_corpus(self, id: str) -> None:
        with database.transaction(self._engine) as connection:
            for table in (database.documents, database.layers, database.versions):
                connection.execute(table.delete().where(table.c.corpus == id))
            connection.execute(database.corpora.delete().where(database.corpora.c.id == id))

    # Layers that did not come with the corpus: predictions of outside systems, adjudicated gold

    def add_layer(self, corpus: str, name: str, layers: Mapping[str, Layer]) -> None:
        """Keep one layer for the named documents; replaces the layer of that name."""
        known = set(self.document_ids(corpus))
        strangers = sorted(set(layers) - known)
        if strangers:
            raise InputError(f"the corpus has no document {strangers[0]!r} ({len(strangers)} unknown in all)")
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

    def layer(self, corpus: str, name: str) -> dict[str, Layer]:
        """Document id -> layer, for the documents that have it."""
        table = database.layers
        query = sa.select(table.c.document, table.c.record).where(table.c.corpus == corpus, table.c.name == name)
        with self._engine.connect() as connection:
            return {row.document: read_layer(json.loads(row.record), name) for row in connection.execute(query)}

    # Annotation

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
        version = GoldVersion(corpus, name, layer, rows[-1].number if rows else 0, user, _now())
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

    # Runs

    def start_run(
        self,
        task: str,
        learner: str,
        settings: Mapping[str, Any],
        *,
        train: str = "",
        dev: str = "",
        data_hash: str = "",
    ) -> str:
        with database.transaction(self._engine) as connection:
            taken = set(connection.execute(sa.select(database.runs.c.id)).scalars())
            id = _free(f"{task}-{datetime.now(timezone.utc):%Y%m%d-%H%M%S}", taken)
            connection.execute(
                database.runs.insert().values(
                    id=id,
                    task=task,
                    learner=learner,
                    settings=json.dumps(dict(settings)),
                    seed=int(settings.get("seed", 0)),
                    train=train,
                    dev=dev,
                    data_hash=data_hash,
                    status="running",
                    created=_now(),
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
                RoundInfo(row.number, row.objective, json.loads(row.scores), json.loads(row.details))
                for row in connection.execute(query)
            ]

    def finish_run(
        self, run: str, status: Status, *, scores: Mapping[str, Any] | None = None, bias: float = 0.0, message: str = ""
    ) -> None:
        table = database.runs
        with database.transaction(self._engine) as connection:
            connection.execute(
                table.update()
                .where(table.c.id == run)
                .values(
                    status=status, finished=_now(), scores=json.dumps(dict(scores or {})), bias=bias, message=message
                )
            )

    def reopen_run(self, run: str) -> None:
        """A run that was stopped goes on."""
        table = database.runs
        with database.transaction(self._engine) as connection:
            connection.execute(
                table.update().where(table.c.id == run).values(status="running", finished=None, message="")
            )

    def set_bias(self, run: str, bias: float) -> None:
        """The operating point that predict, export and the app use from now on."""
        table = database.runs
        with database.transaction(self._engine) as connection:
            connection.execute(table.update().where(table.c.id == run).values(bias=bias))

    def runs(self, task: str | None = None) -> list[RunInfo]:
        """Newest first."""
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

    def model_path(self, run: str) -> Path:
        return self.directory / "models" / f"{run}.zip"

    # The guard: what was locked, and every look at test data (engine/tuning/guard.py says what it means)

    def lock(self, run: str, corpus: str, bias: float) -> None:
        """The setting chosen on `corpus`; locking again replaces it, and earlier looks then count as early."""
        table = database.locks
        with database.transaction(self._engine) as connection:
            connection.execute(table.delete().where(table.c.run == run))
            connection.execute(table.insert().values(run=run, corpus=corpus, bias=bias, time=_now()))
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
                    run=run, corpus=corpus, bias=bias, time=_now(), scores=json.dumps(dict(scores))
                )
            )

    def looks(self, run: str) -> list[Look]:
        table = database.looks
        query = sa.select(table).where(table.c.run == run).order_by(table.c.number)
        with self._engine.connect() as connection:
            return [
                Look(row.run, row.corpus, row.bias, row.time, json.loads(row.scores))
                for row in connection.execute(query)
            ]

    # Saved slices of the errors page

    def save_slice(self, name: str, task: str, filters: Mapping[str, Any]) -> None:
        table = database.slices
        with database.transaction(self._engine) as connection:
            connection.execute(table.delete().where(table.c.name == name))
            connection.execute(table.insert().values(name=name, task=task, filters=json.dumps(dict(filters))))

    def saved_slices(self, task: str) -> dict[str, dict[str, Any]]:
        table = database.slices
        query = sa.select(table).where(table.c.task == task).order_by(table.c.name)
        with self._engine.connect() as connection:
            return {row.name: json.loads(row.filters) for row in connection.execute(query)}


def _run(row: Any) -> RunInfo:
    values = dict(row._mapping)
    return RunInfo(**{**values, "settings": json.loads(row.settings), "scores": json.loads(row.scores)})


def _dumps(record: Any) -> str:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


def _now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="microseconds")


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "corpus"


def _free(wanted: str, taken: set[str]) -> str:
    if wanted not in taken:
        return wanted
    number = 2
    while f"{wanted}-{number}" in taken:
        number += 1
    return f"{wanted}-{number}"


def _repeated(ids: Any) -> list[str]:
    seen: set[str] = set()
    return [id for id in ids if id in seen or seen.add(id)]  # type: ignore[func-returns-value]
