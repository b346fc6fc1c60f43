"""Annotation as a log: what an editor may do to a layer, and the layer that results.

In the log every mention and relation has a lasting id ("g3" is the fourth of the layer it started from; added ones
bring their own), so edits by different people can be told apart and undone in any order. Folding the edits over the
starting layer gives the state at any moment; nothing is ever changed in place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from heapq import merge
from typing import Any, Final, TypeAlias

from engine.data.document import GOLD, Document, Layer, Mention, Relation


class EditRefused(ValueError):
    """The edit does not fit the state it meets: what it names is gone, was there before, or has to stay."""


@dataclass(frozen=True, slots=True)
class AddMention:
    id: str
    start: int
    end: int
    type: str | None = None
    entity: str | None = None
    cluster: str | None = None


@dataclass(frozen=True, slots=True)
class RemoveMention:
    """Takes the mention's relations and its place in its cluster along."""

    id: str


@dataclass(frozen=True, slots=True)
class SetSpan:
    id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class SetType:
    id: str
    type: str | None


@dataclass(frozen=True, slots=True)
class SetEntity:
    id: str
    entity: str | None


@dataclass(frozen=True, slots=True)
class SetCluster:
    """Moves a mention to a cluster, by the cluster's name; None takes it out of all."""

    id: str
    cluster: str | None


@dataclass(frozen=True, slots=True)
class AddRelation:
    id: str
    head: str
    tail: str
    type: str


@dataclass(frozen=True, slots=True)
class RemoveRelation:
    id: str


@dataclass(frozen=True, slots=True)
class SetRelationType:
    id: str
    type: str


@dataclass(frozen=True, slots=True)
class SetLabel:
    """Whether a label holds for the document as a whole."""

    label: str
    holds: bool


@dataclass(frozen=True, slots=True)
class Comment:
    """A note on a mention, a relation, or (target "") the document; empty text takes it back."""

    target: str
    text: str


@dataclass(frozen=True, slots=True)
class DoubtGold:
    """Says that gold is wrong (or no longer says so) about a mention or relation, by its id, about a label of the
    document (`label_target`), or at a place where it has nothing (`place_target`)."""

    target: str
    doubted: bool = True


def label_target(label: str) -> str:
    return f"label {label}"


def place_target(start: int, end: int) -> str:
    return f"place {start} {end}"


@dataclass(frozen=True, slots=True)
class Reject:
    """Says no to a suggestion: this value does not hold at this span (relations and chains: with that other one)."""

    what: str
    start: int
    end: int
    value: str
    other_start: int = -1
    other_end: int = -1


@dataclass(frozen=True, slots=True)
class MarkDone:
    """Says that the annotator has finished with the document (or has not): the queue leaves it out."""

    done: bool = True


@dataclass(frozen=True, slots=True)
class Together:
    """Several edits that are one action: applied and undone as one."""

    edits: tuple[Edit, ...]


Edit: TypeAlias = (
    AddMention
    | RemoveMention
    | SetSpan
    | SetType
    | SetEntity
    | SetCluster
    | AddRelation
    | RemoveRelation
    | SetRelationType
    | SetLabel
    | Comment
    | DoubtGold
    | Reject
    | MarkDone
    | Together
)

_KINDS: Final[dict[str, type]] = {
    kind.__name__: kind
    for kind in (
        AddMention,
        RemoveMention,
        SetSpan,
        SetType,
        SetEntity,
        SetCluster,
        AddRelation,
        RemoveRelation,
        SetRelationType,
        SetLabel,
        Comment,
        DoubtGold,
        Reject,
        MarkDone,
    )
}


