"""All feature functions in the order of their columns, and the matrix of a corpus."""

from __future__ import annotations

from typing import Final

# Imported for what they register; the order of imports is the order of columns.
from engine.arrays import Singles
from engine.features.linking import competition, entities, spans, statistics  # noqa: F401
from engine.features.linking.registry import FEATURES, CandidateTable, Feature, matrix

BASIC: Final[tuple[Feature, ...]] = tuple(FEATURES)
"""Features of the first stage."""

UNLISTED: Final = next(i for i, feature in enumerate(BASIC) if feature.name == "unlisted_title")
"""The column that marks guessed titles."""


def basic_matrix(table: CandidateTable) -> Singles:
    return matrix(table, list(BASIC))
