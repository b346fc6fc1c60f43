"""Entity-entity features of the second stage: how an entity fits those that the first stage found in the same text.

Jaccard similarity of the pages that link to the entity and the pages that link to any other entity found (Yang and
Chang 2015, section 3.3, after Guo et al. 2013), and whether it is the mention's highest. A knowledge base
without links compares the words of descriptions instead; the formula stays the same.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.arrays import Places, Singles
from engine.features.linking.inventory import Inventory
from engine.features.linking.registry import CandidateTable
from engine.features.linking.text.words import COMMON
from engine.lexicon.surfaces import fold

PAIRS: Final = {
    "link_jaccard": "Jaccard similarity of the entity's in-links and those of the other entities found in the text.",
    "highest_jaccard": "The entity has the mention's highest Jaccard similarity, and it is not 0.",
}
"""The features of the second stage and what they mean."""


def pair_matrix(table: CandidateTable, chosen: Places) -> Singles:
    """The two features of every row, given the rows that a first stage chose."""
    c = table.candidates
    result = np.zeros((c.n_rows, 2), dtype=np.float32)
    neighbours = _Neighbours(table.inventory)
    document = c.document[table.mention]
    found: dict[int, list[int]] = {}
    for row in chosen:
        found.setdefault(int(document[row]), []).append(int(row))
    offsets = c.row_offsets
    for d, rows in found.items():
        entities = [int(c.entity[row]) for row in rows if table.known[row]]
        sets = {entity: neighbours.of(entity) for entity in entities}
        for row in range(offsets[d], offsets[d + 1]):
            own = int(c.entity[row])
            if own >= c.n_known:
                continue
            others = frozenset().union(*(sets[e] for e in entities if e != own))
            mine = neighbours.of(own)
            union = len(mine | others)
            result[row, 0] = len(mine & others) / union if union else 0.0
    best = table.max_by_mention(result[:, 0])[table.mention]
    result[:, 1] = (result[:, 0] > 0) & (result[:, 0] >= best)
    return result


class _Neighbours:
    """The sets by which entities are compared: pages that link to them, or the words of their descriptions."""

    def __init__(self, inventory: Inventory) -> None:
        self._entities = inventory.entities
        self._kept: dict[int, frozenset[int | str]] = {}

    def of(self, entity: int) -> frozenset[int | str]:
        if entity not in self._kept:
            kb = self._entities
            if kb.has_links:
                self._kept[entity] = frozenset(kb.links(entity).tolist())
            else:
                words = fold(kb.description(entity).lower()).replace(",", " ").split()
                self._kept[entity] = frozenset(words) - COMMON
        return self._kept[entity]
