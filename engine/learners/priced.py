"""A scorer with a penalty on one feature: the learner's score minus a price per unit of the feature.

It is used if certain answers should need a higher likelihood than others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from engine.arrays import Array, Floats
from engine.learners.base import FeatureMatrix, Scorer


@dataclass(frozen=True, eq=False)
class Priced:
    """The scores of `scorer` minus `price` times the feature in `column`."""

    scorer: Scorer
    column: int
    price: float

    def scores(self, features: FeatureMatrix) -> Floats:
        return np.asarray(self.scorer.scores(features) - self.price * features[:, self.column], dtype=np.float64)

    def to_parts(self) -> dict[str, Array]:
        """The price; the scorer is packed separately (see scorers.py)."""
        return {"column": np.array([self.column]), "price": np.array([self.price])}

    @staticmethod
    def around(scorer: Scorer, parts: Mapping[str, Array]) -> Priced:
        return Priced(scorer, int(parts["column"][0]), float(parts["price"][0]))
