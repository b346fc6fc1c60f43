"""The cache of what pages show: the workspace, documents, models, curves, predictions.

Everything is cached by id and version (never by content: large arguments are hashed from a sample), shared by all
visitors, and therefore never changed in place. Large corpora are not kept in memory: documents are read page by page
from the database, and computed results from files (ui/shell/large).
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np

from engine.arrays import Ints
from engine.data.document import GOLD, Document, Layer
from engine.data.edits import Comment, DoubtGold, MarkDone, Reject
from engine.data.errors import InputError
from engine.store.large.paged import PagedDocuments, Positions
from engine.store.workspace import CorpusInfo, RunInfo
from engine.tasks.base import AnyModel, AnyTask, Report
from engine.tasks.outside.run import has_scores
from engine.tasks.readiness import Verdict
from engine.tasks.registry import get, names
from engine.tasks.saving import load_model
from engine.tasks.scored import Scored
from engine.tuning.curve import Curve
from engine.tuning.guard import TEST, Closed
from engine.workbench.honesty import refuse_foreign
from engine.workbench.large import piecewise
from engine.workbench.leading import first_of
from ui.background.beside import Beside, Progress, Soon
from ui.background.opened import directory, is_remote, once, set_aside, workspace
from ui.shell.held import brief, held
from ui.shell.large import results, surveys, waiting

__all__ = ["directory", "is_remote", "set_aside", "workspace"]
"""Names that pages import from this module, although they are defined elsewhere."""

LARGE: int = 5_000
"""A corpus with more documents than this is not kept in memory ..."""
LARGE_CHARACTERS: Final = 200_000_000
"""... nor is one whose records have more characters."""

TOO_LARGE: Final = (
    "{corpus} has {n} documents, too many for a page that shows all of them together; the command line handles a"
    " corpus of any size (espalier evaluate, compare, report)"
)

SoonCurve: TypeAlias = Soon[Curve]


def tasks() -> list[str]:
    """Registered systems, in the order of the navigation."""
    return list(names())


def task(name: str) -> AnyTask:
    return get(name)


def corpora() -> list[CorpusInfo]:
    return list(once("corpora", workspace().corpora))


def corpus(id: str | None) -> CorpusInfo | None:
    return next((info for info in corpora() if info.id == id), None)


def known_corpus(id: str) -> CorpusInfo:
    """A corpus that existed when its id was looked up; it may have been removed since."""
    if (found := corpus(id)) is None:
        raise InputError(f"the workspace has no corpus {id!r}")
    return found


@held(16, "Reading the corpus …")
def _original(directory: str, corpus: str, hash: str) -> tuple[Document, ...]:
    loaded = tuple(workspace().documents(corpus))
    # Documents contain no cycles, so the garbage collector need not scan them repeatedly while pages compute.
    gc.collect()
    gc.freeze()
    return loaded


@lru_cache(maxsize=256)
def _size(directory: str, corpus: str, hash: str) -> int:
    return workspace().size_of(corpus)


def is_large(info: CorpusInfo) -> bool:
    """Whether the corpus is read page by page."""
    return info.n_documents > LARGE or _size(str(directory()), info.id, info.hash) > LARGE_CHARACTERS


@held(32)
def _paged(directory: str, corpus: str, n_documents: int, hash: str, upto: int) -> PagedDocuments:
    return PagedDocuments(workspace(), corpus, n_documents, upto)


def paged(info: CorpusInfo, *, original: bool = False) -> PagedDocuments:
    """The documents of a large corpus."""
    version = 0 if original else _gold_now(info)
    return _paged(str(directory()), info.id, info.n_documents, info.hash, version)


def original_documents(info: CorpusInfo) -> Sequence[Document]:
    """The documents as they were added, before any edit."""
    if is_large(info):
        return paged(info, original=True)
    return _original(str(directory()), info.id, info.hash)


@held(16, "Reading the corpus …")
def _documents(directory: str, corpus: str, hash: str) -> tuple[Document, ...]:
    # The originals are read once; after an edit only the edited documents are rebuilt.
    return tuple(workspace().gold_documents(corpus, originals=_original(directory, corpus, hash.split("-")[0])))


def documents(info: CorpusInfo) -> Sequence[Document]:
    """The documents with the current gold, including edits."""
    if is_large(info):
        return paged(info)
    return _documents(str(directory()), info.id, content(info))


def fault_of(info: CorpusInfo) -> str | None:
    """Why the corpus cannot be read; None if it can. Of a large corpus only the first page is checked."""
    try:
        documents(info)[:1]
    except InputError as error:
        return str(error)
    return None


def content(info: CorpusInfo) -> str:
    """A key that changes whenever the corpus or its gold does, for caches of scored data."""
    return once(f"content of {info.id} {info.hash}", lambda: f"{info.hash}-{_gold_now(info)}")


def _gold_now(info: CorpusInfo) -> int:
    return _gold_version(str(directory()), info.id, once("edits", workspace().edit_versions).get(info.id, 0))


@held(64)
def _gold_version(directory: str, corpus: str, version: int) -> int:
    """The latest edit that changed gold; 0 if none did. Notes, doubts, "done" marks and edits of personal layers do not
    require anything to be computed again."""
    rows = {row.number: row for row in workspace().annotations(corpus).history(layer=GOLD)}

    def changes(number: int) -> bool:
        row = rows[number]
        if row.undoes is not None:
            return changes(row.undoes)
        return not isinstance(row.edit, Comment | DoubtGold | Reject | MarkDone)

    return max((number for number in rows if changes(number)), default=0)


def gold_name(info: CorpusInfo) -> str:
    """The version of gold that is used for scores on this corpus."""
    now = _gold_now(info)
    if now == 0:
        return "as imported"
    frozen = [version for version in workspace().versions(info.id) if version.layer == GOLD]
    if not frozen:
        # All edits may have been undone; documents that nobody edited are the same objects.
        if is_large(info):
            return "as imported" if all(before == now for before, now in paged(info).edited()) else "edited"
        return "as imported" if documents(info) == original_documents(info) else "edited"
    return frozen[-1].name if now <= frozen[-1].upto else f"{frozen[-1].name} + edits"


@held(64)
def _positions(directory: str, corpus: str, hash: str) -> dict[str, int]:
    return {document.id: i for i, document in enumerate(_documents(directory, corpus, hash))}


def positions(info: CorpusInfo) -> Mapping[str, int]:
    """Document id -> position in the corpus."""
    if is_large(info):
        return Positions(workspace(), info.id, info.n_documents)
    return _positions(str(directory()), info.id, content(info))


def found(info: CorpusInfo, search: str) -> Sequence[int] | Ints:
    """Positions of the documents that have every word of the search, ascending."""
    if not search.split():
        return range(info.n_documents)
    if not is_large(info):
        return surveys.matching(documents(info), search)
    known = surveys.known(directory(), info.hash) is not None
    return _found(str(directory()), info.hash, search) if known else range(0)


@held(32)
def _found(directory: str, hash: str, search: str) -> Ints:
    survey = surveys.known(Path(directory), hash)
    return np.zeros(0, dtype=np.int64) if survey is None else survey.find(search)


def ids_at(info: CorpusInfo, places: Sequence[int] | Ints) -> list[str]:
    """The ids of the documents at these positions."""
    if is_large(info):
        return workspace().ids_at(info.id, places)
    known = documents(info)
    return [known[place].id for place in places]


def documents_at(info: CorpusInfo, places: Sequence[int] | Ints) -> list[Document]:
    """The documents at these positions."""
    if is_large(info):
        return paged(info).at(places)
    known = documents(info)
    return [known[place] for place in places]


def extra_layers(info: CorpusInfo, name: str) -> dict[str, Layer]:
    """Document id -> a layer that was added to the corpus later (predictions of another system)."""
    return workspace().layer(info.id, name)


@held(256)
def _fits(directory: str, corpus: str, hash: str, name: str, surveyed: bool) -> Verdict:
    info = known_corpus(corpus)
    try:
        if not is_large(info):
            return task(name).fits(_documents(directory, corpus, hash))
        survey = surveys.known(Path(directory), info.hash) if surveyed else None
        if survey is None:
            # Lists of corpora need not wait for it, only the pages that open the corpus.
            return task(name).fits(documents(info)[: surveys.LOOKED_AT])
        return survey.fits(task(name), original_documents(info), paged(info).edited())
    except InputError:
        # It cannot be read; its own page shows why, and pages about other corpora continue without it.
        return "no"


def fits(info: CorpusInfo, task: str) -> Verdict:
    surveyed = is_large(info) and surveys.known(directory(), info.hash) is not None
    return _fits(str(directory()), info.id, content(info), task, surveyed)


# The gate: nothing is evaluated on test data before the user has confirmed it (ui/shell/glances.py asks)


def closed(info: CorpusInfo, *runs: RunInfo) -> list[RunInfo]:
    """Those runs whose scores on this corpus need the user's confirmation first."""
    if info.split != TEST:
        return []
    return [run for run in runs if fits(info, run.task) == "yes" and not workspace().is_revealed(run.id, info.id)]


