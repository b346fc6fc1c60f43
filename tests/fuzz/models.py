"""Mutated model files, of every kind of scorer and state: loaded, and used as a page uses one for a document."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from engine.corpora import read
from engine.data.document import Document
from engine.data.errors import InputError
from engine.tasks.base import Resources
from engine.tasks.registry import get
from engine.tasks.saving import load_model, save_model
from tests.fuzz import mutation

ROOT: Final = Path(__file__).resolve().parents[2]
SAMPLES: Final = ROOT / "sample_data"
KINDS: Final[Mapping[str, tuple[str, str, Mapping[str, Any]]]] = {
    "linking-linear": ("linking", "perceptron", {"n_rounds": 1, "folds": 0}),
    "linking-quadratic": ("linking", "poly-ssvm", {"n_rounds": 2, "folds": 0}),
    "linking-network": ("linking", "lambdarank", {"n_rounds": 1, "folds": 0}),
    "linking-trees": ("linking", "mart", {"trees": 3, "rate": 0.3, "min_leaf": 10, "folds": 0, "linear": False}),
    "linking-two-stages": ("linking", "s-mart-2", {"trees": 3, "rate": 0.3, "min_leaf": 10, "folds": 2}),
    "disambiguation-local": ("disambiguation", "local", {"trees": 2, "check_every": 1}),
    "disambiguation-bsg": ("disambiguation", "bsg", {"trees": 2, "check_every": 1}),
    "coreference-local": ("coreference", "baseline", {"n_rounds": 1}),
    "coreference-nonlocal": ("coreference", "laso", {"n_rounds": 1}),
    "distant": ("distant", "hoffmann", {"n_rounds": 1}),
    "joint": ("joint", "lp", {"winnow_rounds": 1, "folds": 2}),
}
"""One model for every kind of scorer and state that there is."""

PARTS: Final = {
    "linking": "score",
    "disambiguation": "entity",
    "coreference": "score",
    "distant": "member_scores",
    "joint": "type_score",
}
"""The column of each system's scored corpus that is as long as its parts."""


def prepare(folder: Path, kind: str) -> None:
    make(folder, kind)


def make(folder: Path, kind: str) -> Path:
    """A small sound model of this kind, trained where it is not there yet."""
    path = folder / f"{kind}.zip"
    if not path.is_file():
        name, learner, changes = KINDS[kind]
        task = get(name)
        lexicon = (SAMPLES / "linking" / "lexicon",) if name in ("linking", "disambiguation") else ()
        constraints = SAMPLES / "joint" / "constraints.toml" if name == "joint" else None
        train = read(next((SAMPLES / name).glob("train.*")))[:24]
        settings = dataclasses.replace(task.learner(learner).settings, **changes)
        *_, last = task.rounds(train, [], learner, settings, Resources(lexicon=lexicon, constraints=constraints))
        save_model(task, last.model, path)
    return path


def attempt(folder: Path, kind: str, rng: np.random.Generator) -> str:
    path = folder / "mutant.zip"
    path.write_bytes(mutation.of_file(folder / f"{kind}.zip", rng))
    return tried(path, KINDS[kind][0])


@cache
def documents(name: str) -> list[Document]:
    """The sample dev corpus of a system."""
    return read(next((SAMPLES / name).glob("dev.*")))


def tried(path: Path, name: str) -> str:
    """Load the model and do with it what a page does with one document; how that ended."""
    task = get(name)
    document = documents(name)[0]
    try:
        model = load_model(task, path)
        scored = task.score([document], model)
        task.decide(scored)
        task.trace(scored)
        task.features(model)
        if len(getattr(scored, PARTS[name])):
            task.explain(scored, model, 0)
    except InputError:
        return "refused"
    return "works"
