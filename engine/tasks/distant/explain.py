"""Explains the score of a part of a bag. Scores are linear in features, so each contribution is exact.

A sentence's relation is explained relative to nil, per unit of the sentence's share; a relation of the pair by the
pair's own features; nil itself by its own score and the bias.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import numpy as np

from engine.arrays import Singles
from engine.features.distant.rows import FrequentNames, SparseRows
from engine.features.distant.templates import TEMPLATES, group_of
from engine.tasks.base import Model
from engine.tasks.capabilities import Against
from engine.tasks.distant.deciding import margins
from engine.tasks.distant.scored import DistantScored
from engine.tasks.distant.scoring import BagFeatures
from engine.tasks.distant.settings import DistantSettings
from engine.tasks.distant.state import DistantState
from engine.tasks.explanation import Contribution, Explanation, FeatureInfo

LISTED: Final = 2000
"""Maximum number of features that the app lists, largest weights first."""


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


def explain_against(
    scored: DistantScored, model: Model[DistantSettings, DistantState], part: int, others: Collection[int]
) -> Against | None:
    """Compares a sentence's relation with the one it has in another output: the features of the one minus those of the
    other, times the sentence's share. A relation of the pair is explained by itself."""
    structure, scores = scored.bag()
    member, _ = structure.meaning(part)
    rival = next((one for one in others if member is not None and structure.meaning(one)[0] == member), None)
    if member is None or rival is None:
        return None
    share = float(scored.shares[member])
    mine, theirs = (explain(scored, model, one).contributions for one in (part, rival))
    found = {(one.group, one.name): (one.value, share * (one.adds or 0.0)) for one in mine}
    for one in theirs:
        value, adds = found.get((one.group, one.name), (one.value, 0.0))
        found[one.group, one.name] = value, adds - share * (one.adds or 0.0)
    shares = [Contribution(name, group, value, adds) for (group, name), (value, adds) in found.items()]
    lead = float(scores[part] - scores[rival])
    largest_first = tuple(sorted(shares, key=lambda one: -abs(one.adds or 0.0)))
    return Against(Explanation(lead, 0.0, largest_first), rival)


def _contributions(row: SparseRows, names: FrequentNames, weights: Singles) -> tuple[Contribution, ...]:
    """What each feature of the one row adds."""
    shares = [
        Contribution(names.names[column], group_of(names.names[column]), float(value), float(value * weights[column]))
        for column, value in zip(row.columns.tolist(), row.values.tolist(), strict=True)
    ]
    return tuple(sorted(shares, key=lambda one: -abs(one.adds or 0.0)))


def features(state: DistantState | None) -> list[FeatureInfo]:
    """The feature templates; given a model, its features with the largest weights."""
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
