"""All feature functions in the order of their columns, and the matrix of a corpus."""

from __future__ import annotations

from typing import Final

import numpy as np

# Imported for the features they register; the order of imports is the order of columns.
from engine.arrays import Flags, Singles
from engine.features.linking import competition, entities, spans, statistics  # noqa: F401
from engine.features.linking.registry import FEATURES, CandidateTable, Feature, matrix

BASIC: Final[tuple[Feature, ...]] = tuple(FEATURES)
"""Features of the first stage."""

UNLISTED: Final = next(i for i, feature in enumerate(BASIC) if feature.name == "unlisted_title")
"""The column that marks guessed titles."""


def of_mention(n_columns: int) -> Flags:
    """The columns that depend only on the span, in a matrix that begins with the basic ones."""
    flags = np.zeros(n_columns, dtype=np.bool_)
    flags[: len(BASIC)] = [feature.level == "mention" for feature in BASIC]
    return flags


def basic_matrix(table: CandidateTable) -> Singles:
    return matrix(table, list(BASIC))
