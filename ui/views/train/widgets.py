"""The widgets of the Train page: the form that starts a run, the panel that follows one, the table of all."""

from __future__ import annotations

from dataclasses import asdict
from math import prod

import pandas as pd
import streamlit as st

from engine.corpora.splits import overlap
from engine.data.document import GOLD
from engine.store.runs import LONGEST_NAME
from engine.store.workspace import CorpusInfo, RunInfo
from engine.tasks.base import AnyTask
from engine.tasks.presets import SENTENCES, Preset, preset_of
from engine.tuning.guard import TEST
from engine.workbench.glossary import tooltip
from engine.workbench.honesty import ids
from ui.background import first, jobs
from ui.components.rounds import learning_curves
from ui.shell import cache, glances, layout, models, naming, sidebar
from ui.tab import pages, session
from ui.tab.hidden import literal
from ui.views.train import data, words
from ui.views.train.files import choose
from ui.views.train.forms import settings_form


def show_form() -> None:
    """Three decisions (system, how, what from) and the button; files and settings below it. Starting puts the run's id
    into the address as `job`."""
    task = _task()
    usable = [info for info in cache.corpora() if cache.fits(info, task.name) == "yes" and info.split != TEST]
    learner, preset = _how(task)
    info = task.learners[learner]
    train, dev = _data(task, usable)
    _say_overlap(train, dev)
    tunes = _tunes(task, learner) if dev else False
    only_done = _only_done(train)
    button = st.container()
    files = choose(task, train)
    key = f"train.{task.name}.{learner}" + ("" if preset == "default" else f".{preset}")
    with st.expander(words.SETTINGS):
        settings, problem = settings_form(task.name, info.preset(preset), key=key)
    with button:
        if problem:
            st.warning(words.DOES_NOT_FIT, icon=":material/warning:")
            st.text(problem)
        if not usable:
            layout.empty(words.NO_GOLD, "corpora", "Add one", view="Add")
        ready = settings is not None and bool(train)
        pressed = st.button("Start training", key="train.start", type="primary", disabled=not ready)
    if pressed and settings is not None:
        workspace = cache.workspace()
        paths = files.paths(workspace)
        run = jobs.start(
            workspace,
            task.name,
            learner,
            asdict(settings),
            train=train,
            dev=dev,
            files=paths,
            asked=_asked(tunes=tunes, only_done=only_done),
        )
        session.put("job", run)
        st.rerun()


def _asked(*, tunes: bool, only_done: bool) -> list[jobs.Asked]:
    """What the training is asked for besides."""
    found: list[jobs.Asked] = []
    if tunes:
        found.append("tune")
    if only_done:
        found.append("only done")
    return found


def _how(task: AnyTask) -> tuple[str, Preset]:
    """The learner, and one of the presets that every learner has."""
    left, right = st.columns(2, vertical_alignment="bottom")
    learner = left.selectbox(
        "Learner",
        list(task.learners),
        index=list(task.learners).index(task.default_learner),
        format_func=lambda name: task.learners[name].title,
        key=f"train.{task.name}.learner",
        help=words.LEARNER_HELP,
    )
    preset = right.segmented_control(
        "Preset",
        words.PRESETS,
        default="default",
        format_func=str.capitalize,
        key=f"train.{task.name}.preset",
        help=" ".join(f"{name.capitalize()}: {SENTENCES[name]}" for name in words.PRESETS),
    )
    st.caption(task.learners[learner].sentence)
    return learner, preset_of(preset or "default")


def _tunes(task: AnyTask, learner: str) -> bool:
    """Whether settings are chosen on dev first; asked only where the learner's paper names values to try."""
    grid = task.learners[learner].grid
    if not grid:
        return False
    tried = "; ".join(f"{name} {', '.join(values)}" for name, values in grid.items())
    trainings = layout.counted(prod(map(len, grid.values())), "training")
    return bool(
        st.toggle(
            words.TUNES,
            key=f"train.{task.name}.{learner}.tunes",
            help=words.TUNES_HELP.format(tried=tried, trainings=trainings),
        )
    )


