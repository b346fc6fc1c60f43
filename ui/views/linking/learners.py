"""Compares the learners of linking on the current corpus: F1 at every bias, and a table with paired tests.

Yang and Chang (ACL 2015) show the same for their learners in Figure 2 and Table 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import streamlit as st

from engine.store.workspace import RunInfo
from engine.tasks.base import Report
from engine.tuning.curve import Curve
from engine.workbench.comparison import Beside
from engine.workbench.verdicts import p_in_words, points
from ui.components.chart import chart
from ui.figures import curves
from ui.shell import cache, layout
from ui.tab import session
from ui.views.compare import results
from ui.views.linking import words
from ui.views.linking.widgets import LinkingFrame

PERCENT: Final = st.column_config.NumberColumn(format="%.1f")


@dataclass(frozen=True)
class Judged:
    """A run on the corpus: its curve, its scores at its chosen bias, and its difference from the current run."""

    run: RunInfo
    curve: Curve
    report: Report
    beside: Beside


def show(frame: LinkingFrame) -> None:
    judged = _judged(frame)
    if not judged:
        st.caption(words.NO_GOLD)
        return
    _draw(judged)
    _table(judged, n_documents=len(frame.documents))
    if len(judged) == 1:
        layout.link_to("train", "Train other learners to compare them", task=frame.task.name)


def _judged(frame: LinkingFrame) -> list[Judged]:
    """The current run first, then those chosen for comparison."""
    if cache.fits(frame.corpus, frame.task.name) != "yes":
        return []
    runs = [frame.run, *_chosen(frame.run)]
    found = results.beside(runs, frame.corpus)
    return [
        Judged(run, curve, report, beside)
        for run, (beside, report) in zip(runs, found, strict=True)
        if (curve := cache.curve(run, frame.corpus)) is not None
    ]


def _chosen(run: RunInfo) -> list[RunInfo]:
    others = {one.id: one for one in cache.runs(run.task, usable=True) if one.id != run.id}
    if not others:
        return []
    named = session.get("with")
    ids = newest_of_each(list(others.values()), run) if named is None else named.split(",")
    session.sync("linking.with", [id for id in ids if id in others])
    picked = st.multiselect(
        "Beside the run on screen",
        list(others),
        key="linking.with",
        format_func=results.label,
        on_change=lambda: session.put("with", ",".join(session.value("linking.with", []))),
    )
    return [others[id] for id in picked]


def newest_of_each(others: Sequence[RunInfo], run: RunInfo) -> list[str]:
    """The newest run of every other learner; `others` are ordered newest first."""
    newest: dict[str, str] = {}
    for one in others:
        newest.setdefault(one.learner, one.id)
    return [id for learner, id in newest.items() if learner != run.learner]


def names(judged: Sequence[Judged]) -> list[str]:
    """The name of the learner, and of the run if several are shown."""
    learners = [one.run.learner for one in judged]
    return [one.run.learner if learners.count(one.run.learner) == 1 else results.label(one.run.id) for one in judged]


def _draw(judged: Sequence[Judged]) -> None:
    shown = {name: (one.curve, one.run.bias) for name, one in zip(names(judged), judged, strict=True)}
    figure = curves.f_figure(shown, unit="links", dark=layout.is_dark())
    chart(figure, key="linking.learners")
    gold = judged[0].curve.gold
    st.caption(words.F1_AT_EVERY_BIAS.format(gold=layout.count(gold)))


def rows(judged: Sequence[Judged]) -> list[dict[str, Any]]:
    """The table: best F1 at the chosen bias first. Columns that no run has are left out."""
    table = []
    for name, one in sorted(zip(names(judged), judged, strict=True), key=lambda pair: -pair[1].beside.score):
        at, test, apart = one.curve.at(one.run.bias), one.beside, one.beside.difference
        row: dict[str, Any] = {
            "learner": f"{name} (on screen)" if apart is None else name,
            "P": 100 * at.precision,
            "R": 100 * at.recall,
            "F1": 100 * at.f1,
            "F1 at bias 0": 100 * one.curve.at(0.0).f1,
            "best F1": 100 * float(one.curve.f().max()),
            "F1 − on screen": None if apart is None else points(apart.value),
            "95 % interval": None if apart is None else f"{points(apart.low)} … {points(apart.high)}",
            "p": None if test.p_permutation is None else p_in_words(test.p_permutation),
            "p (Holm)": None if test.p_corrected is None else p_in_words(test.p_corrected),
            "strict F1": layout.percent_at(one.report, ("strict", "f1")),
            "inventory F1": layout.percent_at(one.report, ("inventory", "f1")),
        }
        table.append(row)
    empty = {name for name in table[0] if all(row[name] is None for row in table)} if table else set()
    return [{name: value for name, value in row.items() if name not in empty} for row in table]


def _table(judged: Sequence[Judged], *, n_documents: int) -> None:
    table = rows(judged)
    others = len(judged) - 1
    tests = words.TESTS.format(documents=layout.count(n_documents), differences=layout.counted(others, "difference"))
    st.caption(words.SCORES + (tests if others else ""))
    percents = {name: PERCENT for name, value in table[0].items() if isinstance(value, float)}
    st.dataframe(
        table,
        hide_index=True,
        width="stretch",
        placeholder="–",
        column_config=percents,
    )
