"""The model's part in annotation: corrections become pins, and the model decides the rest of the document."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import TypeGuard

from engine.data import edits as e
from engine.data.document import Document, Layer, Mention
from engine.data.edits import Edit, State
from engine.data.pins import ClusterPin, LabelPin, LinkPin, NoPlace, Pin, RelationPin, TypePin, UnknownName
from engine.metrics.differences import Decision, DecisionKind
from engine.structures.base import Infeasible
from engine.tasks.base import AnyModel, AnyTask
from engine.tasks.scored import Scored


def pins_of(start: State, now: State, edits: Iterable[Edit], decides: Collection[DecisionKind]) -> tuple[Pin, ...]:
    """The pins that follow from the user's edits.

    Only what was edited is fixed; the rest of the document is decided again by the model. Only the current state
    counts, not edits that were later reverted.
    """
    marked = {mention.span for mention in now.mentions.values()}
    pins: dict[Pin, None] = {}  # a dict keeps the order and drops repeats
    for edit in e.parts(*edits):
        for pin in _pins_of_one(start, now, edit):
            if _KIND[type(pin)] in decides and not (_denies_mention(pin) and pin.span in marked):
                pins[pin] = None
    return tuple(pin for pin in pins if pin.holds or replace(pin, holds=True) not in pins)


def _denies_mention(pin: Pin) -> TypeGuard[LinkPin]:
    return isinstance(pin, LinkPin) and pin.entity is None


@dataclass(frozen=True)
class Followed:
    """The pins that a model can follow, and those that it cannot because it does not know the names."""

    pins: tuple[Pin, ...]
    unknown: tuple[Pin, ...]

    @property
    def names(self) -> list[str]:
        """The names that the model does not know, in the order of the pins."""
        return list(dict.fromkeys(_name(pin) for pin in self.unknown))

    def leaves(self, decision: Decision) -> bool:
        """Whether the decision is still left to the model, rather than fixed by the user to a name that it does not
        know."""
        return not any(_decided_by(pin, decision) for pin in self.unknown)


def followed(task: AnyTask, scored: Scored, pins: Iterable[Pin]) -> Followed:
    """The pins, separated by whether a one-document corpus can follow them.

    A pin on a mention that does not exist has no effect, and neither has one that forbids something the model cannot
    predict.
    """
    able: list[Pin] = []
    unknown: list[Pin] = []
    for pin in pins:
        try:
            task.check_pin(scored, pin)
        except UnknownName:
            unknown += [pin] if pin.holds else []
        except NoPlace:
            continue
        else:
            able.append(pin)
    return Followed(tuple(able), tuple(unknown))


def _name(pin: Pin) -> str:
    match pin:
        case TypePin(type=type) | RelationPin(type=type):
            return type
        case LabelPin(label=label):
            return label
        case LinkPin(entity=entity):
            return entity or ""
        case ClusterPin():
            return ""


def _decided_by(pin: Pin, decision: Decision) -> bool:
    """Whether the pin settles the decision: a mention has one type and a pair one relation, but any number of labels
    may hold."""
    here = decision.start, decision.end
    match pin:
        case TypePin(span=span):
            return decision.kind == "type" and span == here
        case RelationPin(head=head, tail=tail):
            return decision.kind == "relation" and (head, tail) == (here, decision.other)
        case _:
            return False


_KIND: dict[type, DecisionKind] = {
    LinkPin: "link",
    TypePin: "type",
    ClusterPin: "coreference",
    RelationPin: "relation",
    LabelPin: "label",
}


def _pins_of_one(start: State, now: State, edit: Edit) -> Iterator[Pin]:
    match edit:
        case e.RemoveMention(id=id):
            if id in start.mentions and id not in now.mentions:
                yield LinkPin(start.mentions[id].span, None)
        case e.SetSpan(id=id) | e.SetType(id=id) | e.SetEntity(id=id):
            yield from _mention_pins(now, id)
        case e.AddMention(id=id) | e.SetCluster(id=id):
            yield from _mention_pins(now, id)
            if id in now.mentions:
                yield from _cluster_pins(start, now, id)
        case e.AddRelation(id=id) | e.SetRelationType(id=id):
            arc = now.relations.get(id)
            if arc is not None:
                yield RelationPin(now.mentions[arc.head].span, now.mentions[arc.tail].span, arc.type)
        case e.RemoveRelation(id=id):
            arc = start.relations.get(id)
            if arc is not None and id not in now.relations and {arc.head, arc.tail} <= now.mentions.keys():
                yield RelationPin(now.mentions[arc.head].span, now.mentions[arc.tail].span, arc.type, holds=False)
        case e.SetLabel(label=label):
            yield LabelPin(label, label in now.labels)
        case e.Reject():
            yield _refusal(edit)


def _mention_pins(now: State, id: str) -> Iterator[Pin]:
    """Pins for the entity and the type of a mention; none if it has been removed."""
    mention = now.mentions.get(id)
    if mention is not None and mention.entity is not None:
        yield LinkPin(mention.span, mention.entity)
    if mention is not None and mention.type is not None:
        yield TypePin(mention.span, mention.type)


def _refusal(edit: e.Reject) -> Pin:
    span, other = (edit.start, edit.end), (edit.other_start, edit.other_end)
    match edit.what:
        case "span":
            return LinkPin(span, None)
        case "link":
            return LinkPin(span, edit.value, holds=False)
        case "type":
            return TypePin(span, edit.value, holds=False)
        case "coreference":
            return ClusterPin(other, span, holds=False)
        case "relation":
            return RelationPin(span, other, edit.value, holds=False)
        case _:
            return LabelPin(edit.value, holds=False)


def _cluster_pins(start: State, now: State, id: str) -> Iterator[Pin]:
    """Pins for a moved mention: together with the mention before it in its chain, and apart from those it left."""
    here = now.mentions[id]
    chain = sorted(
        (m for m, c in now.clusters.items() if m != id and c == now.clusters.get(id)),
        key=lambda m: (now.mentions[m].start, -now.mentions[m].end),
    )
    if chain and id in now.clusters:
        earlier = [m for m in chain if now.mentions[m].start <= here.start]
        yield ClusterPin(now.mentions[earlier[-1] if earlier else chain[0]].span, here.span)
    left = start.clusters.get(id)
    if left is None:
        return
    for other, cluster in start.clusters.items():
        stayed = other != id and cluster == left and other in now.mentions
        if stayed and (id not in now.clusters or now.clusters.get(other) != now.clusters[id]):
            yield ClusterPin(now.mentions[other].span, here.span, holds=False)


def asked(document: Document, state: State, given: Sequence[Mention]) -> Document:
    """The document as it is given to a model: with the layer being edited, and with the given mentions that this layer
    does not have yet. Extra information of the source on a mention (its candidates) is kept for the layer's own
    mention."""
    known = {mention.span: mention for mention in given}
    mentions = {id: _described(mention, known.get(mention.span)) for id, mention in state.mentions.items()}
    marked = {mention.span for mention in state.mentions.values()}
    mentions.update((f"given {i}", mention) for i, mention in enumerate(given) if mention.span not in marked)
    return replace(state, mentions=mentions).document(document)


class Questions:
    """A cache of the documents last given to models. A document that looks the same to a model is returned as the same
    object, whose scores are cached, so that only what an edit changes is computed again."""

    def __init__(self, most: int = 8) -> None:
        self._most = most
        self._known: OrderedDict[tuple[object, ...], tuple[Document, Document]] = OrderedDict()
        self._guard = Lock()

    def same(self, task: AnyTask, model: AnyModel, original: Document, current: Document) -> Document:
        """The earlier document object if nothing that the model sees has changed since, else the current one."""
        key = (id(original), task.name, id(model.state), self._seen(task, model, current))
        with self._guard:
            # Keeping a reference to the original prevents another document from getting the same id().
            found = self._known.setdefault(key, (current, original))[0]
            self._known.move_to_end(key)
            while len(self._known) > self._most:
                self._known.popitem(last=False)
        return found

    @staticmethod
    def _seen(task: AnyTask, model: AnyModel, current: Document) -> tuple[object, ...]:
        """The part of the annotation that a model sees: nothing if it finds its own mentions; for a bag, all of it."""
        if current.bag is not None:
            return (id(current),)
        return tuple((m.span, m.type, m.entity, repr(m.extra)) for m in task.given(current, model))


def predicted_under(task: AnyTask, model: AnyModel, scored: Scored, pins: Sequence[Pin]) -> Layer:
    """The best output of a one-document corpus under pins that its scores can follow. It is scored again only if a pin
    needs a candidate that the scores lack."""
    document = scored.documents[0]
    try:
        return task.decide(scored, pins={document.id: tuple(pins)})[0]
    except Infeasible:
        return task.predict([document], model, pins={document.id: tuple(pins)})[0]


def _described(own: Mention, given: Mention | None) -> Mention:
    if given is None:
        return own
    return replace(given, type=given.type if own.type is None else own.type, entity=own.entity)
