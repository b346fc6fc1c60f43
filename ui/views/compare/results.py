"""Comparisons of systems on a corpus, computed once for every state of the models, the corpus and its gold.

A system is identified by the id of its run; predictions that an older workspace stores as a layer, by the layer's name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import streamlit as st

from engine.corpora import data_hash
from engine.data.document import Document, Layer
from engine.metrics.errors import Error
from engine.store.workspace import CorpusInfo, RunInfo
from engine.tasks.base import Report
from engine.tasks.scored import Scored
from engine.workbench.blocks.sources import Answered
from engine.workbench.comparison import (
    Beside,
    Comparison,
    Ranked,
    beside_first,
    compare,
    gold_items,
    leaderboard,
    leaderboard_counts,
    main_judged,
    shared,
)
from engine.workbench.honesty import apart, comparable_with, starting_point
from engine.workbench.large.together import KeptComparison, Pair
from engine.workbench.reporting.report import About, RunReport
from engine.workbench.reporting.report import report as run_report
from ui.shell import cache, glances, layout, mistakes, naming
from ui.shell.large import results as large
from ui.shell.large import surveys, waiting
from ui.views.compare.found import Found, HeldFound, KeptFound

IMPORTED: Final = "imported: "
"""The prefix of the names of imported predictions."""
COMPARING: Final = "Comparing the two"


def systems(run: RunInfo, corpus: CorpusInfo) -> list[str]:
    """The systems with which a run can be compared on this corpus: other runs of its task, and imported predictions."""
    others = [one.id for one in cache.runs(run.task, usable=True) if one.id != run.id]
    if cache.is_large(corpus):
        # Layers of older workspaces are loaded as a whole; the same predictions can be imported as a run instead.
        return others
    return others + [IMPORTED + name for name in cache.workspace().layer_names(corpus.id)]


def label(name: str) -> str:
    run = cache.run(name)
    return name if run is None else naming.run_label(run, with_task=False)


def is_imported(name: str) -> bool:
    return name.startswith(IMPORTED)


def layers(name: str, corpus: CorpusInfo) -> Sequence[Layer]:
    """The predicted layer of every document; empty for a document without an imported layer."""
    if not is_imported(name):
        return cache.predictions(cache.known_run(name), corpus)
    found = cache.extra_layers(corpus, name.removeprefix(IMPORTED))
    return [found.get(document.id, Layer()) for document in cache.documents(corpus)]


def _scored(name: str, corpus: CorpusInfo) -> Scored | None:
    """The scores of a run; None for predictions that came without any."""
    run = cache.run(name)
    return None if run is None else cache.scored(run, corpus)


def key(corpus: CorpusInfo, *names: str) -> str:
    """A key that changes whenever anything does on which a comparison of these systems depends."""
    parts = [str(cache.directory()), corpus.id, cache.content(corpus)]
    for name in names:
        run = cache.run(name)
        parts += [name, "" if run is None else f"{cache.model_version(run.id)} {run.bias}"]
    return " ".join(parts)


def ask_first(corpus: CorpusInfo, *names: str) -> None:
    """The gate on test data, for the systems that are runs: imported predictions were made elsewhere."""
    cache.ask_first(corpus, *(run for name in names if (run := cache.run(name)) is not None))


def comparison(run: RunInfo, other: str, corpus: CorpusInfo) -> Comparison:
    """The two systems' scores, and whether they differ by more than chance."""
    ask_first(corpus, run.id, other)
    if cache.is_large(corpus):
        return kept(run, cache.known_run(other), corpus).comparison
    return _comparison(key(corpus, run.id, other), run.task, run.id, other, corpus.id)


@st.cache_resource(show_spinner="Testing the difference over documents …", max_entries=16)
def _comparison(key: str, task: str, first: str, second: str, corpus: str) -> Comparison:
    info = cache.known_corpus(corpus)
    known = _scored(first, info), _scored(second, info)
    return compare(cache.task(task), cache.documents(info), layers(first, info), layers(second, info), scored=known)


