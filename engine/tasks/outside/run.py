"""A run of another program: the scores, or only the answers, that it gave for some documents.

It can be used wherever a trained model can. Its file is a model file that holds the score records as they came, or the
predicted layers; scoring a document means looking it up. Its scores cannot be explained.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, TypeVar

from engine.corpora import data_hash
from engine.corpora.formats import jsonl
from engine.corpora.scores.records import raw, read_record
from engine.corpora.shapes.document import layer_record, read_layer
from engine.data.document import Document, Layer
from engine.data.errors import InputError
from engine.tasks.base import AnyModel, AnyTask, Model
from engine.tasks.outside.records import Told, exchange_of, of_answers, read_told
from engine.tasks.scored import Scored

OUTSIDE: Final = "outside"
"""The learner of such a run."""

V = TypeVar("V")


@dataclass(frozen=True, eq=False)
class OutsideState:
    """What came from outside, by document id."""

    records: Mapping[str, str] = field(default_factory=dict)
    """Records of scores, as JSON."""
    answers: Mapping[str, Layer] = field(default_factory=dict)
    """Answers, where they came without scores."""
    constraints: tuple[Mapping[str, Any], ...] = ()
    """Constraints to decide under, as tables (joint)."""
    note: str = ""
    """What to bear in mind about the zero of the scores; empty where there is nothing."""
    history: tuple[Any, ...] = ()
    """There was no training to tell of."""


def outside_of(model: AnyModel) -> OutsideState | None:
    """The state of such a run; None for a trained model."""
    return model.state if isinstance(model.state, OutsideState) else None


def is_outside(model: AnyModel) -> bool:
    return outside_of(model) is not None


def has_scores(model: AnyModel) -> bool:
    """False for a run of answers without scores."""
    brought = outside_of(model)
    return brought is None or not brought.answers


def caveat(model: AnyModel) -> str:
    """What to bear in mind about the scores of a run from outside, as a sentence; empty where there is nothing."""
    brought = outside_of(model)
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


def score_run(task: AnyTask, documents: Sequence[Document], model: AnyModel) -> Any:
    """The documents with their scores, at the model's bias."""
    if model.state.answers:
        layers = [_found(document, model.state.answers) for document in documents]
        return of_answers(task, documents, layers).at(model.bias)
    gathering, told = exchange_of(task).gathering(), Told()
    for document in documents:
        record = read_record(jsonl.parse(_found(document, model.state.records)), {document.id: document})
        told.hear(record)
        gathering.add(document, record)
    found: Scored = gathering.scored()
    return replace(found, alternatives=told.alternatives, bias=model.bias)


def _found(document: Document, known: Mapping[str, V]) -> V:
    if document.id not in known:
        raise InputError(f"document {document.id!r} is not in this run: it came from outside, for other documents")
    return known[document.id]


def pack(state: OutsideState) -> dict[str, Any]:
    parts: dict[str, Any] = {"records": list(state.records.values()), "constraints": list(state.constraints)}
    if state.note:
        parts["note"] = state.note
    answers = {id: layer_record(layer) for id, layer in state.answers.items()}
    return parts | ({"answers": answers} if answers else {})


def unpack(parts: Mapping[str, Any]) -> OutsideState:
    """The state from its parts. Records may come from anywhere, so each is checked when its document is scored."""
    lines = parts.get("records")
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        raise InputError("its records are no list of lines")
    constraints = parts.get("constraints") or []
    if not isinstance(constraints, list) or not all(isinstance(one, dict) for one in constraints):
        raise InputError("its constraints are no list of tables")
    answers = parts.get("answers") or {}
    if not isinstance(answers, dict):
        raise InputError("its answers are no layers by document")
    layers = {str(id): read_layer(one, f"answers.{id}") for id, one in answers.items()}
    note = parts.get("note") or ""
    if not isinstance(note, str):
        raise InputError("its note is no text")
    return OutsideState({id_of(line): line for line in lines}, layers, tuple(constraints), note)


def id_of(line: str) -> str:
    record = jsonl.parse(line)
    if not isinstance(record, dict):
        raise InputError("a record is no object")
    return str(record.get("id"))
