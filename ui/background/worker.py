"""Trains one run in a separate process, so that it can be killed: python -m ui.background.worker WORKSPACE RUN

What to train is in jobs/RUN.json; rounds, scores and the outcome go to the workspace, where every page reads them.
After SIGTERM (or the end of the server) the model of the last finished round is kept; a resumed run continues after the
last saved round.
"""

from __future__ import annotations

import dataclasses
import os
import signal
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from types import FrameType
from typing import Any, Final

from engine import corpora
from engine.data.document import Document
from engine.data.errors import InputError
from engine.learners.base import Saved
from engine.settings import Settings, from_json, with_values
from engine.store.workspace import Status, Workspace
from engine.tasks.base import AnyModel, AnyTask, LearnerInfo, Resources, TrainingRound
from engine.tasks.registry import get
from engine.tasks.saving import load_model, save_model
from engine.tasks.training.checkpoint import Checkpoint, about
from engine.tasks.training.choosing import choose
from engine.tasks.training.reusing import reusing
from engine.tasks.training.stopping import polite
from engine.workbench.experiments.choosing import attempts, best_of, combinations
from ui.background.jobs import JobSpec, read_spec

SAVE_EVERY: Final = 5.0
"""Seconds between saves of the model during training, in case the process is killed."""

TRAINING_WAITS: Final = 10
"""Its niceness: lower priority than pages and than the curves that people are waiting for."""


def main(workspace_directory: str, run: str) -> int:
    signal.signal(signal.SIGTERM, _as_interrupt)
    directory = Path(workspace_directory)
    _stop_with(os.getppid())
    os.nice(TRAINING_WAITS)
    # The run's lock was inherited from the server and ends with this process (ui/background/jobs.py).
    workspace = Workspace.open(directory)
    try:
        done = train(workspace, read_spec(directory, run))
    except InputError as error:
        workspace.finish_run(run, "failed", message=str(error))
        return 1
    except KeyboardInterrupt:
        workspace.finish_run(run, "cancelled", message="stopped before the first round")
        return 2
    # The run is recorded. Views use kernels that training does not need: compiled here, they are on disk by the time
    # somebody opens a view, and do not block the server. Nothing is lost if this is interrupted.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if done is not None:
        task, model, document = done
        task.trace(task.scored([document], model))
    return 0


def train(workspace: Workspace, spec: JobSpec) -> tuple[AnyTask, AnyModel, Document] | None:
    """Train and record the run; returns its system, its model and a document to test it on; None if it was stopped."""
    task = get(spec.task)
    info = task.learner(spec.learner)
    settings = from_json(type(info.settings), spec.settings)
    train_documents = [
        document for id in spec.train for document in workspace.learnable_documents(id, only_done=spec.only_done)
    ]
    dev = [document for id in spec.dev for document in workspace.gold_documents(id)]
    if not train_documents:
        done = " that is marked as done" if spec.only_done else ""
        raise InputError(f"there is no document{done} to learn from; choose a corpus that has some")
    digest = corpora.data_hash(train_documents)
    workspace.set_data_hash(spec.run, digest)
    resources = spec.to_resources()
    tuned = ""
    if spec.tunes:
        # As in tuning on the command line, all combinations share the same preparations.
        settings, tuned = _tuned(task, info, settings, (train_documents, dev), resources)
    fixed = info.grid if spec.tunes else ()
    checkpoint = Checkpoint(
        workspace.checkpoint_path(spec.run), about(info.name, settings, train_documents, dev, resources)
    )
    resume = _resumed(checkpoint)
    last: TrainingRound[Any, Any] | None = None
    status: Status = "done"
    began = saved = time.monotonic()
    before: int | None = None
    told = ""
    try:
        with polite(signal.SIGTERM) as stop:
            settings, choice = choose(task, train_documents, info.name, settings, resources, fixed=fixed)
            told = tuned if choice is None else choice.sentence
            for one in task.rounds(train_documents, dev, info.name, settings, resources, resume=resume):
                last = one
                before = one.index - 1 if before is None else before
                pace = {"after": before, "elapsed": time.monotonic() - began}
                workspace.add_round(spec.run, one.index, one.objective, one.scores, {**recorded(one), **pace})
                if stop.asked:
                    status = "cancelled"
                    checkpoint.keep(one)
                    break
                checkpoint.offer(one)
                if time.monotonic() - saved > SAVE_EVERY:
                    kept = dataclasses.replace(one.model, data_hash=digest, chosen=told)
                    save_model(task, kept, workspace.model_path(spec.run))
                    saved = time.monotonic()
    except KeyboardInterrupt:
        status = "cancelled"
    if last is None and (status == "cancelled" or resume is None):
        raise KeyboardInterrupt if status == "cancelled" else InputError("the learner made no round")
    # From here on a second signal must not leave a half-recorded run.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    # A run that was stopped after its last round has no rounds left.
    model = load_model(task, workspace.model_path(spec.run)) if last is None else last.model
    scores = _scores(task, model, dev) if dev and status == "done" else dict(last.scores if last else {})
    model = dataclasses.replace(model, data_hash=digest, chosen=told)
    save_model(task, dataclasses.replace(model, scores=scores), workspace.model_path(spec.run))
    message = " ".join([*([f"{told}."] if told else []), *model.notes])
    workspace.finish_run(spec.run, status, scores=scores, bias=model.bias, message=message)
    if status == "done":
        checkpoint.remove()
    return (task, model, train_documents[0]) if status == "done" else None


def _tuned(
    task: AnyTask,
    info: LearnerInfo[Any],
    settings: Settings,
    data: tuple[list[Document], list[Document]],
    resources: Resources,
) -> tuple[Settings, str]:
    """The settings with the best score on dev among those that the learner's paper tries, and how they were found, in
    words."""
    if not data[1] or not info.grid:
        raise InputError("settings are chosen on dev, where the learner's paper names values to try")
    tried = [
        (changes, with_values(settings, dict(text.split("=", 1) for text in changes)))
        for changes in combinations(info.grid)
    ]
    with reusing():
        made = list(attempts(task, info.name, tried, data, resources))
    best = best_of(made)
    scores = ", ".join(f"{100 * one.score:.1f} with {' '.join(one.changes)}" for one in made)
    return dict(tried)[best.changes], f"{' '.join(best.changes)}, chosen on dev over the paper's values ({scores})"


def _resumed(checkpoint: Checkpoint) -> Saved | None:
    """The state to resume from; None if documents or settings have changed, so that training starts again."""
    if not checkpoint.path.exists():
        return None
    try:
        return checkpoint.read()
    except InputError as error:
        # To the run's log.
        print(error, file=sys.stderr)
        return None


def recorded(one: TrainingRound) -> dict[str, Any]:
    """What the workspace stores of a round besides its scores.

    The replay of every document is left out: it is long, every page that follows the run reads this, and the model file
    contains it.
    """
    return {"total": one.total, **{name: value for name, value in one.details.items() if name != "documents"}}


def _scores(task: AnyTask, model: AnyModel, dev: list[Document]) -> Mapping[str, Any]:
    scored = task.scored(dev, model)
    return task.evaluate(dev, task.decide(scored), scored)


def _stop_with(parent: int) -> None:
    """Stop gracefully when the server that started this process is gone."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, daemon=True).start()


def _as_interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
