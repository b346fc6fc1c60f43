"""The state of a trained model of bags, and how it is written to a model file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.features import wordlists
from engine.features.distant.rows import FrequentNames
from engine.learners.bags import LinearBags
from engine.learners.margin.cccp import Warm


@dataclass(frozen=True, eq=False)
class DistantState:
    """Names of relations and features, and the weights. `warm`, which is not saved, is what retraining resumes from."""

    relations: tuple[str, ...]
    mention_features: FrequentNames
    bag_features: FrequentNames
    scorer: LinearBags
    warm: Warm | None = field(default=None, repr=False)


def pack(state: DistantState) -> dict[str, Any]:
    return {
        "names": {
            "relations": list(state.relations),
            "mention_features": list(state.mention_features.names),
            "bag_features": list(state.bag_features.names),
            "nil": state.scorer.nil,
        },
        "mention_weights": state.scorer.mention_weights,
        "bag_weights": state.scorer.bag_weights,
        "wordlists": wordlists.fingerprint(),
    }


def unpack(parts: Mapping[str, Any]) -> DistantState:
    names = parts["names"]
    # Models from before there were features of word lists have no weights for them.
    wordlists.check(parts.get("wordlists", wordlists.fingerprint()))
    return DistantState(
        tuple(names["relations"]),
        FrequentNames.of(names["mention_features"]),
        FrequentNames.of(names["bag_features"]),
        LinearBags(parts["mention_weights"], parts["bag_weights"], names["nil"]),
    )
