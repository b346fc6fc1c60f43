"""The learning curve of annotation: what the runs scored, against the documents that were done when they learnt."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import pandas as pd
import streamlit as st

from engine.store.workspace import CorpusInfo, RunInfo
from engine.workbench.honesty import ids
from engine.workbench.team.effort import Finished, finished
from ui.background import jobs
from ui.shell import cache, layout
from ui.views.annotate import words


def show(run: RunInfo, corpus: CorpusInfo) -> None:
    """Only runs with the same system, learner and dev corpus can be compared."""
    with st.expander(words.EFFORT):
        log, originals = cache.workspace().annotations(corpus.id), cache.original_documents(corpus)
        rows = effort_rows(_comparable(run, corpus), finished(log, originals), len(originals))
        if len(rows) < 2:
            st.text(words.NO_EFFORT)
            return
        frame = pd.DataFrame(rows)
        st.line_chart(frame, x="documents", y="score, %", height=240)
        st.dataframe(frame, hide_index=True, width="stretch", column_config=_columns())
        st.caption(words.EFFORT_HELP)


def _comparable(run: RunInfo, corpus: CorpusInfo) -> list[tuple[RunInfo, bool]]:
    """Runs like this one that learnt from the corpus, with whether only from what was done."""
    found = []
    for one in cache.runs(run.task, usable=True):
        alike = (one.learner, one.dev) == (run.learner, run.dev) and bool(one.dev)
        if alike and corpus.id in ids(one.train):
            directory = cache.workspace().directory
            known = jobs.spec_path(directory, one.id).is_file()
            found.append((one, known and jobs.read_spec(directory, one.id).only_done))
    return found


def effort_rows(
    runs: Sequence[tuple[RunInfo, bool]], done: Sequence[Finished], n_documents: int
) -> list[dict[str, Any]]:
    """One line per run, by how many documents it learnt from. A run that did not ask for finished ones took all."""
    rows = []
    for run, only_done in runs:
        before = [one for one in done if _moment(one.time) <= _moment(run.created)]
        score = layout.percent_at(run.scores, cache.task(run.task).main_score)
        if score is not None:
            rows.append(
                {
                    "documents": len(before) if only_done else n_documents,
                    "minutes": sum(one.seconds for one in before) / 60,
                    "score, %": score,
                    "run": run.id,
                }
            )
    return sorted(rows, key=lambda row: (row["documents"], row["run"]))


def _moment(time: str) -> datetime:
    """Times of the log are finer than those of runs."""
    return datetime.fromisoformat(time)


def _columns() -> dict[str, Any]:
    return {
        "minutes": st.column_config.NumberColumn(format="%.0f", help=words.MINUTES_HELP),
        "score, %": st.column_config.NumberColumn(format="%.1f"),
    }
