"""Backups: a workspace as one file, made while it is in use, and restored into another directory or database.

The file is a zip: `manifest.json`, a JSON-lines file per table, and the files of the workspace (models, the inputs of
trainings, uploads). Tables are read in one transaction, so they are consistent; files are written atomically, so each
is complete. Making a backup includes reading it back.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

import sqlalchemy as sa

from engine.corpora.io import files
from engine.data.errors import InputError
from engine.store import database, migrations
from engine.store.tables import now
from engine.store.workspace import Workspace

FORMAT: Final = 1
MANIFEST: Final = "manifest.json"
FOLDERS: Final = ("models", "jobs", "files")
"""The folders of a workspace's directory that are backed up besides the database."""
_SAFE: Final = re.compile(r"(models|jobs|files)(/[^/\\\x00]{1,255})+")


@dataclass(frozen=True)
class Contents:
    """The contents of a backup."""

    created: str
    schema: str
    rows: dict[str, int]
    files: dict[str, str]
    """Name -> SHA-256."""


def write(workspace: Workspace, path: Path) -> Contents:
    """Back up the workspace to a new file."""
    path = Path(path)
    if path.exists():
        raise InputError("exists already; name a new file", file=path)
    with files.FileBatch() as batch, zipfile.ZipFile(batch.create(path), "w", zipfile.ZIP_DEFLATED) as archive:
        rows = _write_tables(workspace, archive)
        hashes = dict(_write_files(workspace.directory, archive))
        made = Contents(now(), migrations.HEAD, rows, hashes)
        archive.writestr(MANIFEST, json.dumps({"format": FORMAT, **made.__dict__}, indent=1))
    check(path)
    return made


def check(path: Path) -> Contents:
    """Read a whole backup; InputError if anything is missing or damaged."""
    with _opened(path) as archive:
        contents = _contents(archive)
        for table, expected in contents.rows.items():
            found = sum(1 for _ in _rows(archive, table))
            if found != expected:
                raise InputError(f"table {table} has {found} rows, {expected} were written", file=path)
        for name, digest in contents.files.items():
            with archive.open(name) as content:
                if _sha(content) != digest:
                    raise InputError(f"{name} is not what was written", file=path)
    return contents


def restore(path: Path, directory: Path, url: str | None = None) -> Contents:
    """Restore a backup into a new or empty directory, and into its database or an empty one at `url`."""
    contents = check(path)
    with files.new_folder(Path(directory)) as folder, _opened(path) as archive:
        workspace = Workspace.open(folder, url)
        try:
            _fill(workspace, archive, contents)
        finally:
            workspace.close()
        for name in contents.files:
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(name) as source, target.open("wb") as file:
                shutil.copyfileobj(source, file)
    return contents


def _write_tables(workspace: Workspace, archive: zipfile.ZipFile) -> dict[str, int]:
    counts: dict[str, int] = {}
    with database.snapshot(workspace._engine) as connection:
        for table in database.metadata.sorted_tables:
            with archive.open(f"tables/{table.name}.jsonl", "w", force_zip64=True) as file:
                counts[table.name] = 0
                for row in connection.execute(sa.select(table).order_by(*table.primary_key)):
                    file.write(json.dumps(dict(row._mapping)).encode() + b"\n")
                    counts[table.name] += 1
    return counts


def _write_files(directory: Path, archive: zipfile.ZipFile) -> Iterator[tuple[str, str]]:
    for folder in FOLDERS:
        for path in sorted((directory / folder).rglob("*")):
            if (
                not path.is_file()
                or path.is_symlink()
                or path.name.startswith(".")
                or path.suffix in (".lock", ".part")
            ):
                continue
            name = path.relative_to(directory).as_posix()
            try:
                content = path.read_bytes()
            except FileNotFoundError:
                # Removed since it was listed, together with its run.
                continue
            archive.writestr(name, content)
            yield name, hashlib.sha256(content).hexdigest()


def _fill(workspace: Workspace, archive: zipfile.ZipFile, contents: Contents) -> None:
    with database.transaction(workspace._engine) as connection:
        for table in database.metadata.sorted_tables:
            if connection.execute(sa.select(sa.func.count()).select_from(table)).scalar():
                raise InputError(f"the database to restore into is not empty: it has rows in {table.name}")
            for row in _rows(archive, table.name) if table.name in contents.rows else ():
                connection.execute(table.insert().values(**row))
        database.continue_numbers(connection)


def _rows(archive: zipfile.ZipFile, table: str) -> Iterator[dict[str, Any]]:
    with archive.open(f"tables/{table}.jsonl") as file:
        for line in file:
            row = json.loads(line)
            if not isinstance(row, dict):
                raise InputError(f"table {table} holds something that is not a row")
            yield row


def _contents(archive: zipfile.ZipFile) -> Contents:
    told = json.loads(archive.read(MANIFEST))
    if told["format"] != FORMAT or not migrations.is_known(told["schema"]):
        raise InputError(
            f"was made by a newer version of Espalier (format {told['format']}, schema {told['schema']}); upgrade first"
        )
    strange = [name for name in told["files"] if not _SAFE.fullmatch(name) or ".." in name.split("/")]
    if strange:
        raise InputError(f"names a file that is not part of a workspace: {strange[0][:80]!r}")
    known = {table.name for table in database.metadata.sorted_tables}
    return Contents(
        told["created"], told["schema"], {k: v for k, v in told["rows"].items() if k in known}, told["files"]
    )


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except InputError as error:
        raise error.at(path) from None
    except FileNotFoundError:
        raise InputError("there is no such file", file=path) from None
    except (zipfile.BadZipFile, zlib.error, KeyError, ValueError, TypeError, EOFError, RuntimeError) as error:
        raise InputError(f"is not a sound backup ({error})", file=path) from error


def _sha(content: IO[bytes]) -> str:
    digest = hashlib.sha256()
    while piece := content.read(1 << 20):
        digest.update(piece)
    return digest.hexdigest()
