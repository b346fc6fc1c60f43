"""Mentions as records: with character offsets, and as token ranges of tokenised text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from engine.corpora.records.fields import compose, expect, had, optional, required, rest
from engine.corpora.records.offsets import check_surface, likely_cause
from engine.data.document import NIL, Document, Layer, Mention
from engine.data.errors import InputError

KNOWN: Final = ("start", "end", "text", "entity", "type", "score")
ALWAYS: Final = ("start", "end", "text", "entity")

UNLOCATED: Final = "unlocated"
"""The layer field with [position, record] of the mentions whose position in the text is unknown (start = -1)."""


def read_mentions(records: Any, text: str, field: str) -> Layer:
    """A layer of mentions {"start", "end", "text", "entity", "type", "score", ...} of a text.

    If `entity` is null, the mention is a named entity outside the knowledge base; if it is missing, nothing is known
    about the link.
    """
    mentions: list[Mention] = []
    unlocated: list[list[Any]] = []
    for i, record in enumerate(expect(records, list, field)):
        where = f"{field}[{i}]."
        expect(record, dict, f"{field}[{i}]")
        start, end = required(record, "start", int, where), required(record, "end", int, where)
        if start == -1:
            unlocated.append([i, record])
            continue
        surface = optional(record, "text", str, where)
        if not 0 <= start < end <= len(text):
            told = "" if surface is None else likely_cause(text, (start, end), surface)
            raise InputError(
                f"[{start}, {end}) is not a span of a text of {len(text)} characters{told}", field=where + "start"
            )
        extra = rest(record, KNOWN, ALWAYS)
        if surface is not None and surface != text[start:end]:
            check_surface(text, (start, end), surface, where + "text")
            extra["text"] = surface
        mentions.append(
            Mention(
                start,
                end,
                type=optional(record, "type", str, where),
                entity=read_entity(record, "entity", where),
                score=optional(record, "score", float, where),
                extra=extra,
            )
        )
    return Layer(tuple(mentions), extra={UNLOCATED: unlocated} if unlocated else {})


def write_mentions(document: Document, layer: Layer) -> list[dict[str, Any]]:
    records = [write_mention(mention, document.surface(mention)) for mention in layer.mentions]
    for position, record in layer.extra.get(UNLOCATED, ()):
        records.insert(position, record)
    return records


def write_mention(mention: Mention, surface: str | None) -> dict[str, Any]:
    """The record of a mention; without a surface, without the `text` field."""
    values: dict[str, Any] = {"start": mention.start, "end": mention.end}
    if surface is not None and had(mention.extra, "text"):
        values["text"] = mention.extra.get("text", surface)
    values |= write_entity(mention, "entity")
    if mention.type is not None:
        values["type"] = mention.type
    if mention.score is not None:
        values["score"] = mention.score
    return compose(values, mention.extra, ALWAYS)


def read_entity(record: Mapping[str, Any], name: str, where: str) -> str | None:
    """The title; NIL if it is null, None if the field is missing."""
    if name not in record:
        return None
    return NIL if record[name] is None else expect(record[name], str, where + name)


def write_entity(mention: Mention, name: str) -> dict[str, Any]:
    if mention.entity is None:
        return {}
    return {name: None if mention.entity == NIL else mention.entity}


def token_span(document: Document, sentence: int, first: int, last: int, field: str) -> tuple[int, int]:
    """Characters of tokens [first, last) of a sentence."""
    begin, end = document.sentences[sentence]
    if not 0 <= first < last <= end - begin:
        raise InputError(f"[{first}, {last}) is not a span of {end - begin} tokens", field=field)
    return document.char_range(begin + first, begin + last)


def on_tokens(document: Document, mentions: Iterable[Mention]) -> bool:
    """Whether every mention begins and ends at token boundaries."""
    for mention in mentions:
        first, last = document.token_range(mention.start, mention.end)
        if first == last or document.char_range(first, last) != mention.span:
            return False
    return True
