"""A run of another program: the scores, or only the answers, that it gave for some documents.

It can be used wherever a trained model can. Its state (engine/tasks/outside/brought.py) holds the score records as they
came, or the predicted layers; scoring a document means looking it up. Its scores cannot be explained.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engine.corpora import data_hash
from engine.corpora.scores.records import raw
from engine.data.document import Document, Layer
from engine.tasks.base import AnyModel, AnyTask, Model
from engine.tasks.outside.brought import OUTSIDE, OutsideState
from engine.tasks.outside.records import exchange_of, of_answers, read_told


def has_scores(model: AnyModel) -> bool:
    """False for a run of answers without scores."""
    brought = model.outside
    return brought is None or not brought.answers


def caveat(model: AnyModel) -> str:
    """What to bear in mind about the scores of a run from outside, as a sentence; empty where there is nothing."""
    brought = model.outside
    note = "" if brought is None else brought.note
    return f"{note[:1].upper()}{note[1:]}." if note else ""


def outside_model(task: AnyTask, path: Path, documents: Sequence[Document]) -> AnyModel:
    """A run of the scores in a file for these documents; InputError where they cannot be used."""
    scored, told = read_told(task, path, documents)
    wanted = {document.id for document in documents}
    records = {id: line for id, line in raw(path) if id in wanted}
    return Model(
        task=task.name,
        learner=OUTSIDE,
        settings=settings_of(task),
        state=OutsideState(records, note=told.note),
        bias=scored.bias,
        data_hash=data_hash(documents),
    )


def answers_model(task: AnyTask, documents: Sequence[Document], layers: Sequence[Layer]) -> AnyModel:
    """A run made from answers without scores, one layer for each of these documents."""
    found = {document.id: layer for document, layer in zip(documents, layers, strict=True)}
    bias = of_answers(task, documents, layers).bias
    return Model(task.name, OUTSIDE, settings_of(task), OutsideState(answers=found), bias, {}, data_hash(documents))


def settings_of(task: AnyTask) -> Any:
    """The system's default settings, adjusted so that mentions come from the scores."""
    return dataclasses.replace(task.learner(None).settings, **exchange_of(task).settings)
