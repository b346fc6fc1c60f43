"""The edits that write readings to gold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from engine.data import edits as e
from engine.data.document import Layer
from engine.data.edits import Edit, State, Together
from engine.metrics.differences import Decision
from engine.workbench.adjudication.places import Place, Reading, Span, account_of, places
from engine.workbench.adjudication.votes import Threshold, winner


def settle(gold: State, place: Place, reading: Reading, reason: str, id: str) -> Together:
    """The curator's answer to a question, as one action. A reading without authors is one that no annotator gave."""
    return Together((*_written(gold, place, reading, id), e.Settle(place.key, reading.by, reason)))


def take_over(
    gold: State, layers: Mapping[str, Layer], threshold: Threshold, weight: Mapping[str, float], id: str
) -> Together | None:
    """One action that writes everything on which enough annotators agree; None if gold already has all of it.

    Chains and relations depend on mentions, so they are computed after the mentions have been added.
    """
    done: list[Edit] = []
    for stage in ("mentions", "what stands on them"):
        for number, place in enumerate(places(layers, gold)):
            if (place.kind in ("mention", "label")) != (stage == "mentions") or place.key in gold.settled:
                continue
            reading = winner(place, threshold, weight)
            if reading is None or _is_taken(gold, place, reading):
                continue
            made = list(_written(gold, place, reading, f"{id}.{len(done)}.{number}"))
            if place.disputed:
                made.append(e.Settle(place.key, reading.by, "by majority" if threshold == "majority" else "by weight"))
            for edit in made:
                gold = e.apply(gold, edit)
            done += made
    return Together(tuple(done)) if done else None


def ready(gold: State, layers: Mapping[str, Layer]) -> list[Place]:
    """Places on which all agree and which gold does not have yet."""
    found = places(layers, gold)
    return [
        place
        for place in found
        if not place.disputed and place.key not in gold.settled and not _is_taken(gold, place, place.readings[0])
    ]


def _is_taken(gold: State, place: Place, reading: Reading) -> bool:
    """Whether gold already has exactly this reading, and the names of those who agreed on it."""
    if account_of(gold, place) != reading.said:
        return False
    return all(gold.agreed.get(target) == reading.by for target in _targets(gold, place, reading))


def _targets(gold: State, place: Place, reading: Reading) -> list[str]:
    """The items of gold that the reading concerns, by permanent id; none for a chain, whose mentions record who
    agreed."""
    match place.kind:
        case "mention":
            return [id for span in place.spans if _says(reading, span) for id in _at(gold, span)[:1]]
        case "relation":
            types = {one.value for one in reading.said}
            return [id for id, type in _between(gold, *place.spans) if type in types]
        case "label":
            return [e.label_target(one.value) for one in reading.said]
        case "chain":
            return []


def _written(gold: State, place: Place, reading: Reading, id: str) -> Iterator[Edit]:
    """The edits of gold that write the reading, and those that record who agreed."""
    made: list[Edit] = []
    match place.kind:
        case "mention":
            made += _mention_edits(gold, place, reading, id)
        case "label":
            labels = {one.value for other in place.readings for one in other.said}
            made += [e.SetLabel(label, any(one.value == label for one in reading.said)) for label in sorted(labels)]
        case "chain":
            made += _chain_edits(gold, place.spans[0], reading, id)
        case "relation":
            made += _relation_edits(gold, place, reading, id)
    yield from made
    after = e.apply(gold, Together(tuple(made)))
    yield from (e.Credit(target, reading.by) for target in _targets(after, place, reading) if reading.by)


def _mention_edits(gold: State, place: Place, reading: Reading, id: str) -> Iterator[Edit]:
    for number, span in enumerate(place.spans):
        there = _at(gold, span)
        if not _says(reading, span):
            yield from (e.RemoveMention(one) for one in there if one not in gold.arguments)
            continue
        type = next((one.value for one in reading.said if _is(one, span, "type")), None)
        entity = next((one.value for one in reading.said if _is(one, span, "link")), None)
        if not there:
            yield e.AddMention(f"{id}.{number}", *span, type, entity, pieces=place.pieces.get(span, ()))
            continue
        if gold.mentions[there[0]].type != type:
            yield e.SetType(there[0], type)
        if gold.mentions[there[0]].entity != entity:
            yield e.SetEntity(there[0], entity)


def _says(reading: Reading, span: Span) -> bool:
    return any(_is(one, span, "span") for one in reading.said)


def _is(one: Decision, span: Span, kind: str) -> bool:
    return one.kind == kind and (one.start, one.end) == span


def _chain_edits(gold: State, span: Span, reading: Reading, id: str) -> Iterator[Edit]:
    """Move the mention, and those after it in its chain, to the chain of the named mention, or to a new chain."""
    (mention, *_) = _at(gold, span)
    cluster = gold.clusters.get(mention)
    chain = [one for one, name in gold.clusters.items() if cluster is not None and name == cluster]
    moved = [one for one in chain or [mention] if _order(gold, one) >= _order(gold, mention)]
    before = next((_at(gold, one.other)[0] for one in reading.said), None)
    if before is None:
        if len(moved) < len(chain):
            yield from (e.SetCluster(one, id if len(moved) > 1 else None) for one in moved)
        return
    target = gold.clusters.get(before)
    if target is None:
        yield e.SetCluster(before, id)
    if target is None or target != cluster:
        yield from (e.SetCluster(one, target or id) for one in moved)


def _relation_edits(gold: State, place: Place, reading: Reading, id: str) -> Iterator[Edit]:
    head, tail = place.spans
    wanted = {one.value for one in reading.said}
    there = _between(gold, head, tail)
    yield from (e.RemoveRelation(one) for one, type in there if type not in wanted)
    for type in sorted(wanted - {type for _, type in there}):
        yield e.AddRelation(f"{id}.{type}", _at(gold, head)[0], _at(gold, tail)[0], type)


def _at(gold: State, span: Span) -> list[str]:
    return [id for id, mention in gold.mentions.items() if mention.span == span]


def _between(gold: State, head: Span, tail: Span) -> list[tuple[str, str]]:
    """Relations of the pair: id and type."""
    sides = {id: mention.span for id, mention in gold.mentions.items()}
    return [(id, arc.type) for id, arc in gold.relations.items() if (sides[arc.head], sides[arc.tail]) == (head, tail)]


def _order(gold: State, id: str) -> tuple[int, int]:
    mention = gold.mentions[id]
    return mention.start, -mention.end