def _only_done(train: list[str]) -> bool:
    """Whether documents that nobody has finished are left out; asked only where people annotate."""
    workspace = cache.workspace()
    annotated = [id for id in train if workspace.annotations(id).edited_documents(layer=GOLD)]
    if not annotated:
        return False
    by_plan = any(workspace.project(id).members for id in annotated)
    return bool(
        st.toggle(words.ONLY_DONE, by_plan, key=f"train.only_done.{','.join(annotated)}", help=words.ONLY_DONE_HELP)
    )


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
    known = cache.tasks()
    return next((name for name in wanted if name in known), known[0])


def _data(task: AnyTask, usable: list[CorpusInfo]) -> tuple[list[str], list[str]]:
    """What to learn from and what to choose on; to begin with, of the corpus in the sidebar where it can be used."""
    labels = naming.corpus_labels(usable)
    lead = sidebar.current().corpus
    if lead is not None and first.system_of(lead) not in (None, task.name):
        lead = None  # the sample of another system: this one has its own
    samples = [info for info in usable if first.system_of(info) == task.name]
    own = [info for info in usable if lead is not None and info.name == lead.name] or samples or usable
    chosen = []
    for column, label, split in zip(st.columns(2), ("Learn from", "Choose on (dev)"), ("train", "dev"), strict=True):
        default = [info.id for info in own if info.split == split][:1]
        if not default and split == "train":
            default = [info.id for info in own][:1]
        chosen.append(
            column.multiselect(
                label,
                list(labels),
                default=default,
                format_func=lambda id: labels[id],
                key=f"train.{task.name}.{split}",
                help=words.DATA_HELP[split],
            )
        )
    return chosen[0], chosen[1]


def _say_overlap(train: list[str], dev: list[str]) -> None:
    """A warning where documents to choose on are among those to learn from."""
    infos = {info.id: info for info in cache.corpora()}
    contents = tuple(cache.content(infos[id]) for id in (*train, *dev))
    told = _overlap(tuple(train), tuple(dev), contents)
    if told:
        st.warning(f"{told}; the score on dev will say what was learnt by heart.", icon=":material/warning:")


@st.cache_data(show_spinner=False, max_entries=64)
def _overlap(train: tuple[str, ...], dev: tuple[str, ...], contents: tuple[str, ...]) -> str:
    learn, judge = ([d for id in ids for d in cache.documents(cache.known_corpus(id))] for ids in (train, dev))
    return overlap(judge, learn).sentence("What is chosen on", "what is learnt from")


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
    head.text(layout.visible(f"{cache.task(run.task).title} · {naming.run_label(run, with_task=False)}"))
    if state.alive:
        action.button("Cancel", key="train.cancel", on_click=jobs.cancel, args=(workspace, job), width="stretch")
        done = state.rounds[-1].index if state.rounds else 0
        st.progress(state.fraction, text=data.how_far(done, state.total, state.seconds_left))
    else:
        _outcome(job, action)
    learning_curves(state.rounds, state.total, training=state.alive, key="train.rounds")
    if state.rounds:
        if not state.alive:
            st.caption(words.CURVES)
        with st.expander(words.ROUNDS):
            rows = data.round_rows(state.rounds)
            fractions = dict.fromkeys(name for row in rows for name in row if name != "round")
            st.dataframe(layout.in_three(rows, list(fractions)), hide_index=True, key="train.table")
    if not state.alive:
        _describe(run)
        models.remove(run)


def _describe(run: RunInfo) -> None:
    """Its name, a note and a star: the starred run is the one that pages begin with."""
    with st.expander(words.DESCRIBE), st.form(f"train.describe.{run.id}", border=False):
        name = st.text_input("Name", run.name, max_chars=LONGEST_NAME, placeholder=words.NAME_EXAMPLE)
        note = st.text_area("Note", run.note, height=80)
        starred = st.checkbox("★ Begin with this run", run.starred, help=words.STAR_HELP)
        corpora = _attach(run) if run.message == models.ADDED else None
        if st.form_submit_button("Save"):
            cache.workspace().describe_run(run.id, name=name, note=note, starred=starred)
            if corpora is not None:
                cache.workspace().attach_corpora(run.id, train=corpora[0], dev=corpora[1])
            st.rerun()


