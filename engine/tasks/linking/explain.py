"""Explains the score of a part by what each feature adds to it. Nothing else right of the waist uses the scorer.

Trees give Shapley values and linear scorers their terms; a product of two features is divided between both; the network
gives integrated gradients (see `contributions` of each scorer in engine/learners).
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from engine.arrays import Singles
from engine.features.linking.all import BASIC
from engine.features.linking.entity_pairs import PAIRS
from engine.learners.base import Scorer
from engine.learners.priced import Priced
from engine.learners.trees.forest import Forest
from engine.learners.trees.shapley import shapley_values
from engine.structures.base import Scores
from engine.tasks.base import Model
from engine.tasks.explanation import Contribution, Explanation, FeatureInfo
from engine.tasks.linking.scored import LinkingScored
from engine.tasks.linking.scoring import rows_of
from engine.tasks.linking.settings import LinkingSettings
from engine.tasks.linking.state import LinkingState


def features(state: LinkingState | None) -> list[FeatureInfo]:
    """The features in column order, including those between entities if the model has two stages."""
    listed = [FeatureInfo(feature.name, feature.group, feature.help) for feature in BASIC]
    if state is not None and state.first is not None:
        listed += [FeatureInfo(name, "entity-entity", help) for name, help in PAIRS.items()]
    return listed


def explain(scored: LinkingScored, model: Model[LinkingSettings, LinkingState], part: int) -> Explanation:
    """What each feature adds to the score of a part of a one-document corpus."""
    state = model.state
    rows = rows_of(scored.documents, state.knowledge, state.first)
    if rows.parts.n_parts != scored.n_parts or rows.parts.title(part) != scored.title(part):
        raise ValueError("these scores are not of this model, so it cannot say how they came about")
    row = rows.features[part : part + 1]
    *added, base = contributions(state.scorer, row)[0].tolist()
    listed = [
        Contribution(feature.name, feature.group, float(value), adds)
        for feature, value, adds in zip(features(state), row[0], added, strict=True)
    ]
    return Explanation(
        score=float(scored.score[part]),
        base=base,
        contributions=tuple(sorted(listed, key=lambda one: -abs(one.adds or 0.0))),
    )


@runtime_checkable
class _Telling(Protocol):
    """A scorer that can itself compute what each feature adds."""

    def contributions(self, features: Singles) -> Scores: ...


def contributions(scorer: Scorer, rows: Singles) -> Scores:
    """What each feature adds to the score of each row; the last column is the score before any feature."""
    match scorer:
        case Priced():
            values = contributions(scorer.scorer, rows)
            values[:, scorer.column] -= scorer.price * rows[:, scorer.column]
            return values
        case Forest():
            return shapley_values(scorer, rows)
        case _Telling():
            return scorer.contributions(rows)
    raise TypeError(f"{type(scorer).__name__} cannot say what each feature adds")
