"""The widgets of the Train page: the form that starts a run, the panel that follows one, the table of all."""

from __future__ import annotations

from dataclasses import asdict

import pandas as pd
import streamlit as st

from engine.store.workspace import CorpusInfo
from engine.tasks.base import AnyTask
from ui.background import jobs, models
from ui.components.rounds import learning_curves
from ui.shell import cache, layout, pages, session, sidebar
from ui.views.train import data, words
from ui.views.train.files import choose
from ui.views.train.forms import settings_form


def show_form() -> None:
    """System, learner, data and settings; starting puts the run's id into the address as `job`."""
    task = _task()
    usable = [info for info in cache.corpora() if cache.fits(info, task.name) == "yes"]
    learner = st.selectbox(
        "Learner",
        list(task.learners),
        index=list(task.learners).index(task.default_learner),
        format_func=lambda name: task.learners[name].title,
        key=f"train.{task.name}.learner",
    )
    info = task.learners[learner]
    st.caption(info.sentence)
    train, dev = _data(task, usable)
    files = choose(task)
    with st.container(border=True):
        st.caption(words.SETTINGS)
        settings, problem = settings_form(info.settings, key=f"train.{task.name}.{learner}")
    if problem:
        st.warning(words.DOES_NOT_FIT, icon=":material/warning:")
        st.text(problem)
    if not usable:
        layout.empty(words.NO_GOLD, "corpora", "Add one", view="Add")
    ready = settings is not None and bool(train)
    if st.button("Start training", key="train.start", type="primary", disabled=not ready) and settings is not None:
        workspace = cache.workspace()
        paths = files.paths(workspace)
        run = jobs.start(workspace, task.name, learner, asdict(settings), train=train, dev=dev, files=paths)
        session.put("job", run)
        st.rerun()


def _task() -> AnyTask:
    name = system()
    session.sync("train.task", name)
    st.selectbox(
        "System",
        cache.tasks(),
        format_func=lambda one: cache.task(one).title,
        key="train.task",
        # Another system, another run beside it.
        on_change=lambda: session.put_together({"task": session.value("train.task"), "job": None}),
    )
    task = cache.task(name)
    st.caption(task.sentence)
    return task


def system() -> str:
    """The one system that the form and the panel are about: that of the run in the address, the one chosen, or the one
    that is being trained."""
    job = cache.run(session.get("job"))
    active = jobs.running(cache.workspace())
    wanted = [
        job.task if job else None,
        session.get("task"),
        # What the form shows already: it does not change under the hands of whoever fills it in.
        session.value("train.task"),
        active[0].task if active else None,
    ]
    names = cache.tasks()
    return next((name for name in wanted if name in names), names[0])


def _data(task: AnyTask, usable: list[CorpusInfo]) -> tuple[list[str], list[str]]:
    names = sidebar.corpus_labels(usable)
    chosen = []
    for column, label, split in zip(st.columns(2), ("Learn from", "Choose on (dev)"), ("train", "dev"), strict=True):
        default = [info.id for info in usable if info.split == split][:1]
        if not default and split == "train":
            default = [info.id for info in usable][:1]
        chosen.append(
            column.multiselect(
                label, list(names), default=default, format_func=lambda id: names[id], key=f"train.{task.name}.{split}"
            )
        )
    return chosen[0], chosen[1]


def show_run() -> None:
    """The run in the address, or the newest of the system in the form, first of all one that is being trained; alive,
    it is drawn again and again."""
    workspace = cache.workspace()
    job, task = session.get("job"), system()
    if cache.run(job) is None:
        active = [run for run in jobs.running(workspace) if run.task == task]
        job = next((run.id for run in [*active, *workspace.runs(task)]), None)
    if job is None:
        layout.empty(words.NO_RUN.format(system=cache.task(task).title.lower()))
        return
    alive = jobs.state(workspace, job).alive
    st.fragment(_follow, run_every=0.7 if alive else None)(job, alive)


def _follow(job: str, was_alive: bool) -> None:
    workspace = cache.workspace()
    state = jobs.state(workspace, job)
    if was_alive != state.alive:
        # The rest of the page changes with it: the sidebar's runs, the table, and how often this is drawn.
        st.rerun()
    run = state.run
    head, action = st.columns([4, 1], vertical_alignment="center")
    head.markdown(f"**{cache.task(run.task).title}** · {run.learner} · {run.id}")
    if state.alive:
        action.button("Cancel", key="train.cancel", on_click=jobs.cancel, args=(workspace, job), width="stretch")
        done = state.rounds[-1].index if state.rounds else 0
        st.progress(state.fraction, text=f"round {done} of {state.total}" if state.total else "starting …")
    else:
        _outcome(job, action)
    learning_curves(state.rounds, state.total, training=state.alive, key="train.rounds")
    if state.rounds:
        with st.expander(words.ROUNDS):
            st.dataframe(pd.DataFrame(data.round_rows(state.rounds)), hide_index=True, key="train.table")
    if not state.alive:
        models.remove(run)


def _outcome(job: str, action: st.delta_generator.DeltaGenerator) -> None:
    workspace = cache.workspace()
    run = workspace.run(job)
    st.markdown(words.ENDED.get(run.status, ""))
    if run.status == "failed" and run.message:
        st.text(layout.visible(run.message))
    if jobs.can_resume(workspace, run):
        action.button(
            "Resume",
            key="train.resume",
            help=words.RESUME_HELP,
            on_click=jobs.resume,
            args=(workspace, job),
            width="stretch",
        )
    score = layout.score_at(run.scores, cache.task(run.task).main_score)
    if score is not None:
        st.metric(f"{cache.task(run.task).main_name} on dev, %", layout.percent(score))
    if cache.has_model(job):
        with st.container(horizontal=True, vertical_alignment="center"):
            if pages.exists(run.task):
                layout.link_to(
                    run.task, "See how it decides", run=job, bias=None, corpus=run.dev.split(",")[0] or None, doc=None
                )
            models.take_along(run)


def show_runs() -> None:
    """All runs, newest first; choosing one shows it above."""
    runs = cache.runs()
    if not runs:
        return
    rows = data.run_rows(runs, {name: cache.task(name).main_score for name in cache.tasks()})

    def chosen() -> None:
        picked = session.value("train.runs").selection.rows
        if picked and picked[0] < len(runs):
            session.put("job", runs[picked[0]].id)

    st.caption(words.RUNS.format(runs=layout.counted(len(runs), "run")))
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        placeholder="–",
        key="train.runs",
        on_select=chosen,
        selection_mode="single-row",
        height="content" if len(rows) < 9 else 320,
        column_config={"main score, %": st.column_config.NumberColumn(format="%.1f")},
    )
