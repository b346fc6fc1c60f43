"""Edits as records for the log and the browser, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any, Final

from engine.data.edits.kinds import (
    AddMention,
    AddRelation,
    Comment,
    Credit,
    DefineLabels,
    DoubtGold,
    Edit,
    EditRefused,
    MarkDone,
    Reject,
    RemoveMention,
    RemoveRelation,
    Resolve,
    SetCluster,
    SetEntity,
    SetLabel,
    SetRelationType,
    SetSpan,
    Settle,
    SetType,
    Together,
)

_KINDS: Final[dict[str, type]] = {
    kind.__name__: kind
    for kind in (
        AddMention,
        RemoveMention,
        SetSpan,
        SetType,
        SetEntity,
        SetCluster,
        AddRelation,
        RemoveRelation,
        SetRelationType,
        SetLabel,
        Comment,
        Resolve,
        Settle,
        Credit,
        DoubtGold,
        Reject,
        MarkDone,
        DefineLabels,
    )
}


def to_json(edit: Edit) -> dict[str, Any]:
    if isinstance(edit, Together):
        return {"kind": "Together", "edits": [to_json(one) for one in edit.edits]}
    return {"kind": type(edit).__name__, **asdict(edit)}


def from_json(record: Mapping[str, Any]) -> Edit:
    """The edit that a record describes; EditRefused names what is wrong with an invalid one."""
    kind = record.get("kind")
    if kind == "Together":
        return Together(tuple(from_json(one) for one in record.get("edits", ())))
    if kind not in _KINDS:
        raise EditRefused(f"there is no edit {kind!r}")
    cls = _KINDS[kind]
    known = {spec.name for spec in fields(cls)}
    values = {name: value for name, value in record.items() if name != "kind"}
    if not set(values) <= known:
        raise EditRefused(f"{kind} has no {sorted(set(values) - known)[0]!r}")
    try:
        edit: Edit = cls(**{name: _frozen(value) for name, value in values.items()})
    except TypeError as error:
        raise EditRefused(f"{kind}: {error}") from error
    return edit


def _frozen(value: Any) -> Any:
    """A value from JSON, with lists turned into the tuples that edits hold."""
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
