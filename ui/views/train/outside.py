"""Train, Add outside scores: what another program weighed for a corpus becomes a run that all pages offer."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import streamlit as st

from engine import corpora
from engine.corpora.answers import matched
from engine.corpora.io import files
from engine.corpora.io.archives import MOST_BYTES
from engine.corpora.scores.calibration import METHODS, Method, fit
from engine.corpora.scores.importers import IMPORTERS, import_file
from engine.corpora.scores.importers.reading import Asked
from engine.corpora.scores.records import stream
from engine.corpora.scores.scales import SCALES, Scale
from engine.data.document import Document
from engine.data.errors import InputError
from engine.metrics.differences import decisions
from engine.store.runs import LONGEST_NAME
from engine.store.workspace import Workspace
from engine.tasks.base import AnyModel, AnyTask
from engine.tasks.outside.brought import OUTSIDE
from engine.tasks.outside.records import UNTOLD, consistent_records
from engine.tasks.outside.run import answers_model, caveat, outside_model
from engine.tasks.saving import save_model
from ui.shell import cache, layout, naming
from ui.tab import download, pages, session, upload
from ui.tab.upload import Upload
from ui.views.train import words

RECORDS: Final = "Records of scores"
"""What our own format is called beside the names of programs."""
ANSWERS: Final = "Answers without scores"
"""What a file in any format of corpora is called."""


@dataclass(frozen=True)
class Offered:
    """Scores that were read for a corpus and can become a run."""

    model: AnyModel
    file: str
    told: str
    """The report of the check, in one sentence."""
    calibration: str = ""
    """How the scores were calibrated; empty where they are as they came."""


def programs(task: AnyTask) -> list[str]:
    """Whose files can be read for a system; those that need more than the corpus are for the command line."""
    known = (name for name, one in IMPORTERS.items() if task.name in one.module.FOR)
    wanted = ("", "the documents", "the bags")
    return [RECORDS, ANSWERS, *(name for name in known if IMPORTERS[name].module.WANTS in wanted)]


def check(
    task: AnyTask,
    path: Path,
    documents: Sequence[Document],
    program: str,
    method: Method | None = None,
    asked: Asked | None = None,
) -> Offered:
    """Read a file of scores for the documents of a corpus, and calibrate them on it by the method where one is chosen;
    InputError says what is wrong with it. `asked`: what the program's files leave open."""
    _check_size(path)
    name = path.name
    if program != RECORDS:
        data, made = path.with_name("the data.jsonl"), path.with_name("the scores.jsonl")
        corpora.write(documents, data, "jsonl")
        corpora.write(import_file(program, path, replace(asked or Asked(), data=[data])), made, "jsonl")
        path = made
    calibration = ""
    if method is not None:
        path, calibration = _calibrated(path, documents, method)
    model = outside_model(task, path, documents)
    calibrated = f"Calibrated on this corpus: {calibration}." if calibration else ""
    told = " ".join(filter(None, [_told(path, documents), caveat(model), calibrated]))
    return Offered(model, name, told, calibration)


def _calibrated(path: Path, documents: Sequence[Document], method: Method) -> tuple[Path, str]:
    known = {document.id: document for document in documents}
    records = (one for one in consistent_records(path, known) if one.document.id in known)
    found = fit(method, ((one, known[one.document.id]) for one in records))
    made = path.with_name("calibrated scores.jsonl")
    corpora.write((found.applied(one) for one in consistent_records(path, known)), made, "jsonl")
    return made, found.told()


def check_answers(task: AnyTask, uploads: Sequence[Upload], documents: Sequence[Document]) -> Offered:
    """Read answers without scores for the documents of a corpus, as `evaluate --predictions` does."""
    reading = upload.read(uploads)
    name = uploads[0].name
    if reading.fault is not None:
        raise InputError(reading.fault.sentence)
    layers = matched(documents, reading.documents, file=Path(name))
    n_decisions = sum(len(decisions(layer, task.decides)) for layer in layers)
    told = words.OUTSIDE_ANSWERS.format(
        documents=layout.counted(len(layers), "document"),
        decisions=layout.counted(n_decisions, "decision"),
        untold=UNTOLD,
    )
    return Offered(answers_model(task, documents, layers), name, told)


def add(workspace: Workspace, task: AnyTask, offered: Offered, *, corpus: str, name: str) -> str:
    """Make a run of scores that were checked; the run's id."""
    about = {"name": name, "file": offered.file, "calibration": offered.calibration or "none"}
    run = workspace.start_run(task.name, OUTSIDE, about, dev=corpus)
    save_model(task, offered.model, workspace.model_path(run))
    workspace.set_data_hash(run, offered.model.data_hash)
    workspace.finish_run(run, "done", bias=offered.model.bias)
    workspace.describe_run(run, name=(name or offered.file)[:LONGEST_NAME], note="", starred=False)
    return run


