"""What pages look at, loaded once: the workspace, documents, models, curves, predictions.

Everything is cached by id and version (never by content: large arguments are hashed from a sample), shared by all
visitors, and therefore never changed in place.
"""

from __future__ import annotations

import gc
import os
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import streamlit as st

from engine.data.document import GOLD, Document, Layer
from engine.data.edits import Comment, DoubtGold, MarkDone, Reject
from engine.data.errors import InputError
from engine.store.workspace import CorpusInfo, RunInfo, Workspace
from engine.tasks.base import AnyModel, AnyTask, Report
from engine.tasks.capabilities import NamesLabels
from engine.tasks.outside.run import has_scores
from engine.tasks.registry import get, names
from engine.tasks.saving import load_model
from engine.tasks.scored import Scored
from engine.tuning.curve import Curve
from engine.tuning.guard import TEST, Closed
from engine.workbench import honesty
from engine.workbench.leading import first_of

MOST_CURVES: Final = 32
PATIENCE: float = 0.5
"""Seconds after a curve was first asked for in which pages wait for it before they show everything else."""


CURVES_WAIT: Final = 5
"""The priority of curves: after pages and browsers, before training."""


def directory() -> Path:
    return Path(os.environ.get("ESPALIER_WORKSPACE") or "workspace").resolve()


@st.cache_resource(show_spinner=False)
def _workspace(directory: str, url: str) -> Workspace:
    return Workspace.open(Path(directory))


def workspace() -> Workspace:
    return _workspace(str(directory()), os.environ.get("ESPALIER_DATABASE_URL", ""))


def is_remote() -> bool:
    """Whether the tables are in a database server instead of the workspace's directory."""
    return bool(os.environ.get("ESPALIER_DATABASE_URL"))


def set_aside() -> Path:
    """Keep the damaged database under another name and start a fresh one."""
    _workspace.clear()
    return Workspace.set_aside(directory())


def tasks() -> list[str]:
    """Registered systems, in the order of the navigation."""
    return list(names())


def task(name: str) -> AnyTask:
    return get(name)


def corpora() -> list[CorpusInfo]:
    return workspace().corpora()


def corpus(id: str | None) -> CorpusInfo | None:
    return next((info for info in corpora() if info.id == id), None)


def known_corpus(id: str) -> CorpusInfo:
    """A corpus that was there when its id was looked up; somebody may have removed it since."""
    found = corpus(id)
    if found is None:
        raise InputError(f"the workspace has no corpus {id!r}")
    return found


@st.cache_resource(show_spinner="Reading the corpus …", max_entries=16)
def _original(directory: str, corpus: str, hash: str) -> tuple[Document, ...]:
    loaded = tuple(workspace().documents(corpus))
    # Documents hold no cycles: the collector need not walk through all of them again and again while pages compute.
    gc.collect()
    gc.freeze()
    return loaded


def original_documents(info: CorpusInfo) -> tuple[Document, ...]:
    """The documents as they were added, before any edit."""
    return _original(str(directory()), info.id, info.hash)


@st.cache_resource(show_spinner="Reading the corpus …", max_entries=16)
def _documents(directory: str, corpus: str, hash: str) -> tuple[Document, ...]:
    # The originals are read once: after an edit only what was edited is made again.
    return tuple(workspace().gold_documents(corpus, originals=_original(directory, corpus, hash.split("-")[0])))


def documents(info: CorpusInfo) -> tuple[Document, ...]:
    """The documents with gold as it stands now, edits included."""
    return _documents(str(directory()), info.id, content(info))


def fault_of(info: CorpusInfo) -> str | None:
    """Why the corpus cannot be read; None where it can."""
    try:
        documents(info)
    except InputError as error:
        return str(error)
    return None


def content(info: CorpusInfo) -> str:
    """Changes whenever the corpus or its gold does: what caches of anything scored are keyed by."""
    return f"{info.hash}-{_gold_version(str(directory()), info.id, workspace().edit_version(info.id))}"


@st.cache_resource(show_spinner=False, max_entries=64)
def _gold_version(directory: str, corpus: str, version: int) -> int:
    """The latest edit that changed gold; 0 where none did. Notes, doubts, "done" and what people write on their own
    layers are no reason to compute anything again."""
    rows = {row.number: row for row in workspace().annotations(corpus).history(layer=GOLD)}

    def changes(number: int) -> bool:
        row = rows[number]
        if row.undoes is not None:
            return changes(row.undoes)
        return not isinstance(row.edit, Comment | DoubtGold | Reject | MarkDone)

    return max((number for number in rows if changes(number)), default=0)


