"""Pins as requests write them: {"kind": "link", "span": [0, 4], "entity": "Rome"}, with "holds": false to forbid."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final

from engine.corpora.records.fields import expect, list_of, optional, pair, required
from engine.data.document import Document
from engine.data.errors import InputError
from engine.data.pins import ClusterPin, LabelPin, LinkPin, Pin, RelationPin, SpanRange, TypePin
from engine.metrics.differences import DecisionKind
from engine.service.requests.replies import WRONG, Refused
from engine.tasks.base import AnyTask

_Maker = Callable[["_Fields"], Pin]


class _Fields:
    """The fields of one pin, checked as they are asked for."""

    def __init__(self, record: Mapping[str, Any], where: str, length: int) -> None:
        self.record, self.where, self.length = record, where, length
        self.asked = {"kind", "holds"}

    @property
    def holds(self) -> bool:
        value = self.record.get("holds", True)
        if not isinstance(value, bool):
            raise InputError("expected true or false", field=f"{self.where}.holds")
        return value

    def span(self, name: str) -> SpanRange:
        self.asked.add(name)
        start, end = pair(required(self.record, name, list, self.where + "."), f"{self.where}.{name}")
        if not 0 <= start < end <= self.length:
            raise InputError(
                f"[{start}, {end}) is not a span of a text of {self.length} characters", field=f"{self.where}.{name}"
            )
        return start, end

    def text(self, name: str) -> str:
        self.asked.add(name)
        return str(required(self.record, name, str, self.where + "."))

    def entity(self) -> str | None:
        self.asked.add("entity")
        if "entity" not in self.record:
            raise InputError("is missing; expected an entity, or null for no mention", field=f"{self.where}.entity")
        found: str | None = optional(self.record, "entity", str, self.where + ".")
        return found


KINDS: Final[Mapping[str, tuple[DecisionKind, _Maker]]] = {
    "link": ("link", lambda one: LinkPin(one.span("span"), one.entity(), one.holds)),
    "type": ("type", lambda one: TypePin(one.span("span"), one.text("type"), one.holds)),
    "cluster": ("coreference", lambda one: ClusterPin(one.span("first"), one.span("second"), one.holds)),
    "relation": (
        "relation",
        lambda one: RelationPin(one.span("head"), one.span("tail"), one.text("type"), one.holds),
    ),
    "label": ("label", lambda one: LabelPin(one.text("label"), one.holds)),
}
"""Kind of pin -> the decision that it is about, and how it is made."""


def read_pins(given: Any, documents: Sequence[Document], task: AnyTask) -> dict[str, tuple[Pin, ...]]:
    """Pins by document: a list for the only document, or an object with a list for each id."""
    if given is None:
        return {}
    by_id = {document.id: document for document in documents}
    if isinstance(given, list):
        if len(documents) != 1:
            raise Refused(WRONG, "pins of several documents come as an object: id -> list of pins", "pins")
        return {documents[0].id: _of_document(given, documents[0], task, "pins")}
    found = {}
    for id, pins in expect(given, dict, "pins").items():
        if id not in by_id:
            raise Refused(WRONG, f"no document of the request has the id {id[:40]!r}", "pins")
        found[id] = _of_document(pins, by_id[id], task, f"pins.{id[:40]}")
    return found


def _of_document(given: Any, document: Document, task: AnyTask, where: str) -> tuple[Pin, ...]:
    records = list_of(given, dict, where)
    return tuple(_pin(one, f"{where}[{i}]", len(document.text), task.decides) for i, one in enumerate(records))


def _pin(record: Mapping[str, Any], where: str, length: int, decides: Collection[DecisionKind]) -> Pin:
    kind = required(record, "kind", str, where + ".")
    takes = [name for name, (decision, _) in KINDS.items() if decision in decides]
    if kind not in takes:
        raise InputError(f"this system takes pins of the kind {', '.join(takes)}, not {kind[:40]!r}", field=where)
    one = _Fields(record, where, length)
    made = KINDS[kind][1](one)
    unknown = sorted(set(record) - one.asked)
    if unknown:
        raise InputError(f"a pin of the kind {kind} has no field {unknown[0][:40]!r}", field=where)
    return made