@dataclass(frozen=True, slots=True)
class Arc:
    head: str
    tail: str
    type: str
    score: float | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class State:
    """A layer under edit: everything by lasting id."""

    mentions: Mapping[str, Mention]
    clusters: Mapping[str, str]
    """Mention id -> cluster name."""
    relations: Mapping[str, Arc]
    labels: tuple[str, ...] = ()
    comments: Mapping[str, str] = field(default_factory=dict)
    doubted: frozenset[str] = frozenset()
    rejected: frozenset[Reject] = frozenset()
    done: bool = False
    arguments: frozenset[str] = frozenset()
    """Mentions that the document's bag is made of. They are the question, not an answer: they stay where they are."""
    first_chains: tuple[tuple[str, ...], ...] = ()
    """The chains it started with, each in its own order, which it keeps while its members stay the same."""
    layer_extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def doubted_labels(self) -> set[str]:
        return {target.removeprefix("label ") for target in self.doubted if target.startswith("label ")}

    @property
    def doubted_places(self) -> set[tuple[int, int]]:
        """Spans where gold is said to lack something."""
        places = [target.split() for target in self.doubted if target.startswith("place ")]
        return {(int(start), int(end)) for _, start, end in places}

    @classmethod
    def of(cls, layer: Layer) -> State:
        return cls(
            mentions={f"g{i}": mention for i, mention in enumerate(layer.mentions)},
            clusters={f"g{i}": f"c{c}" for i, c in layer.cluster_of().items()},
            relations={
                f"r{i}": Arc(f"g{r.head}", f"g{r.tail}", r.type, r.score, r.extra)
                for i, r in enumerate(layer.relations)
            },
            labels=layer.labels,
            first_chains=tuple(tuple(f"g{i}" for i in cluster) for cluster in layer.clusters),
            layer_extra=layer.extra,
        )

    @classmethod
    def of_gold(cls, document: Document) -> State:
        """Where edits of a document's gold start from."""
        members = document.bag.members if document.bag is not None else ()
        sides = {side for member in members for side in (member.head, member.tail) if side is not None}
        return replace(cls.of(document.gold), arguments=frozenset(f"g{side}" for side in sides))

    @classmethod
    def unanswered(cls, document: Document) -> State:
        """An empty page on which only the mentions stand that the document's bag asks about."""
        gold = cls.of_gold(document)
        asked = {id: mention for id, mention in gold.mentions.items() if id in gold.arguments}
        return cls(asked, clusters={}, relations={}, arguments=gold.arguments)

    def layer(self) -> Layer:
        """The layer as it stands: what it started with in its own order, what was added where the text puts it."""
        order = self._order()
        position = {id: i for i, id in enumerate(order)}
        members: dict[str, list[str]] = {}
        for id, name in self.clusters.items():
            members.setdefault(name, []).append(id)
        chains = set(map(frozenset, members.values()))
        same = [chain for chain in self.first_chains if frozenset(chain) in chains]
        kept = [tuple(position[id] for id in chain) for chain in same]
        made = sorted(tuple(sorted(position[id] for id in chain)) for chain in chains.difference(map(frozenset, same)))
        return Layer(
            mentions=tuple(self.mentions[id] for id in order),
            clusters=tuple(merge(kept, made, key=min)),
            relations=tuple(
                Relation(position[arc.head], position[arc.tail], arc.type, arc.score, arc.extra)
                for _, arc in sorted(self.relations.items(), key=lambda item: _rank(item[0]))
            ),
            labels=self.labels,
            extra=self.layer_extra,
        )

    def document(self, original: Document) -> Document:
        """The document that this layer started from, with the layer as its gold.

        A bag names mentions by position, and positions move when a mention before them comes or goes.
        """
        layers = {**original.layers, GOLD: self.layer()}
        if original.bag is None:
            return replace(original, layers=layers)
        position = {id: i for i, id in enumerate(self._order())}
        members = tuple(
            replace(
                member,
                head=None if member.head is None else position[f"g{member.head}"],
                tail=None if member.tail is None else position[f"g{member.tail}"],
            )
            for member in original.bag.members
        )
        return replace(original, layers=layers, bag=replace(original.bag, members=members))

    def _order(self) -> list[str]:
        """Mentions as the layer lists them. Those it started with keep their order, whatever it was: a document that
        nobody changed is given back as it came."""
        ids = sorted(self.mentions, key=_rank)
        first = [id for id in ids if _is_first(id)]

        def in_text(id: str) -> tuple[int, int, tuple[int, int, str]]:
            return self.mentions[id].start, -self.mentions[id].end, _rank(id)

        return list(merge(first, sorted(ids[len(first) :], key=in_text), key=in_text))


