"""Files for training besides corpora: lexicons, vectors, gazetteers, constraints. They are chosen by name.

A name refers to a file of the samples, to one in the directory that the administrator sets in `ESPALIER_FILES` (a
folder per kind: `lexicon`, `vectors`, `gazetteers`, `constraints`), or to an uploaded one in the workspace. Visitors
can never name a path on the server.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from engine.data.document import Document
from engine.data.errors import InputError
from engine.lexicon.gathering import gathered
from engine.store.resources import KINDS
from engine.store.tables import free_label
from engine.store.workspace import Workspace
from engine.tasks.base import AnyTask
from ui.background import first
from ui.tab.upload import Upload

ADMINISTRATORS: Final = "ESPALIER_FILES"
"""The environment variable that names the administrator's directory."""


@dataclass(frozen=True)
class Offer:
    """One file or folder that can be chosen: identified by its id, displayed by its label."""

    id: str
    label: str
    path: Path

    @property
    def is_sample(self) -> bool:
        return self.id.startswith("sample:")


def kinds_of(task: AnyTask) -> list[str]:
    return [kind for kind in KINDS if kind in task.reads]


def offered(workspace: Workspace, task: str, kind: str) -> dict[str, Offer]:
    """Id -> file or folder: first the samples', then the administrator's, then uploads. Labels are unique, because a
    select box in the browser distinguishes its options by them."""
    found: dict[str, Offer] = {}
    taken: set[str] = set()
    for id, wanted, path in _there(workspace, task, kind):
        label = free_label(wanted, taken.__contains__)
        taken.add(label)
        found[id] = Offer(id, label, path)
    return found


def _there(workspace: Workspace, task: str, kind: str) -> Iterator[tuple[str, str, Path]]:
    for path in map(Path, first.sample_resources(task).get(kind, [])):
        yield f"sample:{path.name}", f"sample {path.name}", path
    named = os.environ.get(ADMINISTRATORS)
    for path in _inside(Path(named) / kind) if named else []:
        yield f"shared:{path.name}", path.name, path
    # In earlier versions, files without names were in the folder itself; they are still offered.
    for path in _inside(workspace.directory / "files" / kind):
        if path.is_file():
            yield f"former:{path.name}", f"uploaded {path.name}", path
    for info in workspace.resources(kind):
        yield info.id, info.name, workspace.resource_path(info)


def misfit(task: AnyTask, kind: str, path: Path, documents: Sequence[Document]) -> str | None:
    """Why training on these documents could not use this file; None if it could."""
    try:
        task.check_file(kind, path, documents)
    except InputError as error:
        return error.what
    return None


def chosen(workspace: Workspace, task: str, ids: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """The paths behind chosen ids, by kind; one that is not offered is refused."""
    found: dict[str, list[str]] = {}
    for kind, wanted in ids.items():
        there = offered(workspace, task, kind) if kind in KINDS else {}
        for id in wanted:
            if id not in there:
                raise InputError(f"there is no file {id!r} to choose for {kind}")
            found.setdefault(kind, []).append(str(there[id].path))
    return found


def keep(workspace: Workspace, kind: str, uploads: Sequence[Upload]) -> list[str]:
    """Store uploaded files for trainings; returns their ids."""
    return [workspace.add_resource(kind, upload.name, upload.getvalue()) for upload in uploads]


def gather(workspace: Workspace, name: str, documents: Sequence[Document]) -> str:
    """Make and store a lexicon from the links in these documents; returns its id."""
    content = gathered(documents).encode()
    if not content:
        raise InputError("no mention of these documents is linked, so no lexicon can be made of them")
    return workspace.add_resource("lexicon", "gathered.jsonl", content, name=name)


def is_allowed(workspace: Path, path: str) -> bool:
    """Whether an uploaded model may open this path on the server: only files that could be chosen anyway."""
    places = [workspace / "files", first.SAMPLES]
    named = os.environ.get(ADMINISTRATORS)
    if named:
        places.append(Path(named))
    return any(Path(path).resolve().is_relative_to(place.resolve()) for place in places)


def _inside(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if not path.name.startswith(".")) if folder.is_dir() else []
