"""What gold says of scores: groups of alternatives of which one was to be chosen, each with its number.

    links       the entities of a span, and declining
    antecedents the antecedents of a mention, and starting an entity
    labels      a relation of a bag, at its best sentence, and not that relation
    types       the types of a mention that gold has
    relations   the relations of a pair of mentions, and none

Declining is an alternative where it is scored, and where the scale has a zero of its own. It is right where nothing
that was listed is.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

import numpy as np

from engine.arrays import Floats
from engine.corpora.scores.parts import Arc, Label, Link, Pair, Part, Span, Typed
from engine.corpora.scores.records import ScoreRecord
from engine.corpora.scores.scales import additive
from engine.data.document import Document
from engine.data.errors import InputError

Kind: TypeAlias = Literal["links", "antecedents", "labels", "types", "relations"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)


@dataclass(frozen=True)
class Group:
    """Alternatives, of which one is chosen. Declining comes first, where it is one of them."""

    kind: Kind
    nil: Part | None
    """Declining, where it is an alternative: as it was scored, or as it would have been."""
    parts: tuple[Part, ...]
    """Those that are not declining."""
    scores: Floats
    """Additive, one per alternative."""

    @property
    def declines(self) -> bool:
        return self.nil is not None

    @property
    def against(self) -> Floats:
        """The scores of `parts` against declining."""
        return self.scores[1:] - self.scores[0] if self.declines else self.scores


def groups_of(record: ScoreRecord) -> Iterator[Group]:
    """The parts of a record by what they are alternatives for, in the order in which they first occur."""
    found: dict[Hashable, list[Part]] = {}
    for part in record.parts:
        found.setdefault(_place(part), []).append(part)
    for parts in found.values():
        nil = next((part for part in parts if value_of(part) is None), None)
        others = tuple(part for part in parts if value_of(part) is not None)
        kind = kind_of(parts[0])
        declines = kind != "types" and (nil is not None or record.scale in ("logit", "prob"))
        scores = [additive(part.score, record.scale, declining=nil is not None) for part in others]
        zero = [0.0 if nil is None else additive(nil.score, record.scale, declining=True)] if declines else []
        numbers = np.array([*zero, *scores], dtype=np.float64)
        yield Group(kind, (nil or _declining(parts[0])) if declines else None, others, numbers)


def refuse_second_scores(record: ScoreRecord) -> None:
    """InputError if an alternative is scored twice."""
    seen: set[Hashable] = set()
    for i, part in enumerate(record.parts):
        alternative = _place(part), value_of(part)
        if alternative in seen:
            raise InputError("this alternative is scored twice", field=f"parts[{i}]")
        seen.add(alternative)


def judged(record: ScoreRecord, gold: Document) -> Iterator[tuple[Group, np.ndarray[tuple[int], np.dtype[np.bool_]]]]:
    """The groups for which gold decides which alternatives are right, and which of them are."""
    is_right = _judge(gold)
    for group in _of_bags(groups_of(record)):
        right = np.array([is_right(part) for part in group.parts], dtype=bool)
        if group.declines:
            right = np.concatenate([[not right.any()], right])
        if right.any() and len(right) > 1:
            yield group, right


def kind_of(part: Part) -> Kind:
    if isinstance(part, Link):
        return "links"
    if isinstance(part, Arc):
        return "antecedents"
    if isinstance(part, Label):
        return "labels"
    return "types" if isinstance(part, Typed) else "relations"


def value_of(part: Part) -> str | Span | None:
    """What is chosen with the part; None is declining."""
    if isinstance(part, Link):
        return part.entity
    if isinstance(part, Arc):
        return part.antecedent
    return part.relation if isinstance(part, Label) else part.type


def _declining(part: Part) -> Part:
    """Declining in place of this part."""
    if isinstance(part, Link):
        return Link(part.span, None, 0.0)
    if isinstance(part, Arc):
        return Arc(part.span, None, 0.0)
    return Label(part.member, None, 0.0) if isinstance(part, Label) else part._replace(type=None, score=0.0)


def _place(part: Part) -> Hashable:
    """What the part is an alternative for."""
    if isinstance(part, Label):
        return "label", part.member
    return (type(part), part.head, part.tail) if isinstance(part, Pair) else (type(part), part.span)


def _of_bags(groups: Iterator[Group]) -> Iterator[Group]:
    """The groups, those of a bag as one for each relation: gold says which relations a bag has, not which sentence says
    so. A bag has a relation by its best sentence, and by what is said of it as a whole."""
    best: dict[str, tuple[Label, float]] = {}
    whole: dict[str, tuple[Label, float]] = {}
    for group in groups:
        if group.kind != "labels":
            yield group
            continue
        for part, score in zip(group.parts, group.against.tolist(), strict=True):
            assert isinstance(part, Label) and part.relation is not None
            known = whole if part.member is None else best
            if part.relation not in known or score > known[part.relation][1]:
                known[part.relation] = part, score
    for relation in dict.fromkeys([*best, *whole]):
        said = [known[relation] for known in (best, whole) if relation in known]
        scores = np.array([0.0, sum(score for _, score in said)])
        yield Group("labels", _declining(said[0][0]), (said[0][0],), scores)


def _judge(gold: Document) -> Callable[[Part], bool]:
    layer = gold.gold
    spans: Sequence[Span] = [mention.span for mention in layer.mentions]
    entities = {(mention.span, mention.entity) for mention in layer.mentions if mention.is_linked}
    types = {(mention.span, mention.type) for mention in layer.mentions}
    chain: Mapping[Span, int] = {spans[i]: c for c, cluster in enumerate(layer.clusters) for i in cluster}
    relations = {(spans[one.head], spans[one.tail], one.type) for one in layer.relations}

    def is_right(part: Part) -> bool:
        if isinstance(part, Link):
            return (part.span, part.entity) in entities
        if isinstance(part, Arc):
            before = part.antecedent
            return before is not None and part.span in chain and chain[part.span] == chain.get(before)
        if isinstance(part, Label):
            return part.relation in layer.labels
        if isinstance(part, Typed):
            return (part.span, part.type) in types
        return (part.head, part.tail, part.type) in relations

    return is_right