def ask_first(info: CorpusInfo, *runs: RunInfo) -> None:
    """Called before runs are evaluated; raises `Closed` if the user must confirm, `ForeignLabels` if all names are
    unknown."""
    if found := closed(info, *runs):
        raise Closed(info.id, [run.id for run in found])
    for run in runs:
        if has_model(run.id):
            refuse_foreign(task(run.task), model(run), documents(info))


# Runs


def runs(task: str | None = None, *, usable: bool = False) -> list[RunInfo]:
    """Runs, newest first; usable ones have a model."""
    found = [run for run in once("runs", workspace().runs) if task in (None, run.task)]
    return [run for run in found if has_model(run.id)] if usable else found


def leading(runs: Sequence[RunInfo]) -> RunInfo | None:
    """The run to show by default: see engine/workbench/leading.py."""
    return first_of(runs, {info.id: info.n_documents for info in corpora()}) if runs else None


def run(id: str | None) -> RunInfo | None:
    return next((one for one in runs() if one.id == id), None)


def known_run(id: str) -> RunInfo:
    """A run that existed when its id was looked up; it may have been removed since."""
    if (found := run(id)) is None:
        raise InputError(f"the workspace has no run {id!r}")
    return found


def has_model(run: str) -> bool:
    return once(f"model of {run}", workspace().model_path(run).is_file)


