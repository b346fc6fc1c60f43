"""The widgets of the Home page: the state of the workspace, each line with the next step."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import TypeAlias

import streamlit as st

from engine import corpora
from engine.store.workspace import RunInfo
from ui.background import first, jobs
from ui.components import tour
from ui.shell import cache, glances, layout, naming
from ui.tab import pages, session
from ui.views.home import words

Standing: TypeAlias = tuple[int, int]
"""The numbers of corpora and of finished runs that the page shows."""


def show_preparation() -> None:
    """The progress bar of the first start while it lasts; afterwards, what went wrong."""
    start = first.ensure(cache.workspace())
    if not start.done:
        st.fragment(_progress, run_every=1.0)(_standing())
    if start.problems:
        samples = layout.counted(len(start.problems), "sample")
        with st.expander(words.NOT_PREPARED.format(samples=samples), expanded=start.done):
            for problem in start.problems:
                st.text(layout.visible(problem))


def _standing() -> Standing:
    """The numbers that the page shows; when they change, the whole page is redrawn."""
    return len(cache.corpora()), sum(run.status != "running" for run in cache.runs())


def _progress(drawn: Standing) -> None:
    start = first.ensure(cache.workspace())
    if start.done or _standing() != drawn:
        st.rerun()
    working = {name: jobs.state(cache.workspace(), run) for name, run in start.running.items()}
    st.progress(first.fraction(start, working.values()), text=_how_far(start, working))


def _how_far(start: first.FirstStart, working: Mapping[str, jobs.JobState]) -> str:
    if not start.total:
        return words.PREPARING.format(stage=start.stage)
    each = " · ".join(f"{name}: {first.how_far(state)}" for name, state in working.items())
    return words.TRAINING.format(ended=start.ended, total=start.total, each=each or start.stage)


def show_tour() -> None:
    """The tour, once there is a run of linking that it can show."""
    if pages.is_system("linking") and cache.runs("linking", usable=True) and session.value(tour.STEP) is None:
        tour.offer("home.tour")


def show_systems() -> None:
    """One card per system: its state, and a link to its page."""
    systems = cache.tasks()
    for start in range(0, len(systems), 3):
        for column, name in zip(st.columns(3, gap="small"), systems[start : start + 3], strict=False):
            with column.container(border=True, height="stretch", gap="small"):
                _card(name)


def _card(name: str) -> None:
    task = cache.task(name)
    runs = cache.runs(name)
    done = cache.leading([run for run in runs if run.status == "done" and cache.has_model(run.id)])
    active = next((run for run in runs if run.status == "running"), None)
    st.markdown(f"**{task.title}**")
    st.caption(task.sentence)
    if done is not None:
        _score(done)
    with st.container(horizontal=True, gap="small"):
        if done is not None and pages.exists(name):
            _link(name, "See how it decides", ":material/visibility:", run=done.id)
        if done is not None and pages.exists("tune"):
            _link("tune", "Tune", ":material/tune:", run=done.id)
        if active is not None:
            _link("train", "Watch it learn", ":material/monitoring:", job=active.id)
        elif done is None and first.ensure(cache.workspace()).awaits(name):
            st.caption(words.ABOUT_TO_START)
        elif done is None:
            _link("train", "Train it", ":material/model_training:", task=name)


def _link(page: str, label: str, icon: str, **query: str) -> None:
    st.page_link(f"pages/{page}.py", label=label, icon=icon, query_params=query)


def _score(run: RunInfo) -> None:
    told = glances.standing(run)
    if told:
        st.text(layout.visible(f"{naming.run_name(run)}: {told}"))


def show_corpora() -> None:
    """The corpora, with a link from each split to its first document; and how to add one's own."""
    infos = cache.corpora()
    st.subheader("Corpora", anchor=False)
    if not infos and not first.ensure(cache.workspace()).done:
        st.caption(words.SAMPLES_COMING)
        return
    if not infos:
        layout.empty(words.NO_CORPUS, "corpora", "Add a corpus", view="Add")
        return
    groups = [(name, list(found)) for name, found in groupby(infos, key=lambda info: info.name)]
    for start in range(0, len(groups), 3):
        for column, (name, found) in zip(st.columns(3, gap="small"), groups[start : start + 3], strict=False):
            with column.container(border=True, height="stretch", gap="small"):
                # Names come from users: shown as text, never as Markdown.
                st.text(layout.visible(name))
                with st.container(horizontal=True, gap="small"):
                    for info in found:
                        label = f"{info.split or 'read'} · {layout.count(info.n_documents)}"
                        _link("document", label, ":material/article:", corpus=info.id)
    own = words.ADD_YOUR_OWN.format(formats=len(corpora.FORMATS))
    _link("corpora", own, ":material/upload_file:", view="Add")
    for run in jobs.running(cache.workspace()):
        _link("train", f"Training: {naming.run_label(run)}", ":material/monitoring:", job=run.id)
