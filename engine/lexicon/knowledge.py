"""The knowledge base of entities: title, types, popularity, description, links.

Everything is stored in flat arrays and a trie of titles, so that a knowledge base of millions of entities can be
memory-mapped rather than read. An entity's number is its position in the trie; unknown counts are 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any, Final

import marisa_trie
import numpy as np
from numpy.typing import NDArray

from engine.arrays import Array, Bytes, Flags, Ints, ShortInts, Singles

NUMBERS: Final = ("in_count", "popularity", "views")
"""Links into the page, popularity in Freebase, views of the English page."""
KEPT: Final = 1 << 16
"""Maximum number of entities whose title, types and description are cached, as a few recur all the time."""

_BLOCK: Final = 1 << 14
"""Number of descriptions read at a time."""


@dataclass(frozen=True)
class Entity:
    """One entity as the app shows it."""

    title: str
    types: tuple[str, ...] = ()
    in_count: float = 0.0
    popularity: float = 0.0
    views: float = 0.0
    description: str = ""
    links: tuple[str, ...] = ()
    """The entities whose pages link here."""


class KnowledgeBase:
    """Entities by number or title. `parts` are arrays and the trie, in memory or mapped."""

    def __init__(self, titles: marisa_trie.Trie, parts: Mapping[str, Any]) -> None:
        self.titles = titles
        self.in_count: Singles = parts["entity_in_count"]
        self.popularity: Singles = parts["entity_popularity"]
        self.views: Singles = parts["entity_views"]
        self.type_offsets: ShortInts = parts["entity_type_offsets"]
        self.type_ids: NDArray[np.int16] = parts["entity_type_ids"]
        self.description_offsets: Ints = parts["entity_description_offsets"]
        self.description_bytes: Bytes = parts["entity_description_bytes"]
        self.link_offsets: Ints = parts["entity_link_offsets"]
        self.link_ids: ShortInts = parts["entity_link_ids"]
        self.type_names: tuple[str, ...] = tuple(parts["names"]["types"])
        self._title = lru_cache(maxsize=KEPT)(titles.restore_key)
        self._types = lru_cache(maxsize=KEPT)(self._read_types)
        self._description = lru_cache(maxsize=KEPT)(self._read_description)

    def __len__(self) -> int:
        return len(self.titles)

    def __contains__(self, title: str) -> bool:
        return title in self.titles

    def __iter__(self) -> Iterator[str]:
        return (self.title(i) for i in range(len(self)))

    def number(self, title: str) -> int:
        """The entity's number, -1 if there is no such title."""
        return int(self.titles.get(title, -1))

    def title(self, number: int) -> str:
        return str(self._title(int(number)))

    def types(self, number: int) -> tuple[str, ...]:
        return self._types(int(number))

    def _read_types(self, number: int) -> tuple[str, ...]:
        low, high = self.type_offsets[number], self.type_offsets[number + 1]
        return tuple(self.type_names[i] for i in self.type_ids[low:high].tolist())

    def description(self, number: int) -> str:
        return self._description(int(number))

    def _read_description(self, number: int) -> str:
        low, high = self.description_offsets[number], self.description_offsets[number + 1]
        return bytes(self.description_bytes[low:high]).decode()

    def links(self, number: int) -> ShortInts:
        """Numbers of the pages that link here, ascending: entities, then other pages (from `len(self)` on)."""
        return self.link_ids[self.link_offsets[number] : self.link_offsets[number + 1]]

    def entity(self, number: int) -> Entity:
        return Entity(
            title=self.title(number),
            types=self.types(number),
            in_count=float(self.in_count[number]),
            popularity=float(self.popularity[number]),
            views=float(self.views[number]),
            description=self.description(number),
            links=tuple(self.title(i) for i in self.links(number) if i < len(self)),
        )

    @cached_property
    def has_links(self) -> bool:
        return len(self.link_ids) > 0

    def type_matrix(self, prefixes: Mapping[str, Sequence[str]]) -> Flags:
        """One row per entity, one column per family: whether a type of the entity starts with one of the family's
        prefixes."""
        member = np.array(
            [[name.startswith(tuple(family)) for family in prefixes.values()] for name in self.type_names],
            dtype=np.bool_,
        ).reshape(len(self.type_names), len(prefixes))
        flags = np.zeros((len(self), len(prefixes)), dtype=np.bool_)
        typed = np.flatnonzero(np.diff(self.type_offsets))
        # An entity may have several types, so its rows are combined with a logical or.
        if len(typed):
            flags[typed] = np.logical_or.reduceat(member[self.type_ids], self.type_offsets[typed], axis=0)
        return flags

    def descriptions(self) -> Iterator[str]:
        """All descriptions that are not empty; so many at a time are read from disk."""
        offsets = np.unique(self.description_offsets)
        for begin in range(0, len(offsets) - 1, _BLOCK):
            own = offsets[begin : begin + _BLOCK + 1]
            content = self.description_bytes[own[0] : own[-1]].tobytes()
            for low, high in pairwise((own - own[0]).tolist()):
                yield content[low:high].decode()


def pack(titles: marisa_trie.Trie, rows: Mapping[int, Mapping[str, Any]]) -> tuple[dict[str, Any], list[str]]:
    """The arrays of a knowledge base from the rows of some of its entities; and the names of the types."""
    n = len(titles)
    numbers = {name: np.zeros(n, dtype=np.float32) for name in NUMBERS}
    type_index: dict[str, int] = {}
    types: dict[int, list[int]] = {}
    texts: dict[int, bytes] = {}
    links: dict[int, Sequence[int]] = {}
    for number, row in rows.items():
        for name in NUMBERS:
            numbers[name][number] = row.get(name, 0.0)
        if row.get("types"):
            types[number] = [type_index.setdefault(t, len(type_index)) for t in dict.fromkeys(row["types"])]
        if row.get("description"):
            texts[number] = row["description"].encode()
        if row.get("links"):
            links[number] = sorted(set(row["links"]))
    type_offsets, type_ids = _flatten(n, types, np.int16)
    description_offsets, description_bytes = _flatten(n, texts, np.uint8)
    link_offsets, link_ids = _flatten(n, links, np.int32)
    parts = {
        **{f"entity_{name}": values for name, values in numbers.items()},
        "entity_type_offsets": type_offsets.astype(np.int32),
        "entity_type_ids": type_ids,
        "entity_description_offsets": description_offsets,
        "entity_description_bytes": description_bytes,
        "entity_link_offsets": link_offsets,
        "entity_link_ids": link_ids,
    }
    return parts, list(type_index)


def _flatten(n: int, values: Mapping[int, Any], dtype: Any) -> tuple[Ints, Array]:
    """Offsets and content of ragged rows, most of which are empty."""
    offsets = np.zeros(n + 1, dtype=np.int64)
    for number, value in values.items():
        offsets[number + 1] = len(value)
    np.cumsum(offsets, out=offsets)
    content = np.zeros(offsets[-1], dtype=dtype)
    for number, value in values.items():
        low, high = offsets[number], offsets[number + 1]
        content[low:high] = np.frombuffer(value, dtype=np.uint8) if isinstance(value, bytes) else value
    return offsets, content
