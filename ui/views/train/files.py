"""The Train page's choice of files besides corpora: by name, or uploaded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import streamlit as st

from engine.store.workspace import Workspace
from engine.tasks.base import AnyTask
from ui.background import files
from ui.shell import cache
from ui.shell.upload import Upload
from ui.views.train import words


@dataclass(frozen=True)
class Chosen:
    """What the form says: names of files that are there, and files that came with it."""

    task: str
    names: Mapping[str, Sequence[str]] = field(default_factory=dict)
    uploads: Mapping[str, Sequence[Upload]] = field(default_factory=dict)

    def paths(self, workspace: Workspace) -> dict[str, list[str]]:
        """Where they lie, by kind; uploads are kept in the workspace from now on. InputError where one cannot be."""
        names = {kind: list(found) for kind, found in self.names.items()}
        for kind, sent in self.uploads.items():
            kept = files.keep(workspace, kind, sent)
            # Of a kind that takes one file, what was just uploaded is meant.
            names[kind] = [*names.get(kind, []), *kept] if files.KINDS[kind].several else kept
        return files.chosen(workspace, self.task, names)


def choose(task: AnyTask) -> Chosen:
    """Widgets for every kind of file that the system reads."""
    kinds = files.kinds_of(task)
    if not kinds:
        return Chosen(task.name)
    names: dict[str, list[str]] = {}
    uploads: dict[str, list[Upload]] = {}
    with st.expander(f"Files: {', '.join(kinds)}", expanded=False):
        st.caption(words.FILES)
        for kind in kinds:
            left, right = st.columns(2)
            with left:
                names[kind] = _there(task, kind)
            with right:
                uploads[kind] = _sent(task, kind)
    return Chosen(task.name, names, {kind: sent for kind, sent in uploads.items() if sent})


def _there(task: AnyTask, kind: str) -> list[str]:
    there = list(files.offered(cache.workspace(), task.name, kind))
    samples = [name for name in there if name.startswith("sample ")]
    key = f"train.{task.name}.{kind}"
    most = None if files.KINDS[kind].several else 1
    return st.multiselect(kind, there, default=samples, max_selections=most, key=key)


def _sent(task: AnyTask, kind: str) -> list[Upload]:
    allowed = sorted({ending.rsplit(".", 1)[1] for ending in files.KINDS[kind].endings})
    key = f"train.{task.name}.{kind}.upload"
    return list(st.file_uploader(f"Upload {kind}", type=allowed, accept_multiple_files=True, key=key) or [])
