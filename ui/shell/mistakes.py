"""The errors of runs on a corpus, computed once for all pages: errors with their stages, and scores if some were
fixed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import streamlit as st

from engine.data.errors import InputError
from engine.metrics.errors import STAGES, Doubts, Error, blame_gold, most_confident_first
from engine.store.large.chosen import Digest, HeldDigest
from engine.store.workspace import CorpusInfo, RunInfo
from engine.tasks.registry import get
from engine.workbench.large import piecewise
from engine.workbench.large.results import KeptErrors
from engine.workbench.repair import score_if_fixed, score_without
from ui.background.beside import Progress
from ui.shell import cache, layout
from ui.shell.held import brief
from ui.shell.large import results, waiting

FINDING: Final = "Finding every error and its cause"
GOLD_WRONG = STAGES[0]


def _errors(run: RunInfo, info: CorpusInfo, bias: float) -> tuple[Error, ...]:
    """Every error as originally found, for a corpus in memory."""
    task, documents = get(run.task), cache.documents(info)
    model = cache.model(run).with_bias(bias)

    def compute(progress: Progress) -> tuple[Error, ...]:
        watch = piecewise.Watch(progress.begin, progress.tick)
        return tuple(piecewise.errors(task, piecewise.scored(task, documents, model, watch).at(bias), watch))

    *about, content = ("errors", *cache.version(run, info))
    at = repr(float(bias))
    key, same = (*about, content, at), (*about, at)
    return waiting.for_all(cache.beside().soon(key, compute, lasting=False, about=same), FINDING)


@brief
@st.cache_resource(show_spinner=False, max_entries=16)
def _digest(key: tuple[str, ...], edits: int, _errors: tuple[Error, ...], _doubts: Mapping[str, Doubts]) -> HeldDigest:
    return HeldDigest(most_confident_first(blame_gold(_errors, _doubts)))


def digest(run: RunInfo, corpus: CorpusInfo, bias: float) -> Digest:
    """Every error, attributed to gold where an annotator marked it as wrong."""
    cache.ask_first(corpus, run)
    if not cache.is_large(corpus):
        return _held(run, corpus, bias)
    found = stored(run, corpus, bias).cases
    found.doubt(doubts(corpus), str(cache.workspace().edit_version(corpus.id)))
    return found


def _held(run: RunInfo, corpus: CorpusInfo, bias: float) -> HeldDigest:
    edits = cache.workspace().edit_version(corpus.id)
    key = (*cache.version(run, corpus), repr(float(bias)))
    return _digest(key, edits, _errors(run, corpus, bias), doubts(corpus))


def stored(run: RunInfo, corpus: CorpusInfo, bias: float) -> KeptErrors:
    """The stored errors on a large corpus."""
    cache.ask_first(corpus, run)
    return waiting.for_all(results.errors_soon(cache.beside(), cache.subject(run, corpus), bias), FINDING)


def errors(run: RunInfo, corpus: CorpusInfo, bias: float) -> tuple[Error, ...]:
    """All errors of a corpus in memory."""
    cache.ask_first(corpus, run)
    if cache.is_large(corpus):
        raise InputError(cache.TOO_LARGE.format(corpus=corpus.label, n=corpus.n_documents))
    return _held(run, corpus, bias).errors


def doubts(corpus: CorpusInfo) -> dict[str, Doubts]:
    """Document id -> what somebody marked as wrong in its gold."""
    return _doubts(str(cache.directory()), corpus.id, cache.content(corpus), cache.workspace().edit_version(corpus.id))


@st.cache_resource(show_spinner=False, max_entries=16)
def _doubts(directory: str, corpus: str, content: str, version: int) -> dict[str, Doubts]:
    info = cache.known_corpus(corpus)
    log = cache.workspace().annotations(corpus)
    edited = log.edited_documents()
    places = cache.positions(info)
    known = cache.original_documents(info)
    states = log.states([known[places[id]] for id in sorted(edited) if id in places])
    return {document.id: Doubts.of(state) for document, state in states if state.doubted}


@dataclass(frozen=True)
class WhatIf:
    """The actual main score, the score if exactly one stage's errors were corrected, and the score against gold without
    what was marked as wrong."""

    now: float | None
    fixed: Mapping[str, float | None]
    without_doubted: float | None


@st.cache_resource(show_spinner="Scoring what-ifs …", max_entries=64)
def _what_if(directory: str, run: str, version: str, corpus: str, content: str, edits: int, bias: float) -> WhatIf:
    info, of = cache.known_corpus(corpus), cache.known_run(run)
    task, scored, found = get(of.task), cache.scored(of, info, bias), errors(of, info, bias)
    documents, predicted = cache.documents(info), cache.predictions(of, info, bias)
    fixed: dict[str, float | None] = {}
    for stage in STAGES:
        own = [error for error in found if error.stage == stage]
        if own:
            fixed[stage] = layout.score_at(score_if_fixed(task, documents, predicted, own, scored), task.main_score)
    wrong = [error for error in found if error.stage == GOLD_WRONG]
    other = (
        layout.score_at(score_without(task, documents, predicted, wrong, scored), task.main_score) if wrong else None
    )
    now = layout.score_at(task.evaluate(documents, predicted, scored), task.main_score)
    return WhatIf(now, fixed, other)


def what_if(run: RunInfo, corpus: CorpusInfo, bias: float) -> WhatIf:
    """The what-if scores; for a large corpus with the original stages, ignoring what was marked as wrong in gold
    since."""
    cache.ask_first(corpus, run)
    if cache.is_large(corpus):
        task = get(run.task)
        reports = stored(run, corpus, bias).reports(task)
        scores = {name: layout.score_at(report, task.main_score) for name, report in reports.items()}
        return WhatIf(scores.pop("now"), scores, None)
    errors(run, corpus, bias)  # waits here, where a page can show the progress
    return _what_if(*cache.version(run, corpus), cache.workspace().edit_version(corpus.id), bias)


def sureness(task: str) -> str:
    """The name of the number by which cases are ordered."""
    return "margin" if cache.task(task).confidence == "margin" else "confidence"
