"""What can be scored, and how it stands in the field `parts` of a native record.

    {"start": 0, "end": 6, "entity": "Rome", "score": 2.1}         these characters mean this entity
    {"mention": 0, "entity": "Rome", "score": 0.7}                 this mention does
    {"mention": 2, "antecedent": 0, "score": 18.9}                 one mention is the antecedent of another
    {"sid": "s0", "relation": "born_in", "score": 0.8}             a sentence of a bag says a relation
    {"relation": "born_in", "score": 0.6}                          the bag as a whole does
    {"entity": 0, "type": "Peop", "score": -0.1}                   a mention has a type
    {"head": 0, "tail": 1, "type": "Kill", "score": -1.2}          two mentions stand in a relation

A null entity, antecedent, relation or type is declining. A mention is named by its number among the mentions of the
record, from 0, or by its characters [start, end); a sentence of a bag by its `sid`, or by its number as `member`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from engine.corpora.records.fields import expect, optional, pair, required
from engine.corpora.records.offsets import check_surface
from engine.corpora.scores.scales import Scale, bounds_of, check
from engine.data.document import Document
from engine.data.errors import InputError

Span: TypeAlias = tuple[int, int]
Json: TypeAlias = dict[str, Any]


class Link(NamedTuple):
    """Characters mean an entity; None: they mean none."""

    span: Span
    entity: str | None
    score: float
    type: str = ""
    """What kind of thing the entity is, where somebody says."""
    odds: float | None = None
    """Of declining, where somebody says: its log-odds against all entities of the span together. The score says the
    same, but for rounding."""


class Arc(NamedTuple):
    """An earlier mention is the antecedent of one; None: it starts an entity."""

    span: Span
    antecedent: Span | None
    score: float


class Label(NamedTuple):
    """A member of a bag, or with None the bag as a whole, says a relation; None: it says none."""

    member: int | None
    relation: str | None
    score: float
    share: float = 1.0
    """How much the bias counts for this member; only the part of declining has it."""


class Typed(NamedTuple):
    """A mention has a type; None: it is not a mention. Types cannot be declined, so that only scales the others."""

    span: Span
    type: str | None
    score: float


class Pair(NamedTuple):
    """Two mentions stand in a relation; None: in none."""

    head: Span
    tail: Span
    type: str | None
    score: float


Part: TypeAlias = Link | Arc | Label | Typed | Pair


def read_parts(items: Any, document: Document, scale: Scale) -> list[Part]:
    """The parts of a record. Numbers of mentions count those of the document's gold layer."""
    place, (lowest, highest) = Place(document), bounds_of(scale)
    length = len(place.text)
    return [
        _plain_link(item, length, lowest, highest)
        or _part(expect(item, dict, f"parts[{i}]"), place, scale, f"parts[{i}].")
        for i, item in enumerate(expect(items, list, "parts"))
    ]


class Place:
    """A document in which parts name mentions and members."""

    def __init__(self, document: Document) -> None:
        self.text = document.text
        self.mentions = [mention.span for mention in document.gold.mentions]
        self.members = () if document.bag is None else document.bag.members
        self._of_sid = {member.extra["sid"]: i for i, member in enumerate(self.members) if _has_sid(member.extra)}

    def span(self, start: int, end: int, field: str) -> Span:
        if not 0 <= start < end <= len(self.text):
            raise InputError(f"[{start}, {end}) is not a span of a text of {len(self.text)} characters", field=field)
        return start, end

    def mention(self, name: Any, field: str) -> Span:
        """The characters of a mention that is named by its number or by them."""
        if isinstance(name, list):
            return self.span(*pair(name, field), field)
        number: int = expect(name, int, field)
        if not 0 <= number < len(self.mentions):
            raise InputError(f"names mention {number}, but there are {len(self.mentions)} mentions", field=field)
        return self.mentions[number]

    def member(self, item: Mapping[str, Any], where: str) -> int | None:
        """The member of the bag that a part is about; None: the bag as a whole."""
        if item.get("sid") is not None:
            sid = item["sid"]
            if not isinstance(sid, str | int) or sid not in self._of_sid:
                raise InputError(f"the bag has no sentence {sid!r}", field=where + "sid")
            return self._of_sid[sid]
        number: int | None = optional(item, "member", int, where)
        if number is not None and not 0 <= number < len(self.members):
            raise InputError(f"names member {number}, but the bag has {len(self.members)}", field=where + "member")
        return number