def apply(state: State, edit: Edit) -> State:
    """The state after the edit, or EditRefused."""
    match edit:
        case AddMention(id=id):
            if id in state.mentions:
                raise EditRefused(f"there is already a mention {id}")
            mention = Mention(edit.start, edit.end, edit.type, edit.entity)
            clusters = state.clusters if edit.cluster is None else {**state.clusters, id: edit.cluster}
            return replace(state, mentions={**state.mentions, id: mention}, clusters=clusters)
        case RemoveMention(id=id):
            _mention(state, id)
            _refuse_argument(state, id, "removed")
            return replace(
                state,
                mentions=_without(state.mentions, id),
                clusters=_without(state.clusters, id),
                relations={r: arc for r, arc in state.relations.items() if id not in (arc.head, arc.tail)},
            )
        case SetSpan(id=id):
            if _mention(state, id).span != (edit.start, edit.end):
                _refuse_argument(state, id, "moved")
            return _with_mention(state, id, start=edit.start, end=edit.end)
        case SetType(id=id):
            return _with_mention(state, id, type=edit.type)
        case SetEntity(id=id):
            return _with_mention(state, id, entity=edit.entity)
        case SetCluster(id=id, cluster=cluster):
            _mention(state, id)
            clusters = _without(state.clusters, id) if cluster is None else {**state.clusters, id: cluster}
            return replace(state, clusters=clusters)
        case AddRelation(id=id):
            if id in state.relations:
                raise EditRefused(f"there is already a relation {id}")
            _mention(state, edit.head)
            _mention(state, edit.tail)
            return replace(state, relations={**state.relations, id: Arc(edit.head, edit.tail, edit.type)})
        case RemoveRelation(id=id):
            _relation(state, id)
            return replace(state, relations=_without(state.relations, id))
        case SetRelationType(id=id):
            arc = replace(_relation(state, id), type=edit.type)
            return replace(state, relations={**state.relations, id: arc})
        case SetLabel(label=label, holds=holds):
            others = tuple(known for known in state.labels if known != label)
            return replace(state, labels=(*others, label) if holds else others)
        case Comment(target=target, text=text):
            rest = _without(state.comments, target)
            return replace(state, comments={**rest, target: text} if text else rest)
        case DoubtGold(target=target, doubted=doubted):
            return replace(state, doubted=state.doubted | {target} if doubted else state.doubted - {target})
        case Reject():
            return replace(state, rejected=state.rejected | {edit})
        case MarkDone(done=done):
            return replace(state, done=done)
        case Together(edits=edits):
            for one in edits:
                state = apply(state, one)
            return state


def replay(state: State, edits: Iterable[Edit]) -> State:
    """The state after all edits. An edit whose object an earlier edit took away has nothing left to change."""
    for edit in edits:
        try:
            state = apply(state, edit)
        except EditRefused:
            # Happens after an undo took away what this edit was about: the log keeps the edit all the same, and a redo
            # brings both back. Old logs may also hold an edit that is not allowed any more.
            continue
    return state


def touches(edit: Edit) -> frozenset[str]:
    """What an edit reads or writes; edits that touch nothing in common can be merged in any order."""
    match edit:
        case Together(edits=edits):
            return frozenset().union(*(touches(one) for one in edits))
        case AddRelation():
            return frozenset({edit.id, edit.head, edit.tail})
        case SetLabel():
            return frozenset({f"label {edit.label}"})
        case Comment():
            return frozenset({f"comment {edit.target}"})
        case DoubtGold():
            return frozenset({f"doubt {edit.target}"})
        case Reject():
            return frozenset({f"no {edit.what} {edit.start} {edit.end} {edit.value}"})
        case MarkDone():
            return frozenset({"done"})
        case _:
            return frozenset({edit.id})


def to_json(edit: Edit) -> dict[str, Any]:
    if isinstance(edit, Together):
        return {"kind": "Together", "edits": [to_json(one) for one in edit.edits]}
    return {"kind": type(edit).__name__, **asdict(edit)}


def from_json(record: Mapping[str, Any]) -> Edit:
    """The edit a record describes; EditRefused names what is wrong with one that comes from outside."""
    kind = record.get("kind")
    if kind == "Together":
        return Together(tuple(from_json(one) for one in record.get("edits", ())))
    if kind not in _KINDS:
        raise EditRefused(f"there is no edit {kind!r}")
    cls = _KINDS[kind]
    known = {spec.name for spec in fields(cls)}
    values = {name: value for name, value in record.items() if name != "kind"}
    if not set(values) <= known:
        raise EditRefused(f"{kind} has no {sorted(set(values) - known)[0]!r}")
    try:
        edit: Edit = cls(**values)
    except TypeError as error:
        raise EditRefused(f"{kind}: {error}") from error
    return edit


def _mention(state: State, id: str) -> Mention:
    if id not in state.mentions:
        raise EditRefused(f"mention {id} is gone")
    return state.mentions[id]


def _refuse_argument(state: State, id: str, verb: str) -> None:
    if id in state.arguments:
        raise EditRefused(f"this mention is one of the pair that the bag asks about, so it cannot be {verb}")


def _relation(state: State, id: str) -> Arc:
    if id not in state.relations:
        raise EditRefused(f"relation {id} is gone")
    return state.relations[id]


def _with_mention(state: State, id: str, **changes: Any) -> State:
    mention = replace(_mention(state, id), **changes)
    return replace(state, mentions={**state.mentions, id: mention})


def _without(mapping: Mapping[str, Any], key: str) -> dict[str, Any]:
    return {k: v for k, v in mapping.items() if k != key}


def _is_first(id: str) -> bool:
    """Whether the layer started with it."""
    return id[:1] in "gr" and id[1:].isdigit()


def _rank(id: str) -> tuple[int, int, str]:
    """Starting items in their own order, then added ones by id."""
    return (0, int(id[1:]), "") if _is_first(id) else (1, 0, id)
