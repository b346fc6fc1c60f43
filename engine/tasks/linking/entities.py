"""A table of the entities that a scored corpus names, so that showing titles, classifying errors and drawing the
lattice need no knowledge base."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from engine.arrays import Ints
from engine.structures.base import Mask


@dataclass(frozen=True, eq=False)
class Entities:
    """One row per entity. A title has two rows where it is both an entity and a guess."""

    titles: tuple[str, ...]
    known: Mask
    """Whether it is an entity of the knowledge base. If not, its title was guessed from the text."""
    listed: Mask
    """Whether the knowledge base has an entity of this title."""
    types: tuple[tuple[str, ...], ...]
    descriptions: tuple[str, ...]
    families: tuple[str, ...]
    """The broad type of the entity, such as person; empty if unknown."""
    training_links: Ints
    """How often the training texts link to it."""
    has_base: bool = True
    """Whether it is known what the knowledge base and the training texts have. Where another program scored, it is
    not."""

    @staticmethod
    def of(titles: Sequence[str]) -> Entities:
        """A table of titles about which nothing else is known; they count as entities, not as guesses."""
        n = len(titles)
        every, links = np.ones(n, dtype=np.bool_), np.zeros(n, dtype=np.int64)
        return Entities(tuple(titles), every, every, ((),) * n, ("",) * n, ("",) * n, links, has_base=False)

    @staticmethod
    def joined(tables: Sequence[Entities]) -> tuple[Entities, list[Ints]]:
        """The entities of several tables of one knowledge base, each once; and the new row of every old one."""
        rows: dict[tuple[str, bool], int] = {}
        taken: list[tuple[Entities, int]] = []
        moved = []
        for table in tables:
            places = []
            for row, key in enumerate(zip(table.titles, table.known.tolist(), strict=True)):
                if key not in rows:
                    rows[key] = len(taken)
                    taken.append((table, row))
                places.append(rows[key])
            moved.append(np.array(places, dtype=np.int64))
        whole = Entities(
            titles=tuple(title for title, _ in rows),
            known=np.array([known for _, known in rows], dtype=np.bool_),
            listed=np.array([table.listed[row] for table, row in taken], dtype=np.bool_),
            types=tuple(table.types[row] for table, row in taken),
            descriptions=tuple(table.descriptions[row] for table, row in taken),
            families=tuple(table.families[row] for table, row in taken),
            training_links=np.array([table.training_links[row] for table, row in taken], dtype=np.int64),
            has_base=all(table.has_base for table in tables),
        )
        return whole, moved

    @cached_property
    def row(self) -> Mapping[str, int]:
        """Title -> its first row."""
        return {title: i for i, title in reversed(list(enumerate(self.titles)))}

    def is_listed(self, title: str) -> bool:
        row = self.row.get(title)
        return row is not None and bool(self.listed[row])

    def family(self, title: str) -> str:
        row = self.row.get(title)
        return "" if row is None else self.families[row]

    def links(self, title: str) -> int:
        """How often the training texts link to an entity of this title."""
        row = self.row.get(title)
        return 0 if row is None else int(self.training_links[row])

    def to_parts(self) -> dict[str, Any]:
        return {
            "known": self.known,
            "listed": self.listed,
            "training_links": self.training_links,
            "words": {
                "has_base": self.has_base,
                "titles": self.titles,
                "types": self.types,
                "descriptions": self.descriptions,
                "families": self.families,
            },
        }

    @staticmethod
    def from_parts(parts: Mapping[str, Any]) -> Entities:
        words = parts["words"]
        return Entities(
            titles=tuple(words["titles"]),
            known=parts["known"],
            listed=parts["listed"],
            types=tuple(tuple(types) for types in words["types"]),
            descriptions=tuple(words["descriptions"]),
            families=tuple(words["families"]),
            training_links=parts["training_links"],
            has_base=bool(words["has_base"]),
        )
