"""A scorer with a price on one feature: what the learner says, less so much per unit of the feature.

For decisions that the likelihood should not make alone: some answers must be better than others to be given.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from engine.arrays import Array, Floats
from engine.learners.base import FeatureMatrix, Scorer


@dataclass(frozen=True, eq=False)
class Priced:
    """The scores of `scorer` less `price` times the feature in `column`."""

    scorer: Scorer
    column: int
    price: float

    def scores(self, features: FeatureMatrix) -> Floats:
        return np.asarray(self.scorer.scores(features) - self.price * features[:, self.column], dtype=np.float64)

    def to_parts(self) -> dict[str, Array]:
        """The price; the scorer is packed beside it (see scorers.py)."""
        return {"column": np.array([self.column]), "price": np.array([self.price])}

    @staticmethod
    def around(scorer: Scorer, parts: Mapping[str, Array]) -> Priced:
        return Priced(scorer, int(parts["column"][0]), float(parts["price"][0]))
