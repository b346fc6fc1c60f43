"""Files that a training uses besides corpora: lexicons, vectors, gazetteers, constraints. They are chosen by name.

A name stands for a file of the samples, for one in the directory that the administrator names in `ESPALIER_FILES`
(a folder per kind: `lexicon`, `vectors`, `gazetteers`, `constraints`), or for one that a visitor uploaded, which lies
in the workspace. No visitor ever names a path of the server.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from engine.corpora.io.files import WHOLE_LIMIT
from engine.data.errors import InputError
from engine.store.tables import free_name
from engine.store.workspace import Workspace
from engine.tasks.base import AnyTask
from ui.background import first
from ui.shell.upload import Upload

ADMINISTRATORS: Final = "ESPALIER_FILES"
"""The environment variable that names the administrator's directory."""

_LONGEST_NAME: Final = 100


class Kind(NamedTuple):
    """What may be chosen for one kind of file, and what may be uploaded."""

    several: bool
    endings: tuple[str, ...]


KINDS: Final[Mapping[str, Kind]] = {
    "lexicon": Kind(True, (".jsonl", ".jsonl.gz", ".tsv", ".tsv.gz")),
    "vectors": Kind(False, (".txt", ".txt.gz", ".bin", ".bin.gz")),
    "gazetteers": Kind(True, (".txt",)),
    "constraints": Kind(False, (".toml",)),
}


def kinds_of(task: AnyTask) -> list[str]:
    return [kind for kind in KINDS if kind in task.reads]


def offered(workspace: Workspace, task: str, kind: str) -> dict[str, Path]:
    """Name -> file or folder: the samples' first, then the administrator's, then what was uploaded."""
    found = {f"sample {Path(path).name}": Path(path) for path in first.sample_resources(task).get(kind, [])}
    named = os.environ.get(ADMINISTRATORS)
    if named:
        found |= {path.name: path for path in _inside(Path(named) / kind)}
    return found | {f"uploaded {path.name}": path for path in _inside(_uploads(workspace, kind))}


def chosen(workspace: Workspace, task: str, names: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """The paths behind chosen names, by kind; a name that is not offered is refused."""
    found: dict[str, list[str]] = {}
    for kind, wanted in names.items():
        there = offered(workspace, task, kind) if kind in KINDS else {}
        for name in wanted:
            if name not in there:
                raise InputError(f"there is no file {name!r} to choose for {kind}")
            found.setdefault(kind, []).append(str(there[name]))
    return found


def keep(workspace: Workspace, kind: str, uploads: Sequence[Upload]) -> list[str]:
    """Put uploaded files where trainings find them; the names they are offered under.

    A file that is there already, byte for byte, is not kept twice.
    """
    folder = _uploads(workspace, kind)
    names = []
    for upload in uploads:
        content = upload.getvalue()
        name = _plain(upload.name)
        if not name.lower().endswith(KINDS[kind].endings):
            raise InputError(f"a file for {kind} ends in {', '.join(KINDS[kind].endings)}", file=upload.name)
        if len(content) > WHOLE_LIMIT:
            raise InputError(f"is larger than {WHOLE_LIMIT >> 20} MB", file=upload.name)
        folder.mkdir(parents=True, exist_ok=True)
        there = {path.name: path for path in folder.iterdir()}
        if name not in there or there[name].read_bytes() != content:
            # The number stands before the ending, which says what the file holds.
            stem, dot, ending = name.partition(".")
            name = free_name(stem, {path.split(".")[0] for path in there}) + dot + ending
            scratch = folder / f".{name}.part"
            scratch.write_bytes(content)
            scratch.replace(folder / name)
        names.append(f"uploaded {name}")
    return names


def is_allowed(workspace: Path, path: str) -> bool:
    """Whether a model that a visitor brings may open this path of the server: only what could be chosen anyway."""
    places = [workspace / "files", first.SAMPLES]
    named = os.environ.get(ADMINISTRATORS)
    if named:
        places.append(Path(named))
    return any(Path(path).resolve().is_relative_to(place.resolve()) for place in places)


def _uploads(workspace: Workspace, kind: str) -> Path:
    return workspace.directory / "files" / kind


def _inside(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if not path.name.startswith(".")) if folder.is_dir() else []


def _plain(name: str) -> str:
    """The last part of a file's name, with nothing in it that means something to a file system."""
    last = re.split(r"[/\\]", name)[-1]
    stem, dot, ending = last.partition(".")
    safe = re.sub(r"[^\w-]+", "-", stem).strip("-")[:_LONGEST_NAME] or "upload"
    return safe + dot + re.sub(r"[^A-Za-z0-9.]+", "", ending)[:_LONGEST_NAME]