def model_version(run: str) -> str:
    """A key that changes whenever the model does; a run in training replaces it now and then. Storing a bias in the
    file does not change its time, and so not this key."""
    return once(f"model version of {run}", lambda: str(workspace().model_path(run).stat().st_mtime_ns))


def version(run: RunInfo, info: CorpusInfo) -> tuple[str, str, str, str, str]:
    """A key that changes whenever the model, the corpus or its gold does, for caches of results of both."""
    return str(directory()), run.id, model_version(run.id), info.id, content(info)


@held(8, "Loading the model …", lasting=False)
def _model(directory: str, run: str, task: str, version: str) -> AnyModel:
    return load_model(get(task), workspace().model_path(run))


def model(run: RunInfo) -> AnyModel:
    """The run's model, with the bias last chosen for the run."""
    loaded = _model(str(directory()), run.id, run.task, model_version(run.id))
    return loaded.with_bias(run.bias)


@held(1)
def beside() -> Beside:
    """The background threads for long computations."""
    surveys.room(directory()).sweep()
    return brief(Beside("beside"))


def subject(run: RunInfo, info: CorpusInfo) -> results.Subject:
    """The run on a large corpus."""
    _, *known = version(run, info)
    own = partial(_model, str(directory()), run.id, run.task, model_version(run.id))
    return results.Subject(directory(), run.task, tuple(known), own, documents(info))


def curve_soon(run: RunInfo, info: CorpusInfo) -> SoonCurve | None:
    """The curve, which may still be in computation; None if the corpus has no gold or the run has no scores."""
    if fits(info, run.task) != "yes" or not has_scores(model(run)):
        return None
    ask_first(info, run)
    if is_large(info):
        return results.curve_soon(beside(), subject(run, info), run.bias)
    task, corpus_documents = get(run.task), documents(info)
    own = _model(str(directory()), run.id, run.task, model_version(run.id))

    def compute(progress: Progress) -> Curve:
        watch = piecewise.Watch(progress.begin, progress.tick)
        return piecewise.curve(task, piecewise.scored(task, corpus_documents, own, watch), watch)

    return beside().soon(version(run, info), compute, about=version(run, info)[:-1])


def curve_beside(key: tuple[str, ...], compute: Callable[[], Curve]) -> SoonCurve:
    """The curve with this key, else a computation started now in the background."""
    return beside().soon(key, lambda _: compute())


def curve(run: RunInfo, info: CorpusInfo) -> Curve | None:
    """Precision and recall of the corpus at every bias; None if there is no gold, or no scores."""
    soon = curve_soon(run, info)
    return None if soon is None else waiting.for_all(soon, "Computing precision and recall at every bias")


@held(24, "Predicting …", lasting=False)
def _predictions(
    directory: str, run: str, model: str, corpus: str, content: str, task: str, bias: float
) -> Sequence[Layer]:
    found = get(task).predict(_documents(directory, corpus, content), _model(directory, run, task, model), bias=bias)
    return tuple(found)


def predictions(run: RunInfo, info: CorpusInfo, bias: float | None = None) -> Sequence[Layer]:
    """The predicted layer of every document of the corpus, at the run's bias unless another is given."""
    at = run.bias if bias is None else bias
    if is_large(info):
        return results.Answers(run.task, documents(info), model(run), at)
    return _predictions(*version(run, info), run.task, at)


def scored(run: RunInfo, info: CorpusInfo, bias: float | None = None) -> Scored:
    """The whole corpus with the run's scores, at the run's bias unless another is given; not for large corpora."""
    if is_large(info):
        raise InputError(TOO_LARGE.format(corpus=info.label, n=info.n_documents))
    found: Scored = get(run.task).scored(documents(info), model(run))
    return found.at(bias)


def report(run: RunInfo, info: CorpusInfo, bias: float | None = None, *, asked: bool = False) -> Report:
    """All scores of the run on the corpus, at the run's bias unless another is given; `asked`: test data is
    confirmed."""
    if not asked:
        ask_first(info, run)
    if is_large(info):
        return large_report(run, info, run.bias if bias is None else bias)
    return get(run.task).evaluate(documents(info), predictions(run, info, bias), scored(run, info, bias))


def large_report(run: RunInfo, info: CorpusInfo, bias: float) -> Report:
    """All scores on a large corpus: from the curve's computation if it was made at this bias, else from the errors'."""
    about, task = subject(run, info), get(run.task)
    known = results.curve_of(about)
    if known is not None and known.at == bias:
        return known.report(task)
    return waiting.for_all(results.errors_soon(beside(), about, bias), "Computing all scores").reports(task)["now"]