def kept(run: RunInfo, other: RunInfo, corpus: CorpusInfo) -> KeptComparison:
    """The stored comparison of two runs on a large corpus, each at its own bias; waits for it if necessary."""
    runs = (run, other)
    subjects = [cache.subject(one, corpus) for one in runs]
    for subject, one in zip(subjects, runs, strict=True):
        # Both computations are started before waiting for either.
        large.errors_soon(cache.beside(), subject, one.bias)
    first, second = (mistakes.stored(one, corpus, one.bias) for one in runs)
    pair = Pair(cache.task(run.task), first, second, cache.documents(corpus), _sample(corpus))
    sides = [(subject, one.bias) for subject, one in zip(subjects, runs, strict=True)]
    return waiting.for_all(large.comparison_soon(cache.beside(), sides[0], sides[1], pair), COMPARING)


def _sample(corpus: CorpusInfo) -> Sequence[Document]:
    """A document of each kind, from the survey of a large corpus."""
    survey = surveys.known(cache.directory(), corpus.hash)
    assert survey is not None
    return survey.sample(cache.original_documents(corpus), cache.paged(corpus).edited())


def beside(runs: Sequence[RunInfo], corpus: CorpusInfo) -> list[tuple[Beside, Report]]:
    """Each run's difference from the first, and its report, both at the bias chosen for the run."""
    names = tuple(run.id for run in runs)
    ask_first(corpus, *names)
    return _beside(key(corpus, *names), runs[0].task, names, corpus.id)


@st.cache_resource(show_spinner="Testing the differences over documents …", max_entries=16)
def _beside(key: str, task: str, names: tuple[str, ...], corpus: str) -> list[tuple[Beside, Report]]:
    info = cache.known_corpus(corpus)
    found = {name: layers(name, info) for name in names}
    reports = [cache.task(task).evaluate(cache.documents(info), found[name], _scored(name, info)) for name in names]
    return list(zip(beside_first(cache.task(task), cache.documents(info), found), reports, strict=True))


def starting_points(corpus: CorpusInfo, *names: str) -> dict[str, str]:
    """What each system is given besides the text; empty if unknown."""
    runs = {name: cache.run(name) for name in names}
    return {
        name: "" if run is None else starting_point(cache.task(run.task), cache.model(run), cache.documents(corpus))
        for name, run in runs.items()
    }


def unequal(run: RunInfo, other: str, corpus: CorpusInfo) -> str:
    """Why the two must not be compared, in words; "" if they may be."""
    points = starting_points(corpus, run.id, other)
    return apart({"A": points[run.id], "B": points[other]})


def main_score(name: str, corpus: CorpusInfo) -> float | None:
    """The main score of a run on a corpus, at the run's stored bias."""
    run = cache.known_run(name)
    return _main_score(key(corpus, name), name, corpus.id) if cache.fits(corpus, run.task) == "yes" else None


@st.cache_resource(show_spinner="Scoring …", max_entries=256)
def _main_score(key: str, name: str, corpus: str) -> float | None:
    run = cache.known_run(name)
    return layout.score_at(cache.report(run, cache.known_corpus(corpus)), cache.task(run.task).main_score)


def ranked(run: RunInfo, corpus: CorpusInfo) -> list[list[Ranked]]:
    """All systems on this corpus, best first, in groups with the same starting point; within a group, systems that
    share a letter do not differ significantly."""
    names = (run.id, *systems(run, corpus))
    ask_first(corpus, *names)
    points = starting_points(corpus, *names)
    together = comparable_with(run.id, points)
    if cache.is_large(corpus):
        for name in names:
            one = cache.known_run(name)
            mistakes.stored(one, corpus, one.bias)  # waits here, where a page can show the progress
    groups = [together, *([[name for name in names if name not in together]] if len(together) < len(names) else [])]
    return [_ranked(key(corpus, *group), run.task, tuple(group), corpus.id) for group in groups]