def _has_sid(extra: Mapping[str, Any]) -> bool:
    return isinstance(extra.get("sid"), str | int)


def _plain_link(item: Any, length: int, lowest: float, highest: float) -> Link | None:
    """A span with an entity about which nothing is unusual: there may be millions of them. None for everything else,
    which `_part` reads, naming what is wrong with it."""
    try:
        start, end, entity, score = item["start"], item["end"], item["entity"], item["score"]
    except (KeyError, TypeError):
        return None
    family = "" if len(item) == 4 else item.get("type")
    is_plain = (
        type(start) is type(end) is int
        and 0 <= start < end <= length
        and type(score) is float
        and lowest <= score <= highest
        and (entity is None or (type(entity) is str and entity != ""))
        and type(family) is str
        and len(item) <= 5
    )
    return Link((start, end), entity, score, family) if is_plain else None


def _part(item: Json, place: Place, scale: Scale, where: str) -> Part:
    score = check(required(item, "score", float, where), scale, where + "score")
    if "antecedent" in item:
        span = place.mention(item.get("mention"), where + "mention")
        before = item["antecedent"]
        antecedent = None if before is None else place.mention(before, where + "antecedent")
        if antecedent is not None and _in_order(antecedent) >= _in_order(span):
            raise InputError("an antecedent comes before its mention in the text", field=where + "antecedent")
        return Arc(span, antecedent, score)
    if "relation" in item:
        share: float | None = optional(item, "share", float, where)
        if share is not None and not 0.0 < share <= 1.0:
            raise InputError(f"a share lies above 0 and is at most 1, not {share:g}", field=where + "share")
        member, relation = place.member(item, where), optional(item, "relation", str, where)
        return Label(member, relation, score, 1.0 if share is None else share)
    if "head" in item:
        head, tail = (place.mention(item.get(side), where + side) for side in ("head", "tail"))
        if head == tail:
            raise InputError("a relation needs two different mentions", field=where + "tail")
        return Pair(head, tail, _name(item, "type", where), score)
    if "start" in item or "mention" in item:
        return _link(item, place, score, where)
    if "type" in item:
        return Typed(place.mention(item.get("entity"), where + "entity"), _name(item, "type", where), score)
    known = ", ".join(list(item)[:6])
    raise InputError(
        f'not a part we know: it needs "entity", "antecedent", "relation" or "type", and has {known}', field=where[:-1]
    )


def _link(item: Json, place: Place, score: float, where: str) -> Link:
    if "mention" in item:
        if "entity" not in item:
            raise InputError("has neither an entity nor an antecedent; null is declining", field=where[:-1])
        span = place.mention(item["mention"], where + "mention")
    else:
        start, end = required(item, "start", int, where), required(item, "end", int, where)
        span = place.span(start, end, where + "start")
    surface = optional(item, "text", str, where)
    if surface is not None:
        check_surface(place.text, span, surface, where + "text")
    odds: float | None = optional(item, "odds", float, where)
    if odds is not None:
        check(odds, "margin", where + "odds")
    return Link(span, _name(item, "entity", where), score, optional(item, "type", str, where) or "", odds)


def _name(item: Json, name: str, where: str) -> str | None:
    """A name that may be null but not absent: null is declining."""
    if name not in item:
        raise InputError("is missing; null is declining", field=where + name)
    found: str | None = optional(item, name, str, where)
    if found == "":
        raise InputError("is empty; null is declining", field=where + name)
    return found


def _in_order(span: Span) -> Span:
    """Mentions in the order of the text, of equal starts the longer first."""
    return span[0], -span[1]


def numbers_of(document: Document) -> dict[Span, int]:
    """The number of every mention of a document that is to be written."""
    return {mention.span: i for i, mention in reversed(list(enumerate(document.gold.mentions)))}


def name_of(span: Span, numbers: Mapping[Span, int]) -> int | list[int]:
    """What to call a mention in a part: its number, or its characters where the record does not list it."""
    return numbers[span] if span in numbers else list(span)


def declined(parts: Sequence[Part]) -> bool:
    """Whether some part is declining."""
    return any(_chosen(part) is None for part in parts)


def _chosen(part: Part) -> Any:
    if isinstance(part, Link):
        return part.entity
    if isinstance(part, Arc):
        return part.antecedent
    return part.relation if isinstance(part, Label) else part.type