def gold_name(info: CorpusInfo) -> str:
    """Which gold the scores of this corpus are about."""
    now = _gold_version(str(directory()), info.id, workspace().edit_version(info.id))
    if now == 0:
        return "as imported"
    frozen = [version for version in workspace().versions(info.id) if version.layer == GOLD]
    if not frozen:
        # Somebody may have undone all that was done; documents that nobody touched are the same objects.
        return "as imported" if documents(info) == original_documents(info) else "edited"
    return frozen[-1].name if now <= frozen[-1].upto else f"{frozen[-1].name} + edits"


@st.cache_resource(show_spinner=False, max_entries=64)
def _positions(directory: str, corpus: str, hash: str) -> dict[str, int]:
    return {document.id: i for i, document in enumerate(_documents(directory, corpus, hash))}


def positions(info: CorpusInfo) -> dict[str, int]:
    """Document id -> position in the corpus."""
    return _positions(str(directory()), info.id, content(info))


def extra_layers(info: CorpusInfo, name: str) -> dict[str, Layer]:
    """Document id -> a layer that was added to the corpus later (predictions of another system)."""
    return workspace().layer(info.id, name)


@st.cache_resource(show_spinner=False, max_entries=256)
def _fits(directory: str, corpus: str, hash: str, name: str) -> Literal["yes", "no gold", "no"]:
    try:
        return task(name).fits(_documents(directory, corpus, hash))
    except InputError:
        # It cannot be read; its own page says why, and pages about others go on without it.
        return "no"


def fits(info: CorpusInfo, task: str) -> Literal["yes", "no gold", "no"]:
    return _fits(str(directory()), info.id, content(info), task)


@st.cache_resource(show_spinner=False, max_entries=256)
def _learnt_from(directory: str, run: str, info_id: str, content: str) -> str:
    of, info = known_run(run), known_corpus(info_id)
    there = [found for id in honesty.ids(of.train) if (found := corpus(id)) is not None]
    training = (document for one in there if fault_of(one) is None for document in documents(one))
    return honesty.learnt_from(of, info, documents(info), training)


def learnt_from(run: RunInfo, info: CorpusInfo) -> str:
    """What to say where the run is scored on what it learnt from; else nothing."""
    return _learnt_from(str(directory()), run.id, info.id, content(info))


@st.cache_resource(show_spinner=False, max_entries=256)
def _refuse_foreign(directory: str, run: str, version: str, info_id: str, content: str, task_name: str) -> None:
    info = known_corpus(info_id)
    if isinstance(task(task_name), NamesLabels) and fits(info, task_name) == "yes" and has_model(run):
        honesty.refuse_foreign(task(task_name), model(known_run(run)), documents(info))


# The gate: on test data nothing is judged before somebody has asked for it (ui/shell/glances.py puts the question)


def closed(info: CorpusInfo, *runs: RunInfo) -> list[RunInfo]:
    """Those of the runs whose scores on this corpus have to be asked for first."""
    if info.split != TEST:
        return []
    return [run for run in runs if fits(info, run.task) == "yes" and not workspace().is_revealed(run.id, info.id)]


def ask_first(info: CorpusInfo, *runs: RunInfo) -> None:
    """Called by everything that judges runs on a corpus; `Closed` where the user has to be asked, `ForeignLabels`
    where a run knows none of the corpus' names."""
    for run in runs:
        _refuse_foreign(*version(run, info), run.task)
    found = closed(info, *runs)
    if found:
        raise Closed(info.id, [run.id for run in found])


# Runs


def runs(task: str | None = None, *, usable: bool = False) -> list[RunInfo]:
    """Runs, newest first; usable ones have a model."""
    found = workspace().runs(task)
    return [run for run in found if has_model(run.id)] if usable else found


def leading(runs: Sequence[RunInfo]) -> RunInfo | None:
    """The run to show where none was asked for: see engine/workbench/leading.py."""
    sizes = {info.id: info.n_documents for info in corpora()}
    return first_of(runs, sizes) if runs else None


def run(id: str | None) -> RunInfo | None:
    return next((one for one in workspace().runs() if one.id == id), None)


def known_run(id: str) -> RunInfo:
    """A run that was there when its id was looked up; somebody may have removed it since."""
    found = run(id)
    if found is None:
        raise InputError(f"the workspace has no run {id!r}")
    return found


def has_model(run: str) -> bool:
    return workspace().model_path(run).is_file()


def model_version(run: str) -> str:
    """Changes whenever the model does; a run that is still training replaces it now and then. A bias that is kept in
    the file leaves its time, and so this, as it was."""
    return str(workspace().model_path(run).stat().st_mtime_ns)