def show(task: AnyTask) -> None:
    """Upload, look at what was read, and add it."""
    with st.expander(words.OUTSIDE):
        st.caption(words.OUTSIDE_HELP)
        fitting = [info for info in cache.corpora() if cache.fits(info, task.name) != "no"]
        if task.exchange is None or not fitting:
            st.caption(words.OUTSIDE_NO_CORPUS)
            return
        labels = naming.corpus_labels(fitting)
        corpus = st.selectbox("Corpus", list(labels), format_func=lambda id: labels[id], key="train.outside.corpus")
        program = st.selectbox("Written by", programs(task), key="train.outside.program")
        asked = _ask(program)
        sent = st.file_uploader("File", accept_multiple_files=True, key="train.outside.file")
        method = None
        if program != ANSWERS:
            method = st.selectbox(
                "Calibrate on this corpus",
                [None, *METHODS],
                format_func=lambda one: words.CALIBRATIONS[one],
                help=words.CALIBRATE_HELP,
                key="train.outside.calibrate",
            )
        label = st.text_input("Name", max_chars=80, key="train.outside.name", placeholder=words.OUTSIDE_NAME)
        if not sent or corpus is None:
            return
        this = (task.name, corpus, program, method, label.strip(), *((one.name, len(one.getvalue())) for one in sent))
        if session.value("train.outside.added") == this:
            _added(task, str(session.get("job")), corpus)
            return
        info = next(one for one in fitting if one.id == corpus)
        try:
            with st.spinner("Reading …"):
                offered = _read(task, sent, cache.documents(info), program, method, asked)
        except InputError as error:
            layout.failure(words.OUTSIDE_REFUSED, str(error))
            return
        st.text(layout.visible(offered.told))
        if st.button("Add the scores", key="train.outside.add", type="primary"):
            session.put("job", add(cache.workspace(), task, offered, corpus=corpus, name=label.strip()))
            session.keep("train.outside.added", this)
            st.rerun()


def _added(task: AnyTask, run: str, corpus: str) -> None:
    """In the place of the button: what was sent is a run now, and where to look at it."""
    st.success(words.OUTSIDE_ADDED, icon=":material/check:")
    with st.container(horizontal=True):
        for page, label in (
            (task.name, "See it"),
            ("tune", "Tune it"),
            ("errors", "Its errors"),
            ("compare", "Compare"),
        ):
            if pages.exists(page):
                layout.link_to(page, label, run=run, corpus=corpus)


def _ask(program: str) -> Asked:
    """What the files of a program leave open."""
    asks = IMPORTERS[program].module.ASKS if program in IMPORTERS else ()
    asked = Asked()
    if "scale" in asks:
        names: dict[Scale | None, str] = {None: words.OWN_SCALE, **{scale: scale for scale in SCALES}}
        asked.scale = st.selectbox(
            "Scale", list(names), format_func=lambda one: names[one], help=words.SCALE_HELP, key="train.outside.scale"
        )
    if "null" in asks:
        asked.null = st.selectbox(
            "Column of no antecedent",
            list(words.NULL_COLUMNS),
            format_func=lambda one: words.NULL_COLUMNS[one],
            key="train.outside.null",
        )
    return asked


def _read(
    task: AnyTask,
    sent: Sequence[Upload],
    documents: Sequence[Document],
    program: str,
    method: Method | None,
    asked: Asked,
) -> Offered:
    """What was sent, read for the documents; no message names the folder it was read in."""
    if program == ANSWERS:
        return check_answers(task, sent, documents)
    if len(sent) > 1:
        raise InputError("scores are one file; send one at a time")
    with tempfile.TemporaryDirectory(prefix="espalier-scores-") as folder:
        path = Path(folder) / download.stem(sent[0].name)
        path.write_bytes(sent[0].getvalue())
        try:
            return check(task, path, documents, program, method, asked)
        except InputError as error:
            raise InputError(str(error).replace(f"{folder}/", "")) from None


def _check_size(path: Path) -> None:
    left = MOST_BYTES
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as packed:
            left -= sum(item.file_size for item in packed.infolist())
    with files.opened(path) as content:
        while left >= 0 and (block := content.read(1 << 20)):
            left -= len(block)
    if left < 0:
        raise InputError(f"holds more than {MOST_BYTES >> 20} MB when unpacked; use the command line", file=path)


def _told(path: Path, documents: Sequence[Document]) -> str:
    known = {document.id: document for document in documents}
    read = parts = 0
    scale = alternatives = ""
    for record in stream(path, known):
        read, parts = read + 1, parts + len(record.parts)
        scale, alternatives = record.scale, record.alternatives
    return (
        f"{layout.counted(read, 'document')}, {layout.counted(parts, 'part')}; {scale}, alternatives: {alternatives}."
    )
