"""Learns weights for nil implicitly, by a change of coordinates.

Haffari et al. (2015) give nil weights w_0 like any relation, and include them in the penalty. Scores, however, only
matter relative to nil: d_l = w_l - w_0. Given the d_l of one feature, the cheapest weights have w_0 = - sum d_l / (L +
1), and

    |w_0|^2 + sum |w_l|^2  =  sum |d_l|^2 - (sum d_l)^2 / (L + 1)  =  |u|^2
    with d_l = u_l + c sum u,    c = (sqrt(L + 1) - 1) / L.

So learning u under the plain penalty is exactly the same as learning w with nil among the labels. The map is symmetric:
features of an output are transformed like weights.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from engine.arrays import Singles


class Axes:
    """The identity: nil has no weights."""

    def scores(self, weights: Singles) -> Singles:
        """Learnt weights to the scorer's weights."""
        return weights

    def features(self, sums: Singles) -> Singles:
        """Features of an output in the coordinates of the learnt weights."""
        return sums


@dataclass(frozen=True)
class NilAxes(Axes):
    """The transformation. The first `split` weights are those of mentions, [features, labels]; relations of the pair
    have no nil."""

    split: int
    n_labels: int

    def scores(self, weights: Singles) -> Singles:
        mentions = weights[: self.split].reshape(-1, self.n_labels)
        spread = np.float32((math.sqrt(self.n_labels + 1) - 1) / self.n_labels)
        turned = mentions + spread * mentions.sum(axis=1, keepdims=True)
        return np.concatenate([turned.ravel(), weights[self.split :]])

    def features(self, sums: Singles) -> Singles:
        return self.scores(sums)
