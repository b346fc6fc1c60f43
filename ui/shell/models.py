"""Conversion between model files and runs: download a model, upload one trained on the command line, keep one trained
on a page, remove a run."""

from __future__ import annotations

import dataclasses
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import streamlit as st

from engine.data.errors import InputError
from engine.store.runs import LONGEST_NAME
from engine.store.workspace import RunInfo, Workspace
from engine.tasks.base import AnyModel, AnyTask, TrainingRound
from engine.tasks.saving import save_model
from ui.background import trial
from ui.background.worker import recorded
from ui.shell import cache, layout, login
from ui.tab import download, session
from ui.tab.hidden import visible

ADDED: Final = "added as a file"
"""The note on a run whose model was added."""


def adopt(workspace: Workspace, path: Path) -> str:
    """Make a run from a model file of any origin, named after the file; returns the run's id. The model is first tested
    in a separate process. Its training corpus is recognised if the workspace has the same documents."""
    told = trial.attempt(workspace.directory, path)
    learnt = next((info.id for info in workspace.corpora() if info.hash == told["data_hash"]), "")
    run = workspace.start_run(told["task"], told["learner"], told["settings"], train=learnt)
    target = workspace.model_path(run)
    target.parent.mkdir(parents=True, exist_ok=True)
    # The file appears complete or not at all, as when a model is trained.
    scratch = target.with_suffix(".part")
    shutil.copyfile(path, scratch)
    scratch.replace(target)
    workspace.set_data_hash(run, told["data_hash"])
    workspace.finish_run(run, "done", scores=told["scores"], bias=float(told["bias"]), message=ADDED)
    workspace.describe_run(run, name=visible(path.stem)[:LONGEST_NAME], note="", starred=False)
    return run


def keep(
    workspace: Workspace,
    task: AnyTask,
    model: AnyModel,
    rounds: Sequence[TrainingRound],
    *,
    train: str,
    dev: str,
    note: str,
) -> str:
    """Make a run from a model trained on a page, with its rounds; returns the run's id."""
    run = workspace.start_run(model.task, model.learner, dataclasses.asdict(model.settings), train=train, dev=dev)
    for one in rounds:
        workspace.add_round(run, one.index, one.objective, one.scores, recorded(one))
    save_model(task, model, workspace.model_path(run))
    workspace.set_data_hash(run, model.data_hash)
    workspace.finish_run(run, "done", scores=model.scores, bias=model.bias, message=note)
    return run


def take_along(run: RunInfo) -> None:
    """A download button for the model of a finished run, as a file for the command line."""
    path = cache.workspace().model_path(run.id)
    st.download_button(
        f"Model file ({layout.size(path.stat().st_size)})",
        path.read_bytes,
        f"{download.stem(run.id)}.zip",
        "application/zip",
        key="train.model",
        help="For `python -m engine predict`, `evaluate`, `curve` … and for other machines.",
    )


def bring() -> None:
    """An upload of a model file, which becomes a run like any other."""
    with st.expander("Add a model file"):
        st.caption("A .zip file written by the command “train”. Once added, it can be seen, tuned and compared here.")
        uploaded = st.file_uploader("Model file", type=["zip"], key="train.upload")
        if uploaded is None or not st.button("Add the model", key="train.adopt"):
            return
        with tempfile.TemporaryDirectory(prefix="espalier-model-") as folder:
            path = Path(folder) / download.stem(uploaded.name)
            path.write_bytes(uploaded.getvalue())
            try:
                with st.spinner("Trying the model …"):
                    run = adopt(cache.workspace(), path)
            except InputError as error:
                st.error("This file was not added.", icon=":material/error:")
                st.text(layout.visible(str(error).replace(str(path), uploaded.name)))
                return
        session.put("job", run)
        st.rerun()


def remove(run: RunInfo) -> None:
    """Remove a run and its model from the workspace, after confirmation."""
    with st.expander("Remove this run"):
        st.text(f"{run.id}, its rounds and its model will be gone; corpora and annotation stay.")
        forbidden = login.may_not_remove()
        if forbidden is not None:
            st.text(forbidden)
            return
        sure = st.checkbox("I am sure", key=f"train.sure.{run.id}")
        if st.button("Remove", key="train.remove", disabled=not sure):
            login.must_be_allowed_to_remove()
            cache.workspace().remove_run(run.id)
            session.put("job", None)
            if session.get("run") == run.id:
                session.choose("run", None)
            st.rerun()
