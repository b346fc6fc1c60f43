"""The places of a document and the annotators' readings of them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from engine.data.document import FRAGMENTS, Layer
from engine.data.edits import State
from engine.metrics.differences import Decision

Span: TypeAlias = tuple[int, int]
Kind: TypeAlias = Literal["mention", "chain", "relation", "label"]
Account: TypeAlias = frozenset[Decision]
"""One annotator's answer for a place; empty if there is none."""


@dataclass(frozen=True)
class Reading:
    """An answer for a place and the annotators who gave it."""

    said: Account
    by: tuple[str, ...]


@dataclass(frozen=True)
class Place:
    """Something that is answered as a whole; the reading with the most votes comes first."""

    kind: Kind
    spans: tuple[Span, ...]
    """Mention: the spans that exclude each other. Chain: the mention. Relation: head and tail. Label: none."""
    readings: tuple[Reading, ...]
    pieces: Mapping[Span, tuple[Span, ...]] = field(default_factory=dict, compare=False)
    """The pieces of spans with gaps."""

    @property
    def disputed(self) -> bool:
        return len(self.readings) > 1

    @property
    def start(self) -> int:
        return self.spans[0][0] if self.spans else -1

    @property
    def end(self) -> int:
        return max((end for _, end in self.spans), default=-1)

    @property
    def key(self) -> str:
        """An identifier that stays the same as long as all readings do: if somebody changes theirs, the question is
        asked again.

        A chain is identified by its nearest mention, which changes when gold gains mentions; for chains only who agrees
        with whom counts.
        """
        where = " ".join(f"{start}-{end}" for start, end in self.spans)
        told = [(sorted(map(str, one.said)) if self.kind != "chain" else [], one.by) for one in self.readings]
        label = next((one.value for reading in self.readings for one in reading.said), "") if not self.spans else ""
        return f"{self.kind} {where}{label} {hashlib.sha256(str(sorted(told)).encode()).hexdigest()[:12]}"


def places(layers: Mapping[str, Layer], gold: State) -> list[Place]:
    """Every place for which somebody has an answer, in text order; mentions and labels before what depends on them."""
    first = [*_mentions(layers), *_labels(layers)]
    second = [*_chains(layers, gold), *_relations(layers, gold)]
    return [*sorted(first, key=_position), *sorted(second, key=_position)]


def account_of(gold: State, place: Place) -> Account:
    """Gold's current answer for the place."""
    match place.kind:
        case "mention":
            said = _marked(gold.layer())
            return frozenset().union(*(said.get(span, frozenset()) for span in place.spans))
        case "label":
            asked = {one.value for reading in place.readings for one in reading.said}
            return frozenset(Decision(0, 0, "label", label) for label in gold.labels if label in asked)
        case "chain":
            return _antecedent(place.spans[0], _chain_in(gold.layer(), _own_spans(gold.layer())))
        case "relation":
            head, tail = place.spans
            return _related(gold.layer(), _own_spans(gold.layer()), head, tail)


def _position(place: Place) -> tuple[int, int, str]:
    return place.start, place.end, place.kind


def _place(kind: Kind, spans: tuple[Span, ...], said: Mapping[str, Account]) -> Place:
    by: dict[Account, list[str]] = {}
    for name in sorted(said):
        by.setdefault(said[name], []).append(name)
    readings = [Reading(account, tuple(names)) for account, names in by.items()]
    return Place(kind, spans, tuple(sorted(readings, key=lambda one: (-len(one.by), not one.said, one.by))))


# Mentions


def _marked(layer: Layer) -> dict[Span, Account]:
    """Span -> the answer for the mention there; a span that was marked twice counts once."""
    found: dict[Span, Account] = {}
    for mention in layer.mentions:
        said = {Decision(*mention.span, "span", "")}
        if mention.type is not None:
            said.add(Decision(*mention.span, "type", mention.type))
        if mention.entity is not None:
            said.add(Decision(*mention.span, "link", mention.entity))
        found.setdefault(mention.span, frozenset(said))
    return found


def _mentions(layers: Mapping[str, Layer]) -> Iterator[Place]:
    said = {name: _marked(layer) for name, layer in layers.items()}
    pieces = {
        mention.span: tuple((int(start), int(end)) for start, end in mention.extra[FRAGMENTS])
        for layer in layers.values()
        for mention in layer.mentions
        if mention.extra.get(FRAGMENTS)
    }
    for spans in _alternatives(said):
        accounts = {
            name: frozenset().union(*(own.get(span, frozenset()) for span in spans)) for name, own in said.items()
        }
        made = _place("mention", spans, accounts)
        yield Place(made.kind, made.spans, made.readings, {span: pieces[span] for span in spans if span in pieces})


