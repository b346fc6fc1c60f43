"""The state of a layer while it is edited, and the layer and document that it represents at any moment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from heapq import merge
from typing import Any, TypeVar

from engine.data.document import AGREED, COMMENTS, GOLD, Document, Layer, Mention, Relation
from engine.data.edits.kinds import Reject, Settle

Item = TypeVar("Item", Mention, Relation)


@dataclass(frozen=True, slots=True)
class Arc:
    head: str
    tail: str
    type: str
    score: float | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Remark:
    """One note of a thread."""

    id: str
    text: str
    author: str = ""
    time: str = ""


@dataclass(frozen=True)
class State:
    """A layer being edited, with everything keyed by permanent id."""

    mentions: Mapping[str, Mention]
    clusters: Mapping[str, str]
    """Mention id -> cluster name."""
    relations: Mapping[str, Arc]
    labels: tuple[str, ...] = ()
    comments: Mapping[str, tuple[Remark, ...]] = field(default_factory=dict)
    """Threads by their target, each in the order in which it was written."""
    resolved: frozenset[str] = frozenset()
    """Threads that are resolved."""
    settled: Mapping[str, Settle] = field(default_factory=dict)
    """Questions of adjudication that a curator has answered."""
    agreed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Who agreed on what, by its id or `label_target`."""
    doubted: frozenset[str] = frozenset()
    rejected: frozenset[Reject] = frozenset()
    done: bool = False
    arguments: frozenset[str] = frozenset()
    """The mentions that make up the document's bag. They are part of the question, so they cannot be moved."""
    first_chains: tuple[tuple[str, ...], ...] = ()
    """The chains at the start, each in its own order, which is kept as long as the members are the same."""
    layer_extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def doubted_labels(self) -> set[str]:
        return {target.removeprefix("label ") for target in self.doubted if target.startswith("label ")}

    @property
    def doubted_places(self) -> set[tuple[int, int]]:
        """Spans where gold was marked as lacking something."""
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
        """The starting state of edits of a document's gold."""
        members = document.bag.members if document.bag is not None else ()
        sides = {side for member in members for side in (member.head, member.tail) if side is not None}
        return replace(cls.of(document.gold), arguments=frozenset(f"g{side}" for side in sides))

    @classmethod
    def unanswered(cls, document: Document) -> State:
        """An empty state that contains only the mentions of the document's bag."""
        gold = cls.of_gold(document)
        asked = {id: mention for id, mention in gold.mentions.items() if id in gold.arguments}
        return cls(asked, clusters={}, relations={}, arguments=gold.arguments)

    def layer(self) -> Layer:
        """The current layer: original items in their own order, added ones inserted by their position in the text."""
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
            mentions=tuple(self._credited(id, self.mentions[id]) for id in order),
            clusters=tuple(merge(kept, made, key=min)),
            relations=tuple(
                self._credited(id, Relation(position[arc.head], position[arc.tail], arc.type, arc.score, arc.extra))
                for id, arc in sorted(self.relations.items(), key=lambda item: _rank(item[0]))
            ),
            labels=self.labels,
            extra=self.layer_extra,
        )

    def _credited(self, id: str, item: Item) -> Item:
        """The item with the names of those who agreed on it."""
        if id not in self.agreed:
            return item
        return replace(item, extra={**item.extra, AGREED: list(self.agreed[id])})

    def document(self, original: Document) -> Document:
        """The document that this layer started from, with the layer as its gold.

        A bag refers to mentions by position, and positions change when a mention before them is added or removed.
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
        """The mentions in the order of the layer. Original ones keep their order, so that an unchanged document comes
        back exactly as it was."""
        ids = sorted(self.mentions, key=_rank)
        first = [id for id in ids if _is_first(id)]

        def in_text(id: str) -> tuple[int, int, tuple[int, int, str]]:
            return self.mentions[id].start, -self.mentions[id].end, _rank(id)

        return list(merge(first, sorted(ids[len(first) :], key=in_text), key=in_text))


def with_comments(state: State) -> State:
    """The state with every thread of comments as an extra field of its target. Threads on removed targets, and on
    places without annotation, are moved to the document."""

    def noted(target: str, extra: Mapping[str, Any]) -> dict[str, Any]:
        thread = [
            {"author": one.author, "time": one.time, "text": one.text, "resolved": target in state.resolved}
            for one in state.comments.get(target, ())
        ]
        return {**extra, COMMENTS: thread} if thread else dict(extra)

    rest = [target for target in state.comments if target not in state.mentions and target not in state.relations]
    threads = [one for target in rest for one in noted(target, {})[COMMENTS]]
    return replace(
        state,
        mentions={id: replace(one, extra=noted(id, one.extra)) for id, one in state.mentions.items()},
        relations={id: replace(arc, extra=noted(id, arc.extra)) for id, arc in state.relations.items()},
        layer_extra={**state.layer_extra, COMMENTS: threads} if threads else state.layer_extra,
    )


def _is_first(id: str) -> bool:
    """Whether the item was in the layer at the start."""
    return id[:1] in "gr" and id[1:].isdigit()


def _rank(id: str) -> tuple[int, int, str]:
    """A sort key: original items in their own order, then added ones by id."""
    return (0, int(id[1:]), "") if _is_first(id) else (1, 0, id)