def _attach(run: RunInfo) -> tuple[list[str], list[str]]:
    """The corpora that an added model was trained and chosen on, as its user knows them."""
    labels = naming.corpus_labels([info for info in cache.corpora() if cache.fits(info, run.task) != "no"])
    train, dev = (
        place.multiselect(
            label,
            list(labels),
            [id for id in ids(listed) if id in labels],
            format_func=labels.__getitem__,
            key=f"train.attach.{part}.{run.id}",
            help=words.ATTACH_HELP,
        )
        for place, label, part, listed in zip(
            st.columns(2), ("It was trained on", "and chosen on"), ("train", "dev"), (run.train, run.dev), strict=True
        )
    )
    return train, dev


def _outcome(job: str, action: st.delta_generator.DeltaGenerator) -> None:
    workspace = cache.workspace()
    run = workspace.run(job)
    st.markdown(words.ENDED.get(run.status, ""))
    if run.status == "failed" and run.message:
        st.text(layout.visible(run.message))
    elif run.message:
        # Trained, but not to the end of its problem.
        st.warning(literal(run.message))
    if jobs.can_resume(workspace, run):
        action.button(
            "Resume",
            key="train.resume",
            help=words.RESUME_HELP,
            on_click=jobs.resume,
            args=(workspace, job),
            width="stretch",
        )
    told = glances.standing(run)
    if told:
        st.text(told, help=tooltip("metric", "main"))
        _beside_best(run)
    if cache.has_model(job):
        with st.container(horizontal=True, vertical_alignment="center"):
            if pages.exists(run.task):
                layout.link_to(
                    run.task, "See how it decides", run=job, bias=None, corpus=run.dev.split(",")[0] or None, doc=None
                )
            if run.dev:
                for page, label in (("tune", "Tune it"), ("errors", "Walk its errors")):
                    layout.link_to(page, label, run=job, bias=None, corpus=run.dev.split(",")[0], doc=None)
            models.take_along(run)


def _beside_best(run: RunInfo) -> None:
    """The verdict: how the run stands beside the best of the others, and where to find out whether that is luck."""
    found = data.best_beside(run, cache.runs(run.task, usable=True), cache.task(run.task).main_score)
    if found is None:
        return
    other, difference = found
    with st.container(horizontal=True, vertical_alignment="center"):
        st.text(data.beside_best(other, difference), width="content")
        query = {"run": run.id, "other": other.id, "corpus": ids(run.dev)[0], "doc": None, "bias": None}
        layout.link_to("compare", "Could it be luck?", **query)


def show_runs() -> None:
    """All runs, newest first; choosing one shows it above, and a search narrows them down."""
    everything = cache.runs()
    if not everything:
        return
    labels = naming.corpus_labels(cache.corpora())
    search = st.text_input(words.FIND_RUN, key="train.search", placeholder=words.FIND_RUN_EXAMPLE, width=420)
    runs = data.found_runs(everything, search or "", labels)
    if not runs:
        st.caption(words.NO_RUN_FOUND)
        return
    rows = data.run_rows(runs, {name: cache.task(name).main_score for name in cache.tasks()}, labels)

    def chosen() -> None:
        picked = session.value("train.runs").selection.rows
        if picked and picked[0] < len(runs):
            session.put("job", runs[picked[0]].id)

    st.caption(words.RUNS.format(runs=layout.counted(len(runs), "run")))
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        width="stretch",
        placeholder="–",
        key="train.runs",
        on_select=chosen,
        selection_mode="single-row",
        # As high as its rows: a list that scrolls inside the page hides what is below its edge.
        height="content",
        column_config={"main score, %": st.column_config.NumberColumn(format="%.1f")},
    )
