"""{"id", "relations": [int], "mentions": [{"features": {id: count}}]}: a bag of which only features are known."""

from __future__ import annotations

from typing import Any, Final

from engine.corpora.records.fields import compose, expect, read_id, required, rest, write_id
from engine.data.document import GOLD, Bag, Document, Layer, Member
from engine.data.errors import InputError

NAME: Final = "features"
COMPACT: Final = False
KNOWN: Final = ("id", "relations", "mentions")
NUMBERED: Final = "numbered"
"""Layer field that marks labels that are numbers in the file."""


def matches(record: dict[str, Any]) -> bool:
    mentions = record.get("mentions")
    first = mentions[0] if isinstance(mentions, list) and mentions else None
    return isinstance(first, dict) and "features" in first


def read(record: dict[str, Any], position: int) -> Document:
    extra = rest(record, KNOWN, KNOWN)
    labels = required(record, "relations", list)
    numbered = all(type(label) is int for label in labels)
    if not numbered:
        for i, label in enumerate(labels):
            expect(label, str, f"relations[{i}]")
    members = []
    for i, item in enumerate(required(record, "mentions", list)):
        counts = required(expect(item, dict, f"mentions[{i}]"), "features", dict, f"mentions[{i}].")
        for name, count in counts.items():
            if type(count) is not int:
                expect(count, float, f"mentions[{i}].features.{name}")
        members.append(Member(features=counts, extra=rest(item, ("features",), ("features",))))
    if not members:
        raise InputError("a bag needs at least one mention", field="mentions")
    gold = Layer(labels=tuple(map(str, labels)), extra={NUMBERED: True} if numbered else {})
    id = read_id(record, position, extra)
    return Document(id, "", layers={GOLD: gold}, bag=Bag("", "", tuple(members)), shape=NAME, extra=extra)


def holds(document: Document) -> bool:
    gold = document.gold
    return (
        document.bag is not None
        and bool(document.bag.members)
        and not document.bag.first
        and not document.bag.second
        and not document.text
        and not document.tokens
        and not document.sentences
        and set(document.layers) <= {GOLD}
        and not gold.clusters
        and not gold.relations
    )


def write(document: Document) -> dict[str, Any]:
    assert document.bag is not None
    values = write_id(document.id, document.extra)
    gold = document.gold
    # A run's layer does not record how labels were written; in this data they are numbers whenever possible.
    numbered = gold.extra.get(NUMBERED, all(label.isascii() and label.isdigit() for label in gold.labels))
    values["relations"] = [int(label) for label in gold.labels] if numbered else list(gold.labels)
    values["mentions"] = [compose({"features": dict(m.features)}, m.extra, ("features",)) for m in document.bag.members]
    return compose(values, document.extra, KNOWN)