def version(run: RunInfo, info: CorpusInfo) -> tuple[str, str, str, str, str]:
    """Changes whenever the model, the corpus or its gold does: what is computed of both is cached by it."""
    return str(directory()), run.id, model_version(run.id), info.id, content(info)


@st.cache_resource(show_spinner="Loading the model …", max_entries=8)
def _model(directory: str, run: str, task: str, version: str) -> AnyModel:
    return load_model(get(task), workspace().model_path(run))


def model(run: RunInfo) -> AnyModel:
    """The run's model, with the bias that was last chosen for the run."""
    loaded = _model(str(directory()), run.id, run.task, model_version(run.id))
    return loaded.with_bias(run.bias)


@dataclass(frozen=True)
class SoonCurve:
    """A curve that is computed beside the pages."""

    future: Future[Curve]
    asked: float
    """When somebody first wanted it."""

    def failed(self) -> bool:
        return self.future.cancelled() or (self.future.done() and self.future.exception() is not None)

    def is_here(self) -> bool:
        """Whether it is computed; right after it was asked for that is worth waiting for, later it is not."""
        return bool(wait([self.future], timeout=max(0.0, self.asked + PATIENCE - time.monotonic())).done)


@st.cache_resource(show_spinner=False)
def _curves() -> tuple[ThreadPoolExecutor, OrderedDict[tuple[str, ...], SoonCurve]]:
    return ThreadPoolExecutor(max_workers=2, thread_name_prefix="curve", initializer=_give_way), OrderedDict()


def _give_way() -> None:
    """Let pages and browsers go first: somebody looks at those. Linux has priorities of threads, others of processes
    only. A curve does not fail where the system has its own idea of priorities."""
    if sys.platform == "linux":
        with suppress(OSError):
            lowest = max(CURVES_WAIT, os.getpriority(os.PRIO_PROCESS, 0))
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), lowest)


def curve_soon(run: RunInfo, info: CorpusInfo) -> SoonCurve | None:
    """The curve, which may still be being computed beside the page; None where there is none: the corpus has no gold,
    or the run has no scores."""
    if fits(info, run.task) != "yes" or not has_scores(model(run)):
        return None
    ask_first(info, run)
    task, corpus_documents = get(run.task), documents(info)
    own = _model(str(directory()), run.id, run.task, model_version(run.id))
    return curve_beside(version(run, info), lambda: task.curve(task.scored(corpus_documents, own)))


def curve_beside(key: tuple[str, ...], compute: Callable[[], Curve]) -> SoonCurve:
    """The curve known by this key, else begun now, beside the page."""
    workers, known = _curves()
    if key not in known or known[key].failed():
        known[key] = SoonCurve(workers.submit(compute), time.monotonic())
    known.move_to_end(key)
    while len(known) > MOST_CURVES:
        known.popitem(last=False)[1].future.cancel()
    return known[key]


def curve(run: RunInfo, info: CorpusInfo) -> Curve | None:
    """Precision and recall of the corpus at every bias; None where there is no gold, or no score."""
    soon = curve_soon(run, info)
    if soon is None:
        return None
    if soon.future.done():
        return soon.future.result()
    with st.spinner("Computing precision and recall at every bias …"):
        return soon.future.result()


@st.cache_resource(show_spinner="Predicting …", max_entries=24)
def _predictions(
    directory: str, run: str, model: str, corpus: str, content: str, task: str, bias: float
) -> Sequence[Layer]:
    found = get(task).predict(_documents(directory, corpus, content), _model(directory, run, task, model), bias=bias)
    return tuple(found)


def predictions(run: RunInfo, info: CorpusInfo, bias: float | None = None) -> Sequence[Layer]:
    """The predicted layer of every document of the corpus, at the run's bias unless another is given."""
    at = run.bias if bias is None else bias
    return _predictions(*version(run, info), run.task, at)


def scored(run: RunInfo, info: CorpusInfo, bias: float | None = None) -> Scored:
    """The whole corpus with the run's scores, at the run's bias unless another is given."""
    found: Scored = get(run.task).scored(documents(info), model(run))
    return found.at(bias)


def report(run: RunInfo, info: CorpusInfo, bias: float | None = None, *, asked: bool = False) -> Report:
    """All scores of the run on the corpus, at the run's bias unless another is given; `asked`: for them, on test."""
    if not asked:
        ask_first(info, run)
    return get(run.task).evaluate(documents(info), predictions(run, info, bias), scored(run, info, bias))
