"""{"id", "mentions": [{"text", "expanded", "gold", "sent", "start", "end", "ner", "candidates"}], "bow", ...}:
mentions with candidates, without the running text.

A text is made up from the surfaces, with " … " between them and a line break where a new sentence begins. The offsets
of the record refer to tokens of the missing text, so they stay in `extra`.
"""

from __future__ import annotations

from typing import Any, Final

from engine.corpora.records.fields import compose, expect, had, list_of, optional, read_id, required, rest, write_id
from engine.corpora.records.spans import read_entity, write_entity
from engine.corpora.shapes.tweet import has_mentions_only, is_plain
from engine.data.document import GOLD, Document, Layer, Mention
from engine.data.errors import InputError

NAME: Final = "aida"
COMPACT: Final = True
KNOWN: Final = ("id", "split", "n_tokens", "mentions", "bow")
MENTION: Final = ("text", "expanded", "gold", "sent", "start", "end", "ner", "candidates")
SCORED: Final = (*MENTION, "score")
KEPT: Final = ("text", "expanded", "sent", "start", "end", "candidates")
"""Fields of a mention that stay in its `extra`, where features read them."""

CANDIDATE: Final = ("id", "title", "in_count", "out_count", "type", "pop", "links")
USUAL: Final = {(int, str, int, int, str, kind, list) for kind in (float, type(None))}
"""The kinds of fields of nearly every candidate: one check instead of seven."""

GAP: Final = " … "


def matches(record: dict[str, Any]) -> bool:
    return "bow" in record and "mentions" in record


def read(record: dict[str, Any], position: int) -> Document:
    extra = rest(record, KNOWN, KNOWN)
    extra |= {name: record[name] for name in ("split", "n_tokens", "bow") if name in record}
    for word, count in expect(record["bow"], dict, "bow").items():
        expect(count, float, f"bow.{word}")
    pieces: list[str] = []
    mentions: list[Mention] = []
    at = 0
    sentence = None
    for i, item in enumerate(required(record, "mentions", list)):
        where = f"mentions[{i}]."
        text = required(expect(item, dict, f"mentions[{i}]"), "text", str, where)
        if not text:
            raise InputError("is empty", field=where + "text")
        if pieces:
            gap = GAP if item.get("sent") == sentence else "\n"
            pieces.append(gap)
            at += len(gap)
        sentence = optional(item, "sent", int, where)
        mentions.append(_mention(item, at, at + len(text), where))
        pieces.append(text)
        at += len(text)
    return Document(
        read_id(record, position, extra),
        "".join(pieces),
        layers={GOLD: Layer(tuple(mentions))},
        shape=NAME,
        extra=extra,
    )


def _mention(item: dict[str, Any], start: int, end: int, where: str) -> Mention:
    optional(item, "expanded", str, where)
    optional(item, "start", int, where)
    optional(item, "end", int, where)
    for c, candidate in enumerate(required(item, "candidates", list, where)):
        _check_candidate(candidate, f"{where}candidates[{c}]")
    extra = rest(item, SCORED, MENTION)
    extra |= {name: item[name] for name in KEPT if name in item}
    return Mention(
        start,
        end,
        type=optional(item, "ner", str, where),
        entity=read_entity(item, "gold", where),
        score=optional(item, "score", float, where),
        extra=extra,
    )


def _check_candidate(candidate: Any, field: str) -> None:
    """Check only the types: candidates are used unchanged, and may have more fields."""
    if isinstance(candidate, dict) and tuple(map(type, map(candidate.get, CANDIDATE))) in USUAL:
        list_of(candidate["links"], int, field + ".links")
        return
    expect(candidate, dict, field)
    required(candidate, "id", int, field + ".")
    required(candidate, "title", str, field + ".")
    for name in ("in_count", "out_count", "pop"):
        optional(candidate, name, float, field + ".")
    optional(candidate, "type", str, field + ".")
    if candidate.get("links") is not None:
        list_of(candidate["links"], int, field + ".links")


def holds(document: Document) -> bool:
    """Yes, as long as the text is the one made up from the mentions."""
    gold = document.gold
    made = all("candidates" in mention.extra and "text" in mention.extra for mention in gold.mentions)
    return is_plain(document) and set(document.layers) == {GOLD} and has_mentions_only(gold) and made


def write(document: Document) -> dict[str, Any]:
    values = write_id(document.id, document.extra)
    for name in ("split", "n_tokens"):
        if name in document.extra:
            values[name] = document.extra[name]
    values["mentions"] = [_record(mention) for mention in document.gold.mentions]
    return compose(values, document.extra, KNOWN)


def _record(mention: Mention) -> dict[str, Any]:
    kept = mention.extra
    values = {name: kept[name] for name in ("text", "expanded") if name in kept}
    values |= write_entity(mention, "gold")
    values |= {name: kept[name] for name in ("sent", "start", "end") if name in kept}
    if mention.type is not None or had(kept, "ner"):
        values["ner"] = mention.type
    values["candidates"] = kept["candidates"]
    if mention.score is not None:
        values["score"] = mention.score
    return compose(values, kept, MENTION)
