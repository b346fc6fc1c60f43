"""{"id", "text", "tokens", "sentences", "columns", "layers": {name: {...}}, "bag", "shape"}: everything we know.

This shape holds any document, with all its layers; the other shapes are used if they hold as much. The `extra` fields
of a document, layer, mention, relation or member are written next to its own fields, or inside a field "extra" if the
names would collide.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from engine.corpora.records.fields import (
    compose,
    expect,
    list_of,
    optional,
    pair,
    read_id,
    required,
    rest,
    write_id,
)
from engine.corpora.records.offsets import check_layer
from engine.corpora.records.spans import read_entity, write_entity
from engine.data.document import Bag, Document, Layer, Member, Mention, Relation
from engine.data.errors import InputError

NAME: Final = "document"
COMPACT: Final = True
KNOWN: Final = ("id", "text", "tokens", "sentences", "columns", "layers", "bag", "shape", "extra")
ALWAYS: Final = ("id", "text", "layers")
LAYER: Final = ("mentions", "clusters", "relations", "labels", "extra")
MENTION: Final = ("start", "end", "type", "entity", "score", "extra")
RELATION: Final = ("head", "tail", "type", "score", "extra")
BAG: Final = ("first", "second", "members")
MEMBER: Final = ("head", "tail", "features", "extra")

FULL_ORDER: Final = "#fields"
"""The field order of this shape's own records, separate from that of the record a document was first read from."""


def matches(record: dict[str, Any]) -> bool:
    return "layers" in record


def read(record: dict[str, Any], position: int) -> Document:
    extra = _extra(record, KNOWN, ALWAYS, "")
    columns = {
        name: tuple(expect(values, list, f"columns.{name}"))
        for name, values in (optional(record, "columns", dict) or {}).items()
    }
    made = Document(
        read_id(record, position, extra),
        required(record, "text", str),
        tokens=_ranges(record, "tokens"),
        sentences=_ranges(record, "sentences"),
        columns=columns,
        layers={name: read_layer(one, f"layers.{name}") for name, one in required(record, "layers", dict).items()},
        bag=_bag(record["bag"]) if record.get("bag") is not None else None,
        shape=optional(record, "shape", str) or NAME,
        extra=extra,
    )
    for name, layer in made.layers.items():
        check_layer(made, layer, f"layers.{name}.mentions")
    return made


def _ranges(record: dict[str, Any], name: str) -> tuple[tuple[int, int], ...]:
    return tuple(pair(item, f"{name}[{i}]") for i, item in enumerate(optional(record, name, list) or ()))


def read_layer(record: Any, field: str) -> Layer:
    where = field + "."
    expect(record, dict, field)
    return Layer(
        tuple(_mention(item, f"{where}mentions[{i}]") for i, item in _items(record, "mentions", where)),
        tuple(tuple(list_of(item, int, f"{where}clusters[{i}]")) for i, item in _items(record, "clusters", where)),
        tuple(_relation(item, f"{where}relations[{i}]") for i, item in _items(record, "relations", where)),
        tuple(list_of(optional(record, "labels", list, where) or [], str, where + "labels")),
        _extra(record, LAYER, (), where),
    )


def _items(record: dict[str, Any], name: str, where: str) -> enumerate[Any]:
    return enumerate(optional(record, name, list, where) or ())


def _mention(record: Any, field: str) -> Mention:
    where = field + "."
    expect(record, dict, field)
    start, end = required(record, "start", int, where), required(record, "end", int, where)
    if not 0 <= start < end:
        raise InputError(f"[{start}, {end}) is not a span", field=where + "start")
    return Mention(
        start,
        end,
        optional(record, "type", str, where),
        read_entity(record, "entity", where),
        optional(record, "score", float, where),
        _extra(record, MENTION, ("start", "end"), where),
    )


def _relation(record: Any, field: str) -> Relation:
    where = field + "."
    expect(record, dict, field)
    return Relation(
        required(record, "head", int, where),
        required(record, "tail", int, where),
        required(record, "type", str, where),
        optional(record, "score", float, where),
        _extra(record, RELATION, ("head", "tail", "type"), where),
    )


