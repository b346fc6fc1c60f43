"""{"id", "e1", "e2", "relations", "mentions": [{"sid", "tokens", "e1", "e2"}]}: a pair of entities and the
sentences that mention both (distant supervision). Member m of the bag is sentence m of the document.

The relations that a run gives to one member are the member's own "relations": names, or {"type", "score"}.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from engine.corpora.records.fields import (
    compose,
    expect,
    had,
    list_of,
    optional,
    pair,
    read_id,
    required,
    rest,
    words_of,
    write_id,
)
from engine.corpora.records.spans import on_tokens, token_span
from engine.corpora.shapes.sentence import is_joined
from engine.data.document import GOLD, Bag, Document, Layer, Member, Mention, Relation
from engine.data.errors import InputError

NAME: Final = "bag"
COMPACT: Final = False
KNOWN: Final = ("e1", "e2", "relations", "mentions", "id")
MEMBER: Final = ("sid", "tokens", "e1", "e2", "relations")
ALWAYS: Final = MEMBER[:4]


def matches(record: dict[str, Any]) -> bool:
    return "mentions" in record and "e1" in record


def read(record: dict[str, Any], position: int) -> Document:
    extra = rest(record, KNOWN, KNOWN)
    items = required(record, "mentions", list)
    words = [
        words_of(required(expect(item, dict, f"mentions[{i}]"), "tokens", list), f"mentions[{i}].tokens")
        for i, item in enumerate(items)
    ]
    bare = Document.from_words(read_id(record, position, extra), words, shape=NAME, extra=extra)
    mentions: list[Mention] = []
    relations: list[Relation] = []
    members: list[Member] = []
    for i, item in enumerate(items):
        sides: list[int | None] = []
        for name in ("e1", "e2"):
            if item.get(name) is None:
                sides.append(None)
                continue
            field = f"mentions[{i}].{name}"
            mentions.append(Mention(*token_span(bare, i, *pair(item[name], field), field)))
            sides.append(len(mentions) - 1)
        kept = rest(item, MEMBER, ALWAYS)
        if "sid" in item:
            kept["sid"] = item["sid"]
        members.append(Member(sides[0], sides[1], extra=kept))
        relations += own_relations(item, members[-1], f"mentions[{i}].")
    return replace(
        bare,
        bag=Bag(required(record, "e1", str), required(record, "e2", str), tuple(members)),
        layers={
            GOLD: Layer(
                tuple(mentions),
                relations=tuple(relations),
                labels=tuple(list_of(required(record, "relations", list), str, "relations")),
            )
        },
    )


def own_relations(record: dict[str, Any], member: Member, where: str) -> list[Relation]:
    """A member's "relations", as relations between its two mentions."""
    items = optional(record, "relations", list, where) or []
    if items and (member.head is None or member.tail is None):
        raise InputError("a mention without both spans has no relations", field=where + "relations")
    found = []
    for i, item in enumerate(items):
        field = f"{where}relations[{i}]"
        if not isinstance(item, str):
            for name in expect(item, dict, field):
                if name not in ("type", "score"):
                    raise InputError('has only "type" and "score"', field=f"{field}.{name}")
        type = item if isinstance(item, str) else required(item, "type", str, field + ".")
        score = None if isinstance(item, str) else required(item, "score", float, field + ".")
        found.append(Relation(member.head or 0, member.tail or 0, type, score))
    return found


def own_records(document: Document, member: Member) -> list[Any]:
    sides = member.head, member.tail
    own = [relation for relation in document.gold.relations if (relation.head, relation.tail) == sides]
    return [r.type if r.score is None else {"type": r.type, "score": r.score} for r in own]


def holds(document: Document) -> bool:
    gold = document.gold
    if document.bag is None or document.columns or set(document.layers) != {GOLD} or gold.clusters:
        return False
    spans = [(side, m) for m, member in enumerate(document.bag.members) for side in _sides(member)]
    return (
        len(document.bag.members) == len(document.sentences)
        and not any(member.features for member in document.bag.members)
        and [side for side, _ in spans] == list(range(len(gold.mentions)))
        and all(_is_bare(mention) for mention in gold.mentions)
        and is_joined(document)
        and on_tokens(document, gold.mentions)
        and all(_is_inside(document, gold.mentions[side], m) for side, m in spans)
        and {(r.head, r.tail) for r in gold.relations} <= {(m.head, m.tail) for m in document.bag.members}
        and not any(r.extra for r in gold.relations)
    )


def _sides(member: Member) -> list[int]:
    return [side for side in (member.head, member.tail) if side is not None]


def _is_bare(mention: Mention) -> bool:
    return mention.type is None and mention.entity is None and mention.score is None and not mention.extra


def _is_inside(document: Document, mention: Mention, sentence: int) -> bool:
    first, last = document.token_range(mention.start, mention.end)
    begin, end = document.sentences[sentence]
    return begin <= first and last <= end


def write(document: Document) -> dict[str, Any]:
    assert document.bag is not None
    values: dict[str, Any] = {"e1": document.bag.first, "e2": document.bag.second}
    values["relations"] = list(document.gold.labels)
    values["mentions"] = [_record(document, m, member) for m, member in enumerate(document.bag.members)]
    return compose(values | write_id(document.id, document.extra), document.extra, KNOWN)


def _record(document: Document, m: int, member: Member) -> dict[str, Any]:
    begin, end = document.sentences[m]
    values: dict[str, Any] = {"sid": member.extra["sid"]} if "sid" in member.extra else {}
    values["tokens"] = list(document.words[begin:end])
    for name, side in (("e1", member.head), ("e2", member.tail)):
        if side is not None:
            mention = document.gold.mentions[side]
            first, last = document.token_range(mention.start, mention.end)
            values[name] = [first - begin, last - begin]
        elif had(member.extra, name):
            values[name] = None
    values["relations"] = own_records(document, member)
    return compose(values, member.extra, ALWAYS)
