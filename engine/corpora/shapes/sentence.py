"""{"id", "tokens", "pos", "entities": [{"start", "end", "type"}], "relations": [{"head", "tail", "type"}]}:
a tokenised sentence with typed entities and directed relations between them (CoNLL04). Offsets are tokens.
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
    read_id,
    required,
    rest,
    words_of,
    write_id,
)
from engine.corpora.records.spans import on_tokens, read_entity, token_span, write_entity
from engine.data.document import GOLD, Document, Layer, Mention, Relation
from engine.data.errors import InputError

NAME: Final = "sentence"
COMPACT: Final = False
KNOWN: Final = ("id", "tokens", "pos", "entities", "relations")
ENTITY: Final = ("start", "end", "type", "entity", "score")
RELATION: Final = ("head", "tail", "type", "score")


def matches(record: dict[str, Any]) -> bool:
    return "tokens" in record


def read(record: dict[str, Any], position: int) -> Document:
    extra = rest(record, KNOWN, KNOWN)
    words = words_of(record["tokens"], "tokens")
    columns = {}
    if record.get("pos") is not None:
        tags = list_of(record["pos"], str, "pos")
        if len(tags) != len(words):
            raise InputError(f"{len(tags)} tags for {len(words)} tokens", field="pos")
        columns["pos"] = tuple(tags)
    bare = Document.from_words(read_id(record, position, extra), [words], columns=columns, shape=NAME, extra=extra)
    mentions = tuple(
        _mention(bare, item, f"entities[{i}]") for i, item in enumerate(optional(record, "entities", list) or ())
    )
    relations = tuple(
        _relation(item, len(mentions), f"relations[{i}]")
        for i, item in enumerate(optional(record, "relations", list) or ())
    )
    return replace(bare, layers={GOLD: Layer(mentions, relations=relations)})


def _mention(document: Document, item: Any, field: str) -> Mention:
    where = field + "."
    expect(item, dict, field)
    first, last = required(item, "start", int, where), required(item, "end", int, where)
    start, end = token_span(document, 0, first, last, where + "start")
    return Mention(
        start,
        end,
        type=optional(item, "type", str, where),
        entity=read_entity(item, "entity", where),
        score=optional(item, "score", float, where),
        extra=rest(item, ENTITY, ENTITY[:3]),
    )


def _relation(item: Any, n: int, field: str) -> Relation:
    where = field + "."
    expect(item, dict, field)
    sides = []
    for name in ("head", "tail"):
        side = required(item, name, int, where)
        if not 0 <= side < n:
            raise InputError(f"names entity {side}, but there are {n} entities", field=where + name)
        sides.append(side)
    return Relation(
        sides[0],
        sides[1],
        required(item, "type", str, where),
        score=optional(item, "score", float, where),
        extra=rest(item, RELATION, RELATION[:3]),
    )


def holds(document: Document) -> bool:
    gold = document.gold
    return (
        len(document.sentences) == 1
        and document.sentences[0] == (0, len(document.tokens))
        and document.bag is None
        and set(document.columns) <= {"pos"}
        and set(document.layers) == {GOLD}
        and not gold.clusters
        and not gold.labels
        and is_joined(document)
        and on_tokens(document, gold.mentions)
    )


def is_joined(document: Document) -> bool:
    """Whether the text is just the words, with one space between words and a line break between sentences."""
    words = document.words
    joined = "\n".join(" ".join(words[first:last]) for first, last in document.sentences)
    return "" not in words and joined == document.text


def write(document: Document) -> dict[str, Any]:
    values = write_id(document.id, document.extra)
    values["tokens"] = list(document.words)
    if "pos" in document.columns:
        values["pos"] = list(document.columns["pos"])
    values["entities"] = [_entity(document, mention) for mention in document.gold.mentions]
    values["relations"] = [write_relation(relation) for relation in document.gold.relations]
    return compose(values, document.extra, KNOWN)


def _entity(document: Document, mention: Mention) -> dict[str, Any]:
    first, last = document.token_range(mention.start, mention.end)
    values: dict[str, Any] = {"start": first, "end": last}
    if mention.type is not None or had(mention.extra, "type"):
        values["type"] = mention.type
    values |= write_entity(mention, "entity")
    if mention.score is not None:
        values["score"] = mention.score
    return compose(values, mention.extra, ())


def write_relation(relation: Relation) -> dict[str, Any]:
    values: dict[str, Any] = {"head": relation.head, "tail": relation.tail, "type": relation.type}
    if relation.score is not None:
        values["score"] = relation.score
    return compose(values, relation.extra, ())
