"""Why a part of a bag has its score. Scores are linear in features, so what each adds is exact.

A sentence's relation is told over nil, in units of one whole sentence; a relation of the pair by the pair's own
features; nil itself by where it stands and by the bias.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.arrays import Singles
from engine.features.distant.rows import FrequentNames, SparseRows
from engine.features.distant.templates import TEMPLATES, group_of
from engine.tasks.base import Model
from engine.tasks.distant.deciding import margins
from engine.tasks.distant.scored import DistantScored
from engine.tasks.distant.scoring import BagFeatures
from engine.tasks.distant.settings import DistantSettings
from engine.tasks.distant.state import DistantState
from engine.tasks.explanation import Contribution, Explanation, FeatureInfo

LISTED: Final = 2000
"""Features that the app lists at most, the heaviest first."""


def explain(scored: DistantScored, model: Model[DistantSettings, DistantState], part: int) -> Explanation:
    state, nil = model.state, model.state.scorer.nil
    structure, scores = scored.bag()
    member, label = structure.meaning(part)
    features = BagFeatures.of(scored.documents)
    if member is None:
        row = state.bag_features.rows(features.bags, model.settings.bag_features)
        shares = _contributions(row, state.bag_features, state.scorer.bag_weights[:, label - 1])
        return Explanation(float(scores[part]), 0.0, shares)
    if label == 0:
        stands = (Contribution("where nil stands", "nil", 1.0, nil), Contribution("the bias", "nil", 1.0, scored.bias))
        return Explanation(nil + scored.bias, 0.0, stands)
    row = state.mention_features.rows(features.members[member : member + 1])
    shares = _contributions(row, state.mention_features, state.scorer.mention_weights[:, label - 1])
    return Explanation(float(margins(scored)[member, label - 1]), -(nil + scored.bias), shares)


def _contributions(row: SparseRows, names: FrequentNames, weights: Singles) -> tuple[Contribution, ...]:
    """What each feature of the one row adds."""
    shares = [
        Contribution(names.names[column], group_of(names.names[column]), float(value), float(value * weights[column]))
        for column, value in zip(row.columns.tolist(), row.values.tolist(), strict=True)
    ]
    return tuple(sorted(shares, key=lambda one: -abs(one.adds or 0.0)))


def features(state: DistantState | None) -> list[FeatureInfo]:
    """The templates; of a model the features that weigh most."""
    if state is None:
        return [FeatureInfo(f.__name__.replace("_", " "), group, text) for group, f, text in TEMPLATES]
    weights = state.scorer.mention_weights
    heaviest = np.argsort(-np.abs(weights).max(axis=1), kind="stable")[:LISTED]
    infos = []
    for i in heaviest:
        name = state.mention_features.names[i]
        top = int(np.argmax(np.abs(weights[i])))
        infos.append(FeatureInfo(name, group_of(name), f"{weights[i, top]:+.3f} for {state.relations[top]}"))
    return infos
