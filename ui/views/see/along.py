"""A run's main score along the bias, if it is not on the curve itself; computed in the background."""

from __future__ import annotations

from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final

import streamlit as st

from engine.store.workspace import CorpusInfo, RunInfo
from engine.tuning.curve import Curve
from engine.workbench.along import Along, along, biases_of
from ui.shell import cache

MOST: Final = 16
"""Maximum number of cached results."""


@st.cache_resource(show_spinner=False)
def _known() -> tuple[ThreadPoolExecutor, OrderedDict[tuple[str, ...], Future[Along]]]:
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="along"), OrderedDict()


def main_along(run: RunInfo, corpus: CorpusInfo, curve: Curve | None) -> Along | None:
    """The main score at some biases, if it is not on the curve; None if it is, if it is not known yet, or if the corpus
    is too large to be decided repeatedly."""
    task = cache.task(run.task)
    if task.main_on_curve or curve is None or cache.is_large(corpus):
        return None
    return score_along(run, corpus, curve, task.main_score, task.main_name, wait=False)


def score_along(
    run: RunInfo, corpus: CorpusInfo, curve: Curve, path: tuple[str, ...], name: str, *, wait: bool = True
) -> Along | None:
    """Any score of the report along the bias; without `wait` None until it is known."""
    workers, known = _known()
    key = (*cache.version(run, corpus), repr(run.bias), *path)
    if key not in known or known[key].cancelled():
        task, scored, biases = cache.task(run.task), cache.scored(run, corpus), biases_of(curve, run.bias)
        known[key] = workers.submit(lambda: along(task, scored, biases, path, name))
    known.move_to_end(key)
    while len(known) > MOST:
        known.popitem(last=False)[1].cancel()
    if wait and not known[key].done():
        with st.spinner("Evaluating the corpus along the bias …"):
            return known[key].result()
    return known[key].result() if known[key].done() else None
