"""The gate on test data: the question that every page asks before it shows a score on a test split, and the log of
looks, so that the guard's statement is true however test was opened."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import streamlit as st

from engine.arrays import Words
from engine.corpora.splits import digests
from engine.store.workspace import CorpusInfo, RunInfo
from engine.tuning import guard
from engine.workbench import honesty
from ui.shell import cache, layout, naming
from ui.shell.held import held
from ui.shell.large import surveys
from ui.tab import session

UNJUDGING: Final = ("home", "train", "corpora", "help", "about", "experiments")
"""Pages that do not evaluate a run on the corpus in the sidebar; every other page is assumed to do so. Experiments were
confirmed and logged on the command line."""

TITLE: Final = "This is test data"
WHY: Final = (
    "Scores on a test split are for the end. Choose on dev, lock the setting on Tune, and look once: then the number"
    " shows how well the system does on texts that were not used to choose anything."
)
NOTED: Final = "Test data: this look is recorded with the run."
REVEAL: Final = "Show it and record the look"


def note(page: str, run: RunInfo | None, corpus: CorpusInfo | None, bias: float | None) -> bool:
    """If test was revealed for this run, log a look at another bias; returns whether there is a note to show.

    `bias` is the current one, None for the run's own.
    """
    if run is None or corpus is None or corpus.split != guard.TEST or page in UNJUDGING:
        return False
    if cache.fits(corpus, run.task) != "yes" or cache.closed(corpus, run):
        return False
    at = run.bias if bias is None else bias
    known = cache.workspace().looks(run.id)
    if not any(look.corpus == corpus.id and look.bias == at for look in known):
        cache.workspace().record_look(run.id, corpus.id, at, {})
    return True


def ask(closed: guard.Closed) -> None:
    """Ask the question instead of showing the scores."""
    runs = [run for id in closed.runs if (run := cache.run(id)) is not None]
    corpus = cache.known_corpus(closed.corpus)
    with st.container(border=True, key="gate"):
        st.subheader(TITLE, anchor=False)
        st.caption(WHY)
        _about(corpus, runs)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(REVEAL, key="gate.reveal", type="primary", on_click=reveal, args=(corpus, runs))
            dev = next((info for info in cache.corpora() if info.name == corpus.name and info.split == "dev"), None)
            if dev is not None:
                layout.link_to("tune", "Choose on dev first", corpus=dev.id, doc=None, bias=None)


def ask_inside(corpus: CorpusInfo, run: RunInfo, what: str) -> bool:
    """Ask the question in one line if necessary, on a page that shows more than scores; returns whether it was
    necessary."""
    if not cache.closed(corpus, run):
        return False
    with st.container(horizontal=True, vertical_alignment="center", border=True, key="gate"):
        st.caption(f"{TITLE}: {what}", width="stretch")
        st.button(REVEAL, key="gate.reveal", help=WHY, on_click=reveal, args=(corpus, [run]))
    return True


def _about(corpus: CorpusInfo, runs: Sequence[RunInfo]) -> None:
    """Describe which scores would be shown; names come from users and are displayed as text."""
    asked = ", ".join(naming.run_label(run) for run in runs)
    st.text(layout.visible(f"Asked for: {asked} on {corpus.label}."))
    if len(runs) == 1:
        st.text(layout.with_minus(verdict(runs[0])))


def reveal(corpus: CorpusInfo, runs: Sequence[RunInfo]) -> None:
    """Log that the user wants to see these runs on test data, at the current bias."""
    for run in runs:
        at = session.bias_of(run.id)
        cache.workspace().record_look(run.id, corpus.id, run.bias if at is None else at, {})


def standing(run: RunInfo) -> str:
    """The main score of a run with its conditions: score, corpus and split, gold, bias. Empty if there is none, or if
    it is on test data that nobody has revealed."""
    task = cache.task(run.task)
    score = layout.score_at(run.scores, task.main_score)
    chosen_on = [info for id in honesty.ids(run.dev) if (info := cache.corpus(id)) is not None]
    if score is None or any(cache.closed(info, run) for info in chosen_on):
        return ""
    where = " and ".join(info.label for info in chosen_on) or "a dev corpus that is not in this workspace"
    golds = sorted({cache.gold_name(info) for info in chosen_on} - {"as imported"})
    edited = " (its gold has been edited since)" if golds else ""
    at = run.bias if run.judged_at is None else run.judged_at
    bias = layout.at_bias(task, at)
    if set(honesty.ids(run.train)) & set(honesty.ids(run.dev)):
        bias += "; it was trained on the same texts"
    return f"{task.main_name} {layout.percent(score)} % on {layout.visible(where)}{edited} {bias}"


def lock_of(run: RunInfo) -> guard.Lock | None:
    found = cache.workspace().lock_of(run.id)
    return None if found is None else guard.Lock(*found)


def verdict(run: RunInfo) -> str:
    """A statement for readers on how the run's setting was chosen."""
    seen = [guard.Glance(look.corpus, look.bias, look.time) for look in cache.workspace().looks(run.id)]
    return guard.verdict(lock_of(run), seen, kept=run.bias)


@held(256)
def _learnt_from(directory: str, run: str, corpus: str, content: str, training: tuple[str, ...], surveys: int) -> str:
    of, info = cache.known_run(run), cache.known_corpus(corpus)
    there = [one for one in map(cache.known_corpus, training) if cache.fault_of(one) is None]
    if not any(cache.is_large(one) for one in (info, *there)):
        learnt = (document for one in there for document in cache.documents(one))
        return honesty.learnt_from(of, info, cache.documents(info), learnt)
    texts = np.concatenate([_digests(one) for one in there] or [np.zeros(0, dtype=np.uint64)])
    return honesty.learnt_from_texts(of, info, _digests(info), texts)


def _digests(info: CorpusInfo) -> Words:
    """Digests of the texts of a corpus; empty for a large one that has not been surveyed yet."""
    if not cache.is_large(info):
        return digests(cache.documents(info))
    survey = surveys.known(cache.directory(), info.hash)
    return np.zeros(0, dtype=np.uint64) if survey is None else survey.texts


def learnt_from(run: RunInfo, info: CorpusInfo) -> str:
    """A caveat if the run is scored on its training data; else empty."""
    there = [one for id in honesty.ids(run.train) if (one := cache.corpus(id)) is not None]
    known = sum(cache.is_large(one) and surveys.known(cache.directory(), one.hash) is not None for one in there)
    ids = tuple(one.id for one in there)
    return _learnt_from(str(cache.directory()), run.id, info.id, cache.content(info), ids, known)
