"""Predictions as suggestions: what the model, or another annotator, would add to a layer, and the edit that accepts it.

A suggestion is a decision of the other layer that the layer being edited has neither made nor rejected.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, get_args

from engine.data import edits as e
from engine.data.document import Layer
from engine.data.edits import Edit, Reject, State, Together
from engine.metrics.differences import Decision, DecisionKind, decisions

KINDS: Final[tuple[DecisionKind, ...]] = get_args(DecisionKind)
_RELATIONS: Final[tuple[DecisionKind, ...]] = ("relation",)


@dataclass(frozen=True)
class Suggestion:
    """Something to accept or reject, with the model's confidence, if any, or the names of the annotators who have
    it."""

    decision: Decision
    score: float | None
    by: tuple[str, ...] = ()
    instead: Decision | None = None
    """The relation of the same two mentions that it takes the place of, as a type takes the place of another."""

    @property
    def key(self) -> str:
        d = self.decision
        return f"{d.kind}:{d.start}:{d.end}:{d.other[0]}:{d.other[1]}:{d.value}"


def suggestions(state: State, predicted: Layer, decides: Collection[DecisionKind]) -> list[Suggestion]:
    """What the model adds, in text order."""
    scores = _scores(predicted)
    said = decisions(predicted, decides)
    is_idle, instead = _idle(state), _replaced(state, said)
    return [
        Suggestion(one, scores.get(one), instead=instead.get((one.start, one.end, one.other)))
        for one in sorted(said - settled(state))
        if not is_idle(one)
    ]


def _replaced(state: State, said: Collection[Decision]) -> dict[tuple[int, int, tuple[int, int]], Decision]:
    """Head and tail -> the one relation of theirs that the model does not say as well."""
    doubtful = [one for one in decisions(state.layer(), _RELATIONS) if one not in said]
    found = {(one.start, one.end, one.other): one for one in doubtful}
    return {pair: one for pair, one in found.items() if sum((o.start, o.end, o.other) == pair for o in doubtful) == 1}


def _idle(state: State) -> Callable[[Decision], bool]:
    """A test for pointless suggestions: that two mentions corefer which already do, or anything about a stretch of text
    that was marked as containing nothing."""
    chains = {state.mentions[id].span: name for id, name in state.clusters.items()}
    standing = {mention.span for mention in state.mentions.values()}
    empty = [(no.start, no.end) for no in state.rejected if no.what == "span"]

    def is_idle(one: Decision) -> bool:
        here = (one.start, one.end)
        if one.kind == "coreference":
            return here in chains and chains[here] == chains.get(one.other)
        if one.kind == "label" or here in standing:
            return False
        return any(start < one.end and one.start < end for start, end in empty)

    return is_idle


def suggestions_of(state: State, layers: Mapping[str, Layer]) -> list[Suggestion]:
    """What other annotators have and this layer does not, in text order, with their names."""
    said: dict[Decision, list[str]] = {}
    for name, layer in sorted(layers.items()):
        for one in decisions(layer, KINDS):
            said.setdefault(one, []).append(name)
    return [Suggestion(one, None, tuple(said[one])) for one in sorted(said.keys() - settled(state))]


def settled(state: State) -> set[Decision]:
    """The decisions that the layer has made or rejected. The existence of a mention is implied by its other
    decisions."""
    standing = {Decision(m.start, m.end, "span", "") for m in state.mentions.values()}
    return decisions(state.layer(), KINDS) | standing | refused(state)


def refused(state: State) -> set[Decision]:
    """The decisions that the layer has rejected."""
    return {
        Decision(r.start, r.end, r.what, r.value, (r.other_start, r.other_end))  # type: ignore[arg-type]
        for r in state.rejected
    }


def accept(state: State, suggestion: Suggestion, id: str) -> Edit:
    """The edit that carries out the suggestion; `id` names what it adds, and must be new."""
    d = suggestion.decision
    here = _at(state, (d.start, d.end))
    match d.kind:
        case "span":
            if here is not None:
                raise e.EditRefused("there is already a mention of this span")
            return e.AddMention(id, d.start, d.end)
        case "link":
            if here is None:
                return e.AddMention(id, d.start, d.end, entity=d.value)
            return e.SetEntity(here, d.value)
        case "type":
            if here is None:
                return e.AddMention(id, d.start, d.end, type=d.value)
            return e.SetType(here, d.value)
        case "label":
            return e.SetLabel(d.value, True)
        case "relation":
            there = _at(state, d.other)
            standing = None if suggestion.instead is None else _relation(state, suggestion.instead)
            if standing is not None:
                return e.SetRelationType(standing, d.value)
            added = _missing(id, (("h", here, (d.start, d.end)), ("t", there, d.other)))
            head, tail = here or f"{id}h", there or f"{id}t"
            return _together([*added, e.AddRelation(id, head, tail, d.value)])
        case "coreference":
            before = _at(state, d.other)
            added = _missing(id, (("m", here, (d.start, d.end)), ("b", before, d.other)))
            mention, first = here or f"{id}m", before or f"{id}b"
            cluster = state.clusters.get(first)
            if cluster is not None:
                return _together([*added, e.SetCluster(mention, cluster)])
            return _together([*added, e.SetCluster(first, id), e.SetCluster(mention, id)])


def accept_all(state: State, chosen: Sequence[Suggestion], id: str) -> Together:
    """One action that accepts them all; later ones see what earlier ones added."""
    done: list[Edit] = []
    for number, suggestion in enumerate(chosen):
        d = suggestion.decision
        if d.kind == "span" and _at(state, (d.start, d.end)) is not None:
            continue  # an earlier one has created the mention
        edit = accept(state, suggestion, f"{id}.{number}")
        state = e.apply(state, edit)
        done.append(edit)
    return Together(tuple(done))


def reject_all(chosen: Sequence[Suggestion], state: State | None = None) -> Edit:
    """One action that rejects them all. If the state is given, it also marks places without a mention as empty, so that
    the next best reading of the same words is not suggested instead."""
    said = [reject(one) for one in chosen]
    places = {(one.decision.start, one.decision.end) for one in chosen if one.decision.kind in ("span", "link", "type")}
    bare = sorted(place for place in places if state is not None and _at(state, place) is None)
    return _together([*said, *(Reject("span", *place, "") for place in bare if Reject("span", *place, "") not in said)])


def reject(suggestion: Suggestion) -> Reject:
    d = suggestion.decision
    return Reject(d.kind, d.start, d.end, d.value, *d.other)


def _at(state: State, span: tuple[int, int]) -> str | None:
    """The mention that covers exactly this span."""
    return next((id for id, mention in state.mentions.items() if mention.span == span), None)


def _relation(state: State, wanted: Decision) -> str | None:
    """The relation that says this."""
    ends = (_at(state, (wanted.start, wanted.end)), _at(state, wanted.other))
    return next(
        (id for id, arc in state.relations.items() if (arc.head, arc.tail, arc.type) == (*ends, wanted.value)), None
    )


def _missing(id: str, sides: Sequence[tuple[str, str | None, tuple[int, int]]]) -> list[Edit]:
    return [e.AddMention(f"{id}{mark}", *span) for mark, found, span in sides if found is None]


def _together(edits: Sequence[Edit]) -> Edit:
    return edits[0] if len(edits) == 1 else Together(tuple(edits))


def _scores(layer: Layer) -> dict[Decision, float]:
    """The model's confidence in each decision; a link of a chain has the score of its later mention."""
    found: dict[Decision, float] = {}
    by_span = {m.span: m.score for m in layer.mentions if m.score is not None}
    for one in decisions(layer, ("link", "type", "coreference")):
        score = by_span.get((one.start, one.end))
        if score is not None:
            found[one] = score
    for relation in layer.relations:
        if relation.score is not None:
            head, tail = layer.mentions[relation.head], layer.mentions[relation.tail]
            found[Decision(head.start, head.end, "relation", relation.type, tail.span)] = relation.score
    return found
