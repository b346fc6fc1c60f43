"""Relation classifiers for decisions under constraints: in part trained only where the types allow the relation.

The constraints know which types a relation takes, yet a classifier that is trained on all pairs learns little else, as
most pairs have the wrong types. So where hard constraints demand types, a share of a relation's score comes from a
classifier of its own ("does it hold?"), which is trained on the pairs whose gold types meet the demands. Both are
linear in the same features, so their mixture is one linear classifier, whose score of "none" is 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from engine.arrays import Flags, Ints
from engine.learners.linear.onoff import Classifier
from engine.structures.typed_pairs import pair_index
from engine.tasks.joint.constraints.base import Constraint
from engine.tasks.joint.constraints.space import Space


def allowed_pairs(constraints: Iterable[Constraint], space: Space, types: Ints, sizes: Ints) -> dict[int, Flags]:
    """For each label of which hard constraints demand types: the pairs of all sentences whose types meet the demands.

    `types` are those of all mentions, `sizes` the numbers of mentions of the sentences.
    """
    starts = np.cumsum(sizes) - sizes
    index = [pair_index(int(n)).reshape(-1, 2) + start for n, start in zip(sizes, starts, strict=True)]
    ends = np.concatenate([np.zeros((0, 2), dtype=np.int64), *index])
    met: dict[int, Flags] = {}
    for constraint in constraints:
        for demand in constraint.demands(space) if constraint.enabled else ():
            meets = np.isin(types[ends[:, demand.side]], demand.types)
            met[demand.label] = met.get(demand.label, np.ones(len(ends), dtype=bool)) & meets
    return met


def mixed(of_all: Classifier, own: Mapping[int, Classifier], share: float) -> Classifier:
    """The classifier trained on all pairs, and `share` of those that relations have of their own (0 no, 1 yes)."""
    weights, intercepts = of_all.weights - of_all.weights[0], of_all.intercepts - of_all.intercepts[0]
    for label, one in own.items():
        weights[label] += share * (one.weights[1] - one.weights[0] - weights[label])
        intercepts[label] += share * (one.intercepts[1] - one.intercepts[0] - intercepts[label])
    return Classifier(weights, intercepts)
