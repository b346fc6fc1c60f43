"""Annotated documents: one text, and any number of layers of annotation over it.

Offsets are Unicode code points, half-open. A layer holds mentions (which may nest and cross), their
entity links, clusters and relations; `gold` is one layer, every run or annotator is another. Layers refer
to mentions by position, so nothing needs an id of its own.

Everything is frozen and checked on creation: an object that exists is consistent.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

NIL: Final = "--NIL--"
"""The link of a mention whose entity is not in the knowledge base. A mention without any link has None."""

GOLD: Final = "gold"

FRAGMENTS: Final = "fragments"
"""The extra field of a mention with gaps: its pieces, as [start, end] pairs."""

AGREED: Final = "agreed"
"""The extra field of a mention or relation with the names of those who agreed on it."""

COMMENTS: Final = "comments"
"""The extra field of a mention, relation or layer with people's comments on it: author, time, text and whether the
thread is resolved."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A span [start, end) of the text that names something."""

    start: int
    end: int
    type: str | None = None
    entity: str | None = None
    score: float | None = None
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise ValueError(f"mention [{self.start}, {self.end}) is empty or starts before the text")

    @property
    def span(self) -> tuple[int, int]:
        return self.start, self.end

    @property
    def is_linked(self) -> bool:
        """Whether it is linked to an entity of the knowledge base."""
        return self.entity is not None and self.entity != NIL


@dataclass(frozen=True, slots=True)
class Relation:
    """A directed relation between two mentions of the same layer, given by position."""

    head: int
    tail: int
    type: str
    score: float | None = None
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Layer:
    """Annotation of one text by one source: people, a run, another system.

    `clusters` partition (some of) the mentions; `labels` hold for the document as a whole: the relations
    of a bag, or the entities of a tweet that was annotated without offsets.
    """

    mentions: tuple[Mention, ...] = ()
    clusters: tuple[tuple[int, ...], ...] = ()
    relations: tuple[Relation, ...] = ()
    labels: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        n = len(self.mentions)
        seen: set[int] = set()
        for cluster in self.clusters:
            if not cluster:
                raise ValueError("a cluster has no mention")
            for i in cluster:
                if not 0 <= i < n:
                    raise ValueError(f"a cluster names mention {i}, but there are {n} mentions")
                if i in seen:
                    raise ValueError(f"mention {i} is in two clusters")
                seen.add(i)
        for relation in self.relations:
            for side in (relation.head, relation.tail):
                if not 0 <= side < n:
                    raise ValueError(f"a {relation.type} relation names mention {side}, but there are {n} mentions")

    def cluster_of(self) -> dict[int, int]:
        """Mention position -> cluster position, for mentions that are in one."""
        return {i: c for c, cluster in enumerate(self.clusters) for i in cluster}


@dataclass(frozen=True, slots=True)
class Member:
    """One occurrence of a bag's pair: two mentions of the gold layer (None if they are not marked in the text)."""

    head: int | None = None
    tail: int | None = None
    features: Mapping[str, float] = field(default_factory=dict, repr=False)
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Bag:
    """An ordered pair of entities and every place that mentions both.

    The relations that hold are the `labels` of a layer; the label that a run gives to member m is a
    relation between the member's two mentions.
    """

    first: str
    second: str
    members: tuple[Member, ...]


@dataclass(frozen=True)
class Document:
    """A text with tokens, sentences and layers of annotation.

    `tokens` are [start, end) character ranges; `sentences` are [start, end) ranges of tokens; `columns` hold
    one value per token ("pos", "lemma", "head", "deprel", "speaker", "ner", "parse"). `shape` names the native
    record the document came from, `extra` its fields that we have no name for: both go back out unchanged.
    """

    id: str
    text: str
    tokens: tuple[tuple[int, int], ...] = ()
    sentences: tuple[tuple[int, int], ...] = ()
    columns: Mapping[str, tuple[Any, ...]] = field(default_factory=dict, repr=False)
    layers: Mapping[str, Layer] = field(default_factory=dict)
    bag: Bag | None = None
    shape: str = "document"
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        _check_ascending("token", self.tokens, len(self.text), "characters")
        _check_ascending("sentence", self.sentences, len(self.tokens), "tokens")
        for name, values in self.columns.items():
            if len(values) != len(self.tokens):
                raise ValueError(f"column {name!r} has {len(values)} values for {len(self.tokens)} tokens")
        for name, layer in self.layers.items():
            for mention in layer.mentions:
                if mention.end > len(self.text):
                    raise ValueError(
                        f"mention [{mention.start}, {mention.end}) of layer {name!r} ends after the text"
                        f" ({len(self.text)} characters)"
                    )
        if self.bag is not None:
            n = len(self.gold.mentions)
            for member in self.bag.members:
                for side in (member.head, member.tail):
                    if side is not None and not 0 <= side < n:
                        raise ValueError(f"a bag member names mention {side}, but there are {n} mentions")

    @classmethod
    def from_words(
        cls,
        id: str,
        sentences: Iterable[Sequence[str]],
        *,
        columns: Mapping[str, tuple[Any, ...]] | None = None,
        layers: Mapping[str, Layer] | None = None,
        **fields: Any,
    ) -> Document:
        """A document of tokenised sentences: words joined by one space, sentences by a line break."""
        pieces: list[str] = []
        tokens: list[tuple[int, int]] = []
        ranges: list[tuple[int, int]] = []
        at = 0
        for words in sentences:
            first = len(tokens)
            for word in words:
                tokens.append((at, at + len(word)))
                at += len(word) + 1
            at += not words  # an empty sentence still takes its line break
            pieces.append(" ".join(words))
            ranges.append((first, len(tokens)))
        return cls(
            id=id,
            text="\n".join(pieces),
            tokens=tuple(tokens),
            sentences=tuple(ranges),
            columns=columns or {},
            layers=layers or {},
            **fields,
        )

    @property
    def gold(self) -> Layer:
        return self.layers.get(GOLD, _EMPTY_LAYER)

    @cached_property
    def words(self) -> tuple[str, ...]:
        return tuple(self.text[start:end] for start, end in self.tokens)

    def surface(self, mention: Mention) -> str:
        return self.text[mention.start : mention.end]

    def token_range(self, start: int, end: int) -> tuple[int, int]:
        """Tokens [first, last) that share a character with [start, end)."""
        first = bisect_right(self._token_ends, start)
        return first, max(first, bisect_left(self._token_starts, end))

    def char_range(self, first: int, last: int) -> tuple[int, int]:
        """Characters that tokens [first, last) cover."""
        return self.tokens[first][0], self.tokens[last - 1][1]

    def with_layer(self, name: str, layer: Layer) -> Document:
        return replace(self, layers={**self.layers, name: layer})

    @cached_property
    def _token_starts(self) -> list[int]:
        return [start for start, _ in self.tokens]

    @cached_property
    def _token_ends(self) -> list[int]:
        return [end for _, end in self.tokens]


_EMPTY_LAYER: Final = Layer()


def _check_ascending(what: str, ranges: Sequence[tuple[int, int]], limit: int, unit: str) -> None:
    previous = 0
    for position, (start, end) in enumerate(ranges):
        if not (previous <= start <= end <= limit):
            raise ValueError(
                f"{what} {position} is [{start}, {end}): {what}s must follow each other within {limit} {unit}"
                f" and not overlap"
            )
        previous = end
