"""The state of a run that came from another program: its records of scores, or its answers, and its model file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from engine.corpora.formats import jsonl
from engine.corpora.shapes.document import layer_record, read_layer
from engine.data.document import Layer
from engine.data.errors import InputError

OUTSIDE: Final = "outside"
"""The learner of such a run."""


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
