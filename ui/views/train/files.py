"""The Train page's choice of files besides corpora: those that fit the training data, and uploads.

The samples' files are preselected only for the samples; with other data nothing is preselected, and the page explains
what training does without a file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import streamlit as st

from engine.data.document import Document
from engine.store.resources import KINDS
from engine.store.workspace import CorpusInfo, Workspace
from engine.tasks.base import AnyTask
from ui.background import files, first
from ui.shell import cache, layout
from ui.tab.upload import Upload
from ui.views.train import words

GATHERED = "gathered"
"""The choice of a lexicon made from the training data."""


@dataclass(frozen=True)
class Chosen:
    """The contents of the form: ids of existing files, and uploaded files."""

    task: str
    train: tuple[CorpusInfo, ...] = ()
    ids: Mapping[str, Sequence[str]] = field(default_factory=dict)
    uploads: Mapping[str, Sequence[Upload]] = field(default_factory=dict)

    def paths(self, workspace: Workspace) -> dict[str, list[str]]:
        """Their paths, by kind; uploads are stored in the workspace. InputError if one cannot be stored."""
        ids = {
            kind: [self._made(workspace) if id == GATHERED else id for id in found] for kind, found in self.ids.items()
        }
        for kind, sent in self.uploads.items():
            kept = files.keep(workspace, kind, sent)
            # If the kind takes one file, the one just uploaded is used.
            ids[kind] = [*ids.get(kind, []), *kept] if KINDS[kind].several else kept
        return files.chosen(workspace, self.task, ids)

    def _made(self, workspace: Workspace) -> str:
        name = " and ".join(info.label for info in self.train)
        return files.gather(workspace, f"names in {name}", _documents(self.train))


def choose(task: AnyTask, train: Sequence[str]) -> Chosen:
    """Widgets for every kind of file that the system reads, for training on the corpora with these ids."""
    corpora = tuple(info for info in cache.corpora() if info.id in train)
    kinds = files.kinds_of(task)
    if not kinds:
        return Chosen(task.name, corpora)
    ids: dict[str, list[str]] = {}
    uploads: dict[str, list[Upload]] = {}
    with st.expander(f"Files: {', '.join(kinds)}", expanded=False):
        st.caption(words.FILES)
        for kind in kinds:
            left, right = st.columns(2)
            with left:
                ids[kind] = _there(task, kind, corpora)
            with right:
                uploads[kind] = _sent(task, kind)
    for kind in kinds:
        if not ids[kind] and not uploads[kind]:
            st.caption(task.without.get(kind, words.WITHOUT_ANY.format(kind=kind)))
        elif ids[kind] == [GATHERED] and not uploads[kind]:
            st.caption(words.FROM_GATHERED)
    return Chosen(task.name, corpora, ids, {kind: sent for kind, sent in uploads.items() if sent})


def _there(task: AnyTask, kind: str, corpora: Sequence[CorpusInfo]) -> list[str]:
    offers = files.offered(cache.workspace(), task.name, kind)
    refused = {id: why for id, offer in offers.items() if (why := _misfit(task, kind, offer.path, corpora)) is not None}
    labels = {id: offer.label for id, offer in offers.items() if id not in refused}
    on_samples = bool(corpora) and all(first.system_of(info) == task.name for info in corpora)
    chosen = [id for id in labels if offers[id].is_sample] if on_samples else []
    if kind in task.gathers and corpora:
        labels[GATHERED] = words.GATHERED
        chosen = chosen or [GATHERED]
    # Another key for other data, so that the choice for the samples is not kept.
    key = f"train.{task.name}.{kind}" + ("" if on_samples else f".{'+'.join(info.id for info in corpora)}")
    most = None if KINDS[kind].several else 1
    picked = st.multiselect(
        kind, list(labels), default=chosen, format_func=lambda id: labels[id], max_selections=most, key=key
    )
    for id, why in refused.items():
        st.text(layout.visible(f"Not offered: {offers[id].label}. {why}"))
    return picked


def _misfit(task: AnyTask, kind: str, path: Path, corpora: Sequence[CorpusInfo]) -> str | None:
    versions = tuple(cache.content(info) for info in corpora)
    changed = path.stat().st_mtime_ns if path.exists() else 0
    return _checked(str(cache.directory()), task.name, kind, str(path), changed, tuple(c.id for c in corpora), versions)


@st.cache_data(show_spinner=False, max_entries=256)
def _checked(
    directory: str, task: str, kind: str, path: str, changed: int, corpora: tuple[str, ...], versions: tuple[str, ...]
) -> str | None:
    documents = _documents([cache.known_corpus(id) for id in corpora])
    return files.misfit(cache.task(task), kind, Path(path), documents)


def _documents(corpora: Sequence[CorpusInfo]) -> list[Document]:
    return [document for info in corpora for document in cache.documents(info)]


def _sent(task: AnyTask, kind: str) -> list[Upload]:
    allowed = sorted({ending.rsplit(".", 1)[1] for ending in KINDS[kind].endings})
    key = f"train.{task.name}.{kind}.upload"
    return list(st.file_uploader(f"Upload {kind}", type=allowed, accept_multiple_files=True, key=key) or [])