def _bag(record: Any) -> Bag:
    expect(record, dict, "bag")
    for name in record:
        if name not in BAG:
            raise InputError("a bag has no such field; put it beside the bag", field=f"bag.{name}")
    members = []
    for i, item in enumerate(required(record, "members", list, "bag.")):
        where = f"bag.members[{i}]."
        expect(item, dict, f"bag.members[{i}]")
        counts = optional(item, "features", dict, where) or {}
        for name, count in counts.items():
            expect(count, float, f"{where}features.{name}")
        members.append(
            Member(
                optional(item, "head", int, where),
                optional(item, "tail", int, where),
                counts,
                _extra(item, MEMBER, (), where),
            )
        )
    return Bag(required(record, "first", str, "bag."), required(record, "second", str, "bag."), tuple(members))


def _extra(record: dict[str, Any], known: tuple[str, ...], always: tuple[str, ...], where: str) -> dict[str, Any]:
    extra = rest(record, known, always, FULL_ORDER)
    for name, value in (optional(record, "extra", dict, where) or {}).items():
        if name.startswith("#"):
            value = tuple(list_of(value, str, f"{where}extra.{name}"))
        elif name not in known:
            raise InputError("belongs beside the other fields, not inside", field=f"{where}extra.{name}")
        extra[name] = value
    return extra


def holds(document: Document) -> bool:
    return True


def write(document: Document) -> dict[str, Any]:
    values = write_id(document.id, document.extra, FULL_ORDER)
    values |= {
        "text": document.text,
        "tokens": [list(span) for span in document.tokens],
        "sentences": [list(span) for span in document.sentences],
        "columns": {name: list(column) for name, column in document.columns.items()},
        "layers": {name: layer_record(layer) for name, layer in document.layers.items()},
    }
    if document.bag is not None:
        values["bag"] = {
            "first": document.bag.first,
            "second": document.bag.second,
            "members": [_member_record(member) for member in document.bag.members],
        }
    if document.shape != NAME:
        values["shape"] = document.shape
    return _compose(values, document.extra, KNOWN, ALWAYS)


def layer_record(layer: Layer) -> dict[str, Any]:
    values = {
        "mentions": [_mention_record(mention) for mention in layer.mentions],
        "clusters": [list(cluster) for cluster in layer.clusters],
        "relations": [_relation_record(relation) for relation in layer.relations],
        "labels": list(layer.labels),
    }
    return _compose(values, layer.extra, LAYER, ())


def _mention_record(mention: Mention) -> dict[str, Any]:
    values: dict[str, Any] = {"start": mention.start, "end": mention.end}
    values |= _given(type=mention.type) | write_entity(mention, "entity") | _given(score=mention.score)
    return _compose(values, mention.extra, MENTION, ("start", "end"))


def _relation_record(relation: Relation) -> dict[str, Any]:
    values: dict[str, Any] = {"head": relation.head, "tail": relation.tail, "type": relation.type}
    return _compose(values | _given(score=relation.score), relation.extra, RELATION, ("head", "tail", "type"))


def _member_record(member: Member) -> dict[str, Any]:
    values = _given(head=member.head, tail=member.tail) | {"features": dict(member.features)}
    return _compose(values, member.extra, MEMBER, ())


def _given(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _compose(
    values: dict[str, Any], extra: Mapping[str, Any], known: tuple[str, ...], always: tuple[str, ...]
) -> dict[str, Any]:
    beside: dict[str, Any] = {}
    inside: dict[str, Any] = {}
    for name, value in extra.items():
        if name == "id" and "id" in values:
            continue
        foreign = name.startswith("#") and not name.startswith(FULL_ORDER)
        (inside if name in known or foreign else beside)[name] = value
    return compose(values | ({"extra": inside} if inside else {}), beside, always, FULL_ORDER)