@st.cache_resource(show_spinner="Ranking …", max_entries=8)
def _ranked(key: str, task: str, names: tuple[str, ...], corpus: str) -> list[Ranked]:
    info = cache.known_corpus(corpus)
    if cache.is_large(info):
        runs = {name: cache.known_run(name) for name in names}
        counted = {name: mistakes.stored(one, info, one.bias).counted for name, one in runs.items()}
        score = cache.task(task).statistics()[main_judged(cache.task(task), _sample(info))]
        return leaderboard_counts(score, counted, samples=1000)
    found = {name: layers(name, info) for name in names}
    return leaderboard(cache.task(task), cache.documents(info), found, samples=1000)


def found_by(run: RunInfo, other: str, corpus: CorpusInfo) -> Found:
    """Gold items by who found them, wrong answers by who gave them, and the cases behind each number."""
    second, task = cache.run(other), cache.task(run.task)
    if cache.is_large(corpus):
        edits = str(cache.workspace().edit_version(corpus.id))
        return KeptFound(kept(run, cache.known_run(other), corpus), mistakes.doubts(corpus), edits)
    mine = mistakes.errors(run, corpus, run.bias)
    if second is not None:
        theirs = mistakes.errors(second, corpus, second.bias)
    else:
        theirs = _imported_errors(key(corpus, run.id, other), run.id, other, corpus.id)
    documents = cache.documents(corpus)
    return HeldFound(shared(gold_items(task, documents), mine, theirs), task.decides, documents)


@st.cache_resource(show_spinner="Finding what the imported predictions miss …", max_entries=8)
def _imported_errors(key: str, run: str, other: str, corpus: str) -> tuple[Error, ...]:
    """The errors of an outside system. Without its model the stages are meaningless, but the errors themselves do not
    depend on the model."""
    info, of = cache.known_corpus(corpus), cache.known_run(run)
    return tuple(cache.task(of.task).errors(cache.scored(of, info), layers(other, info)))


def unanswered(other: str, corpus: CorpusInfo) -> int:
    """Documents without an imported prediction: tables often list only those with an answer."""
    if not is_imported(other):
        return 0
    return _unanswered(key(corpus, other), other.removeprefix(IMPORTED), corpus.id, corpus.n_documents)


@st.cache_resource(show_spinner=False, max_entries=32)
def _unanswered(key: str, name: str, corpus: str, n_documents: int) -> int:
    return n_documents - len(cache.workspace().layer(corpus, name))


def _revealed(run: RunInfo) -> list[dict[str, object]]:
    """The revealed scores on test data, each with its time and bias."""
    task = cache.task(run.task)
    return [
        {
            "test corpus": look.corpus,
            "when": layout.moment(look.time),
            "bias": layout.three(look.bias),
            f"{task.main_name}, %": layout.percent(layout.score_at(look.scores, task.main_score)),
        }
        for look in cache.workspace().looks(run.id)
        if look.scores
    ]


def report(run: RunInfo, corpus: CorpusInfo, other: str | None) -> RunReport:
    """The report on a run and a corpus, compared with the other system if given."""
    ask_first(corpus, run.id, *filter(None, [other]))
    about = About.of_model(
        cache.model(run),
        name=run.id,
        data_name=f"{corpus.name} {corpus.split}, gold {cache.gold_name(corpus)}".strip(),
        # The hash of the documents as scored; corrections of gold make them differ from the imported ones.
        data_hash=data_hash(cache.documents(corpus)),
    )
    others = {}
    if other is not None:
        others = {label(other): Answered(tuple(cache.documents(corpus)), layers(other, corpus), _scored(other, corpus))}
    return run_report(
        cache.task(run.task),
        cache.scored(run, corpus),
        about,
        verdict=glances.verdict(run),
        doubts=mistakes.doubts(corpus),
        revealed=_revealed(run),
        others=others,
    )