def _alternatives(said: Mapping[str, Mapping[Span, Account]]) -> Iterator[tuple[Span, ...]]:
    """Groups of alternative spans: two overlapping spans belong together if one annotator has only the first and
    another only the second. Nested spans that all annotators have are not alternatives."""
    spans = sorted({span for own in said.values() for span in own})
    group = {span: [span] for span in spans}
    for i, first in enumerate(spans):
        for second in spans[i + 1 :]:
            if second[0] >= first[1]:
                break
            one_way = any(first in own and second not in own for own in said.values())
            other_way = any(second in own and first not in own for own in said.values())
            if one_way and other_way and group[first] is not group[second]:
                group[first] += group[second]
                for moved in group[second]:
                    group[moved] = group[first]
    for found in {id(found): found for found in group.values()}.values():
        yield tuple(sorted(found))


# Labels


def _labels(layers: Mapping[str, Layer]) -> Iterator[Place]:
    for label in sorted({label for layer in layers.values() for label in layer.labels}):
        said = Decision(0, 0, "label", label)
        yield _place(
            "label", (), {name: frozenset({said} if label in layer.labels else ()) for name, layer in layers.items()}
        )


# Chains and relations, between the mentions of gold


def _own_spans(layer: Layer) -> dict[Span, int]:
    return {mention.span: i for i, mention in reversed(list(enumerate(layer.mentions)))}


def _stand_ins(layer: Layer, gold: Iterable[Span]) -> dict[Span, int]:
    """Gold's span -> the annotator's mention that corresponds to it: the same span, else one that overlaps it and is
    not itself a gold mention. So a relation survives if the boundary of its mention was settled differently."""
    own, wanted = _own_spans(layer), set(gold)
    loose = [(span, i) for span, i in own.items() if span not in wanted]
    found: dict[Span, int] = {}
    for span in wanted:
        near = [i for (start, end), i in loose if start < span[1] and span[0] < end]
        if span in own:
            found[span] = own[span]
        elif len(near) == 1:
            found[span] = near[0]
    return found


def _chain_in(layer: Layer, places: Mapping[Span, int]) -> dict[Span, int]:
    """Gold's span -> number of its chain in the layer."""
    cluster = layer.cluster_of()
    return {span: cluster[i] for span, i in places.items() if i in cluster}


def _antecedent(span: Span, chain: Mapping[Span, int]) -> Account:
    """The nearest mention before it in its chain."""
    if span not in chain:
        return frozenset()
    earlier = [one for one, number in chain.items() if number == chain[span] and _order(one) < _order(span)]
    return frozenset({Decision(*span, "coreference", "", max(earlier, key=_order))} if earlier else ())


def _order(span: Span) -> tuple[int, int]:
    return span[0], -span[1]


def _chains(layers: Mapping[str, Layer], gold: State) -> Iterator[Place]:
    spans = sorted(_own_spans(gold.layer()), key=_order)
    places = {name: _stand_ins(layer, spans) for name, layer in layers.items()}
    chains = {name: _chain_in(layers[name], found) for name, found in places.items()}
    for span in spans:
        said = {name: _antecedent(span, chains[name]) for name in layers if span in places[name]}
        if any(said.values()):
            yield _place("chain", (span,), said)


def _related(layer: Layer, places: Mapping[Span, int], head: Span, tail: Span) -> Account:
    ends = places.get(head), places.get(tail)
    types = {relation.type for relation in layer.relations if (relation.head, relation.tail) == ends}
    return frozenset(Decision(*head, "relation", type, tail) for type in types)


def _relations(layers: Mapping[str, Layer], gold: State) -> Iterator[Place]:
    spans = _own_spans(gold.layer())
    places = {name: _stand_ins(layer, spans) for name, layer in layers.items()}
    pairs: set[tuple[Span, Span]] = set()
    for name, layer in layers.items():
        stands_for = {i: span for span, i in places[name].items()}
        ends = [(stands_for.get(one.head), stands_for.get(one.tail)) for one in layer.relations]
        pairs |= {(head, tail) for head, tail in ends if head is not None and tail is not None}
    for head, tail in sorted(pairs):
        voters = [name for name in layers if head in places[name] and tail in places[name]]
        said = {name: _related(layers[name], places[name], head, tail) for name in voters}
        yield _place("relation", (head, tail), said)
