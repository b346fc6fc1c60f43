"""Examines a workspace and reports what is wrong with it and what to do. It changes nothing."""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from engine import corpora as corpus_files
from engine.data.edits import EditRefused
from engine.data.errors import InputError
from engine.store import migrations
from engine.store.workspace import CorpusInfo, RunInfo, Workspace

LEAST_SPACE: Final = 200 << 20
"""Bytes that should be free, since a training saves its model every few seconds."""
RESTORE: Final = "restore the latest backup: espalier restore FILE --workspace NEW"


@dataclass(frozen=True)
class Finding:
    """The result of one check: the state, and what to do if it is not fine."""

    about: str
    level: Literal["fine", "odd", "wrong"]
    sentence: str
    advice: str = ""


def examine(workspace: Workspace, load: Callable[[RunInfo, Path], None]) -> Iterator[Finding]:
    """The results of all checks. `load` loads a run's model and raises InputError if that fails."""
    yield from _database(workspace)
    yield from _space(workspace)
    for info in workspace.corpora():
        yield _corpus(workspace, info)
    runs = workspace.runs()
    for run in runs:
        yield _run(workspace, run, load)
    yield from _strays(workspace, {run.id for run in runs})


def _database(workspace: Workspace) -> Iterator[Finding]:
    with workspace._engine.connect() as connection:
        version = migrations.version_of(connection)
        yield Finding("schema", "fine", f"version {version}")
        if workspace._engine.dialect.name != "sqlite":
            return
        verdict = connection.exec_driver_sql("PRAGMA integrity_check").scalars().all()
        orphans = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
    if verdict == ["ok"] and not orphans:
        yield Finding("database", "fine", "every page is sound")
    else:
        said = "; ".join(map(str, [*verdict[:3], *orphans[:3]]))
        yield Finding("database", "wrong", said, RESTORE)


def _space(workspace: Workspace) -> Iterator[Finding]:
    free = shutil.disk_usage(workspace.directory).free
    level: Literal["fine", "odd"] = "fine" if free >= LEAST_SPACE else "odd"
    yield Finding("disk", level, f"{free / 1e9:.1f} GB free", "" if level == "fine" else "make room")


def _corpus(workspace: Workspace, info: CorpusInfo) -> Finding:
    about = f"corpus {info.id}"
    remedy = "export what you can, remove the corpus on the page Corpora, add it again"
    try:
        documents = workspace.documents(info.id)
        if len(documents) != info.n_documents or corpus_files.data_hash(documents) != info.hash:
            return Finding(about, "wrong", "its documents are not those that were added", remedy)
        log = workspace.annotations(info.id)
        for layer in sorted(log.layers()):
            log.states(documents, layer=layer)
    except (InputError, EditRefused) as error:
        return Finding(about, "wrong", str(error), remedy)
    latest = workspace.edit_version(info.id)
    edits = f"the latest edit is number {latest}" if latest else "never edited"
    return Finding(about, "fine", f"{len(documents)} documents, {edits}")


def _run(workspace: Workspace, run: RunInfo, load: Callable[[RunInfo, Path], None]) -> Finding:
    about, path = f"run {run.id}", workspace.model_path(run.id)
    if run.status == "running":
        if is_held(workspace.directory / "jobs" / f"{run.id}.lock"):
            return Finding(about, "fine", "is being trained")
        return Finding(
            about, "odd", "says that it is running, and no process trains it", "start the app: it settles it"
        )
    if not path.is_file():
        if run.status == "done":
            return Finding(about, "wrong", "its model is gone", "train it again, or remove the run")
        return Finding(about, "fine", f"{run.status}, without a model")
    try:
        load(run, path)
    except InputError as error:
        return Finding(about, "wrong", error.what, "train it again, or remove the run")
    return Finding(about, "fine", f"{run.status}, its model can be used")


def _strays(workspace: Workspace, runs: set[str]) -> Iterator[Finding]:
    for path in sorted((workspace.directory / "models").glob("*")):
        if path.suffix == ".part" or path.name.endswith(".part"):
            yield Finding(path.name, "odd", "was left behind when writing was cut short", "delete it")
        elif path.suffix == ".zip" and path.stem not in runs:
            yield Finding(path.name, "odd", "is a model that no run has", "add it on the page Train, or delete it")


def is_held(lock: Path) -> bool:
    """Whether some process holds the lock."""
    if not lock.exists():
        return False
    with lock.open("r") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False
