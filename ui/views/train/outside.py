"""Train, Add outside scores: what another program weighed for a corpus becomes a run that all pages offer."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import streamlit as st

from engine import corpora
from engine.corpora.io import files
from engine.corpora.scores.importers import IMPORTERS, import_file
from engine.corpora.scores.importers.reading import Asked
from engine.corpora.scores.records import stream
from engine.corpora.scores.scales import comparable
from engine.data.document import Document
from engine.data.errors import InputError
from engine.store.workspace import Workspace
from engine.tasks.base import AnyModel, AnyTask, save_model
from engine.tasks.outside_run import OUTSIDE, outside_model
from ui.shell import cache, download, layout, session, sidebar
from ui.shell.upload import MOST_BYTES
from ui.views.train import words

RECORDS: Final = "Records of scores"
"""What our own format is called beside the names of programs."""


@dataclass(frozen=True)
class Offered:
    """Scores that were read for a corpus and can become a run."""

    model: AnyModel
    file: str
    told: str
    """The report of the check, in one sentence."""


def programs(task: AnyTask) -> list[str]:
    """Whose files can be read for a system; those that need more than the corpus are for the command line."""
    known = (name for name, one in IMPORTERS.items() if task.name in one.module.FOR)
    return [RECORDS, *(name for name in known if IMPORTERS[name].module.WANTS in ("", "the documents", "the bags"))]


def check(task: AnyTask, path: Path, documents: Sequence[Document], program: str) -> Offered:
    """Read a file of scores for the documents of a corpus; InputError says what is wrong with it."""
    _check_size(path)
    name = path.name
    if program != RECORDS:
        data, made = path.with_name("the data.jsonl"), path.with_name("the scores.jsonl")
        corpora.write(documents, data, "jsonl")
        corpora.write(import_file(program, path, Asked([data])), made, "jsonl")
        path = made
    model = outside_model(task, path, documents)
    return Offered(model, name, _told(path, documents))


def add(workspace: Workspace, task: AnyTask, offered: Offered, *, corpus: str, name: str) -> str:
    """Make a run of scores that were checked; the run's id."""
    run = workspace.start_run(task.name, OUTSIDE, {"name": name, "file": offered.file}, dev=corpus)
    save_model(task, offered.model, workspace.model_path(run))
    workspace.set_data_hash(run, offered.model.data_hash)
    workspace.finish_run(run, "done", bias=offered.model.bias, message=name or offered.file)
    return run


def show(task: AnyTask) -> None:
    """Upload, look at what was read, and add it."""
    with st.expander(words.OUTSIDE):
        st.caption(words.OUTSIDE_HELP)
        fitting = [info for info in cache.corpora() if cache.fits(info, task.name) != "no"]
        if task.exchange is None or not fitting:
            st.caption(words.OUTSIDE_NO_CORPUS)
            return
        names = sidebar.corpus_labels(fitting)
        corpus = st.selectbox("Corpus", list(names), format_func=lambda id: names[id], key="train.outside.corpus")
        program = st.selectbox("Written by", programs(task), key="train.outside.program")
        uploaded = st.file_uploader("Scores", type=["jsonl", "gz", "json", "tsv"], key="train.outside.file")
        label = st.text_input("Name", max_chars=80, key="train.outside.name", placeholder=words.OUTSIDE_NAME)
        if uploaded is None or corpus is None:
            return
        info = next(one for one in fitting if one.id == corpus)
        with tempfile.TemporaryDirectory(prefix="espalier-scores-") as folder:
            path = Path(folder) / download.stem(uploaded.name)
            path.write_bytes(uploaded.getvalue())
            try:
                with st.spinner("Reading the scores …"):
                    offered = check(task, path, cache.documents(info), program)
            except InputError as error:
                st.error(words.OUTSIDE_REFUSED, icon=":material/error:")
                st.text(layout.visible(str(error).replace(folder, "").lstrip("/")))
                return
        st.text(layout.visible(offered.told))
        if st.button("Add the scores", key="train.outside.add", type="primary"):
            session.put("job", add(cache.workspace(), task, offered, corpus=corpus, name=label.strip()))
            st.rerun()


def _check_size(path: Path) -> None:
    with files.opened(path) as content:
        left = MOST_BYTES
        while left >= 0 and (block := content.read(1 << 20)):
            left -= len(block)
    if left < 0:
        raise InputError(f"holds more than {MOST_BYTES >> 20} MB when unpacked; use the command line", file=path)


def _told(path: Path, documents: Sequence[Document]) -> str:
    known = {document.id: document for document in documents}
    read = parts = 0
    notes: list[str] = []
    scale = alternatives = ""
    for record in stream(path, known):
        read, parts = read + 1, parts + len(record.parts)
        scale, alternatives = record.scale, record.alternatives
        note = comparable(record.scale, declining=record.declines) if record.parts else ""
        if note and note not in notes:
            notes.append(note)
    told = (
        f"{layout.counted(read, 'document')}, {layout.counted(parts, 'part')}; {scale}, alternatives: {alternatives}."
    )
    return " ".join([told, *(f"{note[:1].upper()}{note[1:]}." for note in notes)])
