"""The widgets of the Experiments page: which experiment, its tables with downloads, and its figures."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import streamlit as st

from engine.data.errors import InputError
from engine.tasks.base import AnyTask
from engine.workbench.experiments import saved, tabled
from engine.workbench.experiments.saved import Experiment
from engine.workbench.experiments.summary import Line
from engine.workbench.reporting.tables import ReportTable
from ui.components.chart import chart
from ui.figures import experiments as figures
from ui.shell import cache, layout
from ui.tab import session
from ui.tab.hidden import literal
from ui.views.experiments import data, words


def choose() -> Path | None:
    """The experiment in the address, or the newest; None if there is none."""
    known = data.folders(cache.directory())
    if not known:
        layout.empty(words.NONE, "corpora", "Add a corpus")
        st.code(words.COMMAND, language=None)
        return None
    names = list(known)
    wanted = session.get("experiment")
    chosen = st.selectbox(
        "Experiment",
        names,
        index=names.index(wanted) if wanted in known else 0,
        key="experiments.chosen",
        width=420,
        on_change=lambda: session.put("experiment", session.value("experiments.chosen")),
    )
    return known[chosen]


def opened(folder: Path) -> Experiment | None:
    """The experiment; None, after showing what is wrong with it, if it cannot be read."""
    try:
        stamps = tuple(path.stat().st_mtime_ns for path in [folder / saved.ABOUT, *folder.glob("trials/*.json")])
        found = _load(str(folder), stamps)
    except InputError as error:
        # The server's paths must not be shown.
        layout.failure(words.DAMAGED, error.what)
        return None
    if found.about.plan.task not in cache.tasks():
        layout.failure(words.DAMAGED, f"There is no system {found.about.plan.task!r} here.")
        return None
    return found


@st.cache_resource(show_spinner=False, max_entries=8)
def _load(folder: str, stamps: tuple[int, ...]) -> Experiment:
    return saved.load(Path(folder))


def show_about(experiment: Experiment, task: AnyTask) -> None:
    """The system, the documents, and the number of finished trials."""
    documents = ", ".join(
        f"{name} ({layout.counted(int(own['documents']), 'document')})"
        for name, own in experiment.about.documents.items()
    )
    st.caption(literal(words.ABOUT.format(system=task.title, data=documents)))
    done, planned = len(experiment.outcomes), len(experiment.about.plan.trials(task))
    if done < planned:
        st.info(words.UNFINISHED.format(done=done, planned=planned))
    for note in sorted({note for one in experiment.outcomes.values() for note in one.notes}):
        st.warning(literal(note))


def show_tables(experiment: Experiment, task: AnyTask) -> None:
    for table in tabled.tables(task, experiment):
        _table(table, data.caption(task, table))


def _table(table: ReportTable, caption: str) -> None:
    st.caption(caption)
    frame = pd.DataFrame(data.rows(table))
    st.dataframe(frame, hide_index=True, placeholder="–", height="content", key=f"experiments.{table.name}")
    with st.container(horizontal=True):
        for label, ending, text in (
            ("CSV", "csv", table.csv()),
            ("Markdown", "md", table.markdown()),
            ("LaTeX", "tex", table.latex()),
        ):
            st.download_button(
                label,
                text,
                f"{table.name}.{ending}",
                "text/plain",
                key=f"experiments.{table.name}.{ending}",
                help=f"This table as {label}",
            )


def choose_corpus(experiment: Experiment) -> str:
    """Choose the corpus of the figures."""
    names = data.corpora(experiment)
    if len(names) == 1:
        return names[0]
    return str(st.segmented_control("Corpus", names, default=names[0], key="experiments.corpus") or names[0])


def show_bias(experiment: Experiment, task: AnyTask, corpus: str) -> None:
    systems = data.curves(experiment, corpus)
    if not systems:
        layout.empty(words.NO_CURVE)
        return
    figure = figures.bias_figure(systems, unit=task.unit, dark=layout.is_dark())
    chart(figure, key="experiments.bias")
    st.caption(words.BIAS_CAPTION)


def show_sides(lines: list[Line], corpus: str) -> None:
    systems = data.sides(lines, corpus)
    figure = figures.sides_figure(systems, dark=layout.is_dark())
    chart(figure, key="experiments.sides")
    st.caption(words.SIDES_CAPTION)


def show_learning(experiment: Experiment, task: AnyTask, lines: list[Line], corpus: str) -> None:
    shares, rounds = data.shares(task, lines, corpus), data.learning(experiment, task)
    score = f"{task.main_name}, percent"
    if shares:
        figure = figures.line_figure(
            shares, x="share of the training documents, percent", y=score, dark=layout.is_dark(), marks=True
        )
        chart(figure, key="experiments.shares")
        st.caption(words.SHARES_CAPTION)
    if rounds:
        figure = figures.line_figure(rounds, x="round", y=score, dark=layout.is_dark())
        chart(figure, key="experiments.rounds")
        st.caption(words.ROUNDS_CAPTION.format(score=task.main_name))
    elif not shares:
        layout.empty(words.NO_ROUNDS)


def show_varied(experiment: Experiment, task: AnyTask, corpus: str) -> None:
    for name, systems in data.varied(experiment, task, corpus).items():
        figure = figures.line_figure(systems, x=name, y=f"{task.main_name}, percent", dark=layout.is_dark(), marks=True)
        chart(figure, key=f"experiments.varied.{name}")
    st.caption(words.VARIED_CAPTION)
