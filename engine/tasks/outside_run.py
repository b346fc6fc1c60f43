"""A run whose scores another program computed: it knows the scores of some documents, and nothing else.

It stands wherever a trained model stands. Its file is a model file whose one part holds the records of scores as they
came; scoring looks up the record of each document. Why a part has its score nobody here can say.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from engine import corpora
from engine.corpora.formats import jsonl
from engine.corpora.scores.records import raw, read_record
from engine.data.document import Document
from engine.data.errors import InputError
from engine.tasks.outside import Told, exchange_of, read_scores
from engine.tasks.scored import Scored

if TYPE_CHECKING:
    from engine.tasks.base import AnyModel, AnyTask

OUTSIDE: Final = "outside"
"""The learner of such a run."""

S = TypeVar("S")


@dataclass(frozen=True, eq=False)
class OutsideState:
    """Document id -> its record of scores, as JSON."""

    records: Mapping[str, str]
    constraints: tuple[Mapping[str, Any], ...] = ()
    """Constraints to decide under, as tables (joint)."""
    history: tuple[Any, ...] = ()
    """There was no training to tell of."""


def is_outside(model: AnyModel) -> bool:
    return isinstance(model.state, OutsideState)


def outside_state(model: AnyModel) -> OutsideState | None:
    """What a run from outside knows; None of a model that was trained here."""
    return model.state if isinstance(model.state, OutsideState) else None


def outside_model(task: AnyTask, path: Path, documents: Sequence[Document]) -> AnyModel:
    """A run of the scores in a file for these documents; InputError where they cannot be used."""
    from engine.tasks.base import Model

    scored = read_scores(task, path, documents)
    wanted = {document.id for document in documents}
    records = {id: line for id, line in raw(path) if id in wanted}
    return Model(
        task=task.name,
        learner=OUTSIDE,
        settings=settings_of(task),
        state=OutsideState(records),
        bias=scored.bias,
        data_hash=corpora.data_hash(documents),
    )


def settings_of(task: AnyTask) -> Any:
    """The system's own, as far as they say where mentions come from: the scores bring theirs."""
    return dataclasses.replace(task.learner(None).settings, **exchange_of(task).settings)


def score_run(task: AnyTask, documents: Sequence[Document], model: AnyModel) -> Any:
    """The documents with their scores, at the model's bias."""
    gathering, told = exchange_of(task).gathering(), Told()
    for document in documents:
        line = model.state.records.get(document.id)
        if line is None:
            raise InputError(f"document {document.id!r} has no scores in this run: they came from outside, for others")
        record = read_record(jsonl.parse(line), {document.id: document})
        told.hear(record)
        gathering.add(document, record)
    found: Scored = gathering.scored()
    return replace(found, alternatives=told.alternatives, bias=model.bias)


def pack(state: OutsideState) -> dict[str, Any]:
    return {"records": list(state.records.values()), "constraints": list(state.constraints)}


def unpack(parts: Mapping[str, Any]) -> OutsideState:
    """Records may come from anywhere, like all files: each is checked when its document is scored."""
    lines = parts.get("records")
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        raise InputError("its records are no list of lines")
    constraints = parts.get("constraints") or []
    if not isinstance(constraints, list) or not all(isinstance(one, dict) for one in constraints):
        raise InputError("its constraints are no list of tables")
    return OutsideState({id_of(line): line for line in lines}, tuple(constraints))


def id_of(line: str) -> str:
    record = jsonl.parse(line)
    if not isinstance(record, dict):
        raise InputError("a record is no object")
    return str(record.get("id"))
