"""What runs get wrong on a corpus, found once for all pages: errors with their stages, scores if some were fixed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from engine.metrics.cases import Case, cases, surest_first
from engine.metrics.errors import (
    STAGES,
    Doubts,
    Error,
    Stage,
    attributes,
    blame_gold,
    most_confident_first,
    stage_table,
)
from engine.store.workspace import CorpusInfo, RunInfo
from engine.tasks.outside.records import errors_of
from engine.tasks.registry import get
from engine.workbench.repair import score_if_fixed, score_without
from ui.shell import cache, layout

GOLD_WRONG = STAGES[0]


@st.cache_resource(show_spinner="Finding every error and its cause …", max_entries=16)
def _errors(directory: str, run: str, version: str, corpus: str, content: str, bias: float) -> tuple[Error, ...]:
    info, of = cache.known_corpus(corpus), cache.known_run(run)
    return tuple(errors_of(get(of.task), cache.scored(of, info, bias), cache.predictions(of, info, bias)))


@dataclass(frozen=True)
class Digest:
    """The errors of a run on a corpus, most confident first, and what every rerun of the page asks of them."""

    errors: tuple[Error, ...]
    cases: tuple[Case, ...]
    """The errors as wrong answers, the surest first."""
    table: Mapping[Stage, Counter[str]]
    attributes: Mapping[str, Sequence[Any]]


@st.cache_resource(show_spinner=False, max_entries=16)
def _digest(directory: str, run: str, version: str, corpus: str, content: str, edits: int, bias: float) -> Digest:
    info = cache.known_corpus(corpus)
    found = most_confident_first(blame_gold(_errors(directory, run, version, corpus, content, bias), doubts(info)))
    return Digest(tuple(found), tuple(surest_first(cases(found))), stage_table(found), attributes(found))


def digest(run: RunInfo, corpus: CorpusInfo, bias: float) -> Digest:
    """Every error, with gold to blame where an annotator said that it is wrong."""
    cache.ask_first(corpus, run)
    return _digest(*cache.version(run, corpus), cache.workspace().edit_version(corpus.id), bias)


def errors(run: RunInfo, corpus: CorpusInfo, bias: float) -> tuple[Error, ...]:
    return digest(run, corpus, bias).errors


def doubts(corpus: CorpusInfo) -> dict[str, Doubts]:
    """Document id -> what somebody marked as wrong in its gold."""
    return _doubts(str(cache.directory()), corpus.id, cache.content(corpus), cache.workspace().edit_version(corpus.id))


@st.cache_resource(show_spinner=False, max_entries=16)
def _doubts(directory: str, corpus: str, content: str, version: int) -> dict[str, Doubts]:
    info = cache.known_corpus(corpus)
    log = cache.workspace().annotations(corpus)
    edited = log.edited_documents()
    states = log.states([d for d in cache.original_documents(info) if d.id in edited])
    return {document.id: Doubts.of(state) for document, state in states if state.doubted}


@dataclass(frozen=True)
class WhatIf:
    """The main score as it is, if exactly one stage's errors were corrected, and against gold without what was marked
    wrong."""

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
    cache.ask_first(corpus, run)
    return _what_if(*cache.version(run, corpus), cache.workspace().edit_version(corpus.id), bias)


def sureness(task: str) -> str:
    """What the number is that cases are ordered by."""
    return "margin" if cache.task(task).confidence == "margin" else "confidence"
