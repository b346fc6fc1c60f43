"""Files that a training uses besides corpora (lexicons, vectors, gazetteers, constraints), uploaded once and named.

A file is stored in the workspace under the hash of its content, so the same bytes are kept once and a name always
refers to the bytes it was given to.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

import sqlalchemy as sa

from engine.corpora.io.files import WHOLE_LIMIT
from engine.data.errors import InputError
from engine.store import database
from engine.store.tables import StoredTables, free_label, free_name, now, slug, storable

MOST_IN_ALL: Final = 8 << 30
"""Maximum total size of all files of a workspace, in bytes."""

_LONGEST_NAME: Final = 100


class Kind(NamedTuple):
    """The rules of one kind of file: whether several may be chosen, and which files may be uploaded."""

    several: bool
    endings: tuple[str, ...]
    about: str


KINDS: Final[Mapping[str, Kind]] = {
    "lexicon": Kind(
        True,
        (".jsonl", ".jsonl.gz", ".tsv", ".tsv.gz"),
        "names and the entities they may mean, and what is known of the entities",
    ),
    "vectors": Kind(True, (".txt", ".txt.gz", ".bin", ".bin.gz"), "a vector for every entity, as word2vec writes them"),
    "gazetteers": Kind(True, (".txt",), "lists of names, one on a line; the file's name is the name of the list"),
    "constraints": Kind(False, (".toml",), "which types and relations go together"),
}


@dataclass(frozen=True)
class ResourceInfo:
    id: str
    kind: str
    name: str
    file: str
    """The original name of the file, from which readers recognise its contents."""
    hash: str
    size: int
    created: str


class StoredResources(StoredTables):
    """The files of a workspace."""

    def resources(self, kind: str | None = None) -> list[ResourceInfo]:
        table = database.resources
        query = sa.select(table).order_by(table.c.created)
        with self._engine.connect() as connection:
            found = [ResourceInfo(**row._mapping) for row in connection.execute(query)]
        return [info for info in found if kind in (None, info.kind)]

    def resource(self, id: str) -> ResourceInfo:
        for info in self.resources():
            if info.id == id:
                return info
        raise InputError(f"the workspace has no file {id!r}")

    def resource_path(self, info: ResourceInfo) -> Path:
        return self._folder(info.kind, info.hash) / info.file

    def add_resource(self, kind: str, file: str, content: bytes, *, name: str = "") -> str:
        """Store a file under a name that is unique among its kind; returns its id. A file that already exists, byte for
        byte and under the same file name, is not stored twice."""
        if kind not in KINDS:
            raise InputError(f"there is no kind of file {kind!r}; choose from {', '.join(KINDS)}")
        safe = plain(file)
        if not safe.lower().endswith(KINDS[kind].endings):
            raise InputError(f"a file for {kind} ends in {', '.join(KINDS[kind].endings)}", file=file)
        if not content:
            raise InputError("the file is empty", file=file)
        if len(content) > WHOLE_LIMIT:
            raise InputError(f"is larger than {WHOLE_LIMIT >> 20} MB", file=file)
        digest = hashlib.sha256(content).hexdigest()
        there = self.resources()
        same = [info for info in there if (info.kind, info.hash, info.file) == (kind, digest, safe)]
        if same:
            return same[0].id
        if sum(info.size for info in there) + len(content) > MOST_IN_ALL:
            raise InputError(f"the files of this workspace would take more than {MOST_IN_ALL >> 30} GB; remove some")
        self._write(kind, digest, safe, content)
        wanted = " ".join(storable(name, "the name").split()) or safe.split(".")[0]
        with database.transaction(self._engine) as connection:
            table = database.resources
            taken = connection.execute(sa.select(table.c.id, table.c.kind, table.c.name)).all()
            id = free_name(slug(f"{kind} {wanted}", kind), {row.id for row in taken})
            names = {row.name for row in taken if row.kind == kind}
            label = free_label(wanted, names.__contains__)
            values = {"kind": kind, "name": label, "file": safe, "hash": digest, "size": len(content)}
            connection.execute(table.insert().values(id=id, created=now(), **values))
        return id

    def remove_resource(self, id: str) -> None:
        """Remove a file; its bytes are deleted with the last name that refers to them."""
        info = self.resource(id)
        with database.transaction(self._engine) as connection:
            connection.execute(database.resources.delete().where(database.resources.c.id == id))
        if not any((other.kind, other.hash) == (info.kind, info.hash) for other in self.resources()):
            shutil.rmtree(self._folder(info.kind, info.hash), ignore_errors=True)

    def _folder(self, kind: str, digest: str) -> Path:
        return self.directory / "files" / kind / digest

    def _write(self, kind: str, digest: str, file: str, content: bytes) -> None:
        folder = self._folder(kind, digest)
        folder.mkdir(parents=True, exist_ok=True)
        scratch = folder / f".{file}.part"
        scratch.write_bytes(content)
        scratch.replace(folder / file)


def plain(name: str) -> str:
    """The last part of a file's name, without characters that have a meaning for a file system."""
    last = re.split(r"[/\\]", name)[-1]
    stem, dot, ending = last.partition(".")
    safe = re.sub(r"[^\w-]+", "-", stem).strip("-")[:_LONGEST_NAME] or "upload"
    return safe + dot + re.sub(r"[^A-Za-z0-9.]+", "", ending)[:_LONGEST_NAME]
