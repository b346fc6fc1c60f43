"""Home: the state of the workspace, each line with the step that follows from it."""

from __future__ import annotations

import streamlit as st

from engine.store.workspace import RunInfo
from ui import data, first, jobs, layout, shell, sidebar


@st.fragment(run_every=1.0)
def _progress() -> None:
    start = first.ensure(data.workspace())
    if start.done:
        st.rerun()
    working = jobs.running(data.workspace())
    state = jobs.state(data.workspace(), working[0].id) if working else None
    words = f"Preparing the first look: {start.stage}"
    if state is not None and state.total:
        words += f", round {state.rounds[-1].index} of {state.total}"
    st.progress(state.fraction if state else 0.0, text=words)


def preparation() -> None:
    """The bar of the first start, while it lasts; what went wrong in it, afterwards."""
    start = first.ensure(data.workspace())
    if not start.done:
        _progress()
    for problem in start.problems:
        st.warning("A sample could not be prepared.", icon=":material/warning:")
        st.text(problem)


def systems() -> None:
    """One card per system: its best run, and where to look."""
    names = data.tasks()
    if not names:
        return
    st.subheader("Systems", anchor=False)
    columns = st.columns(min(3, len(names)), gap="small")
    for number, name in enumerate(names):
        task = data.task(name)
        runs = data.runs(name)
        with columns[number % len(columns)].container(border=True, height="stretch"):
            st.markdown(f"**{task.title}**")
            st.caption(task.sentence)
            done = next((run for run in runs if run.status == "done" and data.has_model(run.id)), None)
            active = next((run for run in runs if run.status == "running"), None)
            if done is not None:
                _standing(done, task.main_score)
                if shell.has_page(name):
                    st.page_link(
                        f"pages/{name}.py",
                        label="See how it decides",
                        icon=":material/visibility:",
                        query_params={"run": done.id},
                    )
            elif active is not None:
                st.caption("is being trained …")
                st.page_link(
                    "pages/train.py", label="Watch it", icon=":material/monitoring:", query_params={"job": active.id}
                )
            else:
                st.page_link(
                    "pages/train.py", label="Train it", icon=":material/model_training:", query_params={"task": name}
                )


def _standing(run: RunInfo, path: tuple[str, ...]) -> None:
    score = layout.score_at(run.scores, path)
    st.metric(f"{' '.join(path).replace('_', ' ')} on dev, % · {run.learner}", layout.percent(score))


def corpora() -> None:
    """The corpora, each a link to its first document; how to bring one's own."""
    infos = data.corpora()
    st.subheader("Corpora", anchor=False)
    if not infos:
        start = first.ensure(data.workspace())
        if not start.done:
            st.caption("The sample corpora appear here in a moment.")
            return
        layout.empty("There is no corpus in this workspace yet.", "corpora", "Add a corpus")
        return
    columns = st.columns(3, gap="small")
    for number, info in enumerate(infos):
        with columns[number % 3].container(border=True):
            # Names come from users: shown as text, never as Markdown.
            st.text(f"{info.name} {info.split}".strip())
            st.caption(layout.counted(info.n_documents, "document"))
            st.page_link("pages/document.py", label="Read", icon=":material/article:", query_params={"corpus": info.id})
    st.page_link("pages/corpora.py", label="Add your own: ten formats are read", icon=":material/upload_file:")
    _running()


def _running() -> None:
    for run in jobs.running(data.workspace()):
        st.page_link(
            "pages/train.py",
            label=f"Training: {sidebar.run_label(run)}",
            icon=":material/monitoring:",
            query_params={"job": run.id},
        )
