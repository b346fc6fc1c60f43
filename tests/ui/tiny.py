"""Models that are trained in a second or two, and runs made of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from functools import cache
from typing import Any

from engine.corpora import read
from engine.store.workspace import Workspace
from engine.tasks.base import Model, Resources, Task
from engine.tasks.linking.task import Linking
from engine.tasks.registry import get
from engine.tasks.saving import save_model
from tests.ui import harness

SAMPLES = harness.ROOT / "sample_data" / "linking"
LEARNERS: Mapping[str, Mapping[str, Any]] = {
    "s-mart": {"trees": 12, "rate": 0.3, "min_leaf": 10, "folds": 2},
    "perceptron": {"n_rounds": 2, "folds": 2},
}

_LEAST: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "toy": ("count", {"epochs": 1}),
    "linking": ("perceptron", {"n_rounds": 1, "folds": 0}),
    "disambiguation": ("local", {"trees": 2, "check_every": 1}),
    "coreference": ("baseline", {"n_rounds": 1}),
    "distant": ("hoffmann", {"n_rounds": 1}),
    "joint": ("basic", {"winnow_rounds": 1, "folds": 2}),
}


@cache
def model(task: str) -> Model:
    """A model of a registered system that knows next to nothing: for pages that must merely stand it."""
    learner, changes = _LEAST[task]
    settings = dataclasses.replace(get(task).learner(learner).settings, **changes)
    sample = next((harness.ROOT / "sample_data" / task).glob("train.*"), None)
    train = harness.sample_documents() if sample is None else read(sample)[:4]
    resources = Resources(lexicon=(SAMPLES / "lexicon",)) if task == "linking" else Resources()
    *_, last = get(task).rounds(train, [], learner, settings, resources)
    return last.model


def linking(learner: str) -> Model:
    """A small model of linking that links some names and not others."""
    task = Linking()
    settings = dataclasses.replace(task.learner(learner).settings, **LEARNERS[learner])
    resources = Resources(lexicon=(SAMPLES / "lexicon",))
    *_, last = task.rounds(read(SAMPLES / "train.jsonl"), [], learner, settings, resources)
    return last.model


def add_run(workspace: Workspace, task: Task, model: Model, corpus: str) -> str:
    """A finished run with this model; its id."""
    run = workspace.start_run(task.name, model.learner, dataclasses.asdict(model.settings), train="", dev=corpus)
    path = workspace.model_path(run)
    path.parent.mkdir(parents=True, exist_ok=True)
    save_model(task, model, path)
    workspace.finish_run(run, "done", bias=model.bias)
    return run
