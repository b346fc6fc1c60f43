"""Weights for nil, without a place for them.

Haffari et al. (2015) give nil weights w_0 as any relation has, and the penalty counts them. Scores, however, only
matter relative to nil: d_l = w_l - w_0. Given the d_l of one feature, the cheapest weights have
w_0 = - sum d_l / (L + 1), and

    |w_0|^2 + sum |w_l|^2  =  sum |d_l|^2 - (sum d_l)^2 / (L + 1)  =  |u|^2
    with d_l = u_l + c sum u,    c = (sqrt(L + 1) - 1) / L.

So learning u under the plain penalty is learning w with nil among the labels, exactly. The map is symmetric: features
of an output go the same way as weights.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from engine.arrays import Singles


class Axes:
    """Weights as they are: nil has none."""

    def scores(self, weights: Singles) -> Singles:
        """What the scorer takes, of what is learnt."""
        return weights

    def features(self, sums: Singles) -> Singles:
        """Features of an output, as what is learnt meets them."""
        return sums


@dataclass(frozen=True)
class NilAxes(Axes):
    """The first `split` weights are those of mentions, [features, labels]; a relation of the pair has no nil."""

    split: int
    n_labels: int

    def scores(self, weights: Singles) -> Singles:
        mentions = weights[: self.split].reshape(-1, self.n_labels)
        spread = np.float32((math.sqrt(self.n_labels + 1) - 1) / self.n_labels)
        turned = mentions + spread * mentions.sum(axis=1, keepdims=True)
        return np.concatenate([turned.ravel(), weights[self.split :]])

    def features(self, sums: Singles) -> Singles:
        return self.scores(sums)
