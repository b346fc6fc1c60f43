"""A workspace: a directory with one database and the models of its runs.

`ESPALIER_DATABASE_URL` moves the tables to PostgreSQL; models stay in the directory. The contents of a workspace are
described by its parts: corpora.py, gold.py, projects.py, runs.py, resources.py.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from engine.store import database
from engine.store.corpora import CorpusInfo
from engine.store.gold import GoldVersion
from engine.store.projects import Project, Projects
from engine.store.resources import ResourceInfo, StoredResources
from engine.store.runs import Look, RoundInfo, RunInfo, Runs, Status
from engine.store.tables import loads, storable

__all__ = [
    "CorpusInfo",
    "GoldVersion",
    "Look",
    "Project",
    "ResourceInfo",
    "RoundInfo",
    "RunInfo",
    "Status",
    "Workspace",
]


class Workspace(Projects, Runs, StoredResources):
    """Corpora, runs and annotations that survive a restart."""

    @classmethod
    def open(cls, directory: Path, url: str | None = None) -> Workspace:
        """The workspace in this directory, created if there is none; raises WorkspaceDamaged if it cannot be read."""
        directory = Path(directory)
        (directory / "models").mkdir(parents=True, exist_ok=True)
        _refuse_emptied(directory)
        engine = database.connect(url or os.environ.get("ESPALIER_DATABASE_URL") or database.url_of(directory))
        return cls(directory, engine)

    @staticmethod
    def set_aside(directory: Path) -> Path:
        """Rename a damaged database so that a new one can be created; returns the renamed file."""
        stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
        kept = Path(directory) / f"espalier-damaged-{stamp}.db"
        for suffix in ("", "-wal", "-shm"):
            old = Path(directory) / f"espalier.db{suffix}"
            if old.exists():
                old.rename(f"{kept}{suffix}")
        return kept

    def close(self) -> None:
        self._engine.dispose()

    # Saved slices of the errors page

    def save_slice(self, name: str, task: str, filters: Mapping[str, Any]) -> None:
        table = database.slices
        storable(name, "the name of a slice")
        with database.transaction(self._engine) as connection:
            connection.execute(table.delete().where(table.c.name == name))
            connection.execute(table.insert().values(name=name, task=task, filters=json.dumps(dict(filters))))

    def remove_slice(self, name: str, task: str) -> None:
        table = database.slices
        with database.transaction(self._engine) as connection:
            connection.execute(table.delete().where(table.c.name == name, table.c.task == task))

    def saved_slices(self, task: str) -> dict[str, dict[str, Any]]:
        table = database.slices
        query = sa.select(table).where(table.c.task == task).order_by(table.c.name)
        with self._engine.connect() as connection:
            return {row.name: loads(row.filters, f"slice {row.name!r}") for row in connection.execute(query)}


def _refuse_emptied(directory: Path) -> None:
    """Raise WorkspaceDamaged if the database file is empty although there are models: it was lost, not newly
    created."""
    file = directory / "espalier.db"
    if file.is_file() and file.stat().st_size == 0 and any((directory / "models").glob("*.zip")):
        raise database.WorkspaceDamaged(database.url_of(directory), "the file is empty, though there are models")
