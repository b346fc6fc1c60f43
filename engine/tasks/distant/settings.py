"""The learners of distant relations with their settings. All of them learn on the same bags and features."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

from engine.learners.bags import BagSettings
from engine.learners.linear.hoffmann import Hoffmann
from engine.learners.margin.cccp import MaxMarginF, MaxMarginHamming
from engine.tasks.base import LearnerInfo

DistantSettings: TypeAlias = BagSettings
"""The settings that every learner of bags has."""

F_LOSS: Final = "mm-f"
"""The learner with a setting for the balance of precision and recall."""

# No features of pairs, equal weights of all mentions, weights for nil.
_BAGS: Final = {"bag_features": 0.0, "crowding": 0.0, "nil": "learnt"}
# Rounds until nothing changes.
_MARGIN: Final = {**_BAGS, "choose": False, "caution": 1.0, "n_rounds": 10, "planes": 300}
_F: Final = {**_MARGIN, "mix": 0.5, "decomposition": "per-label", "search": "climb"}
_FEW: Final = {"planes": 25, "n_rounds": 1, "choose": False}
# Ten suits thousands of bags; with only hundreds, it would fit noise.
_CHOICES: Final = {"C": (10.0, 1.0, 0.1)}

LEARNERS: Final[Mapping[str, LearnerInfo[DistantSettings]]] = {
    F_LOSS: LearnerInfo(
        F_LOSS,
        "Max-margin, F-beta loss",
        "Trains for the balance of precision and recall that you choose.",
        MaxMarginF(choose=True),
        {},
        _F,
        _FEW,
        _CHOICES,
    ),
    "mm-hamming": LearnerInfo(
        "mm-hamming",
        "Max-margin, Hamming loss",
        "Every wrong and every missing label costs the same.",
        MaxMarginHamming(choose=True),
        {},
        _MARGIN,
        _FEW,
        _CHOICES,
    ),
    "hoffmann": LearnerInfo(
        "hoffmann",
        "Perceptron (MultiR)",
        "Updates its weights bag by bag; the baseline of the paper.",
        Hoffmann(),
        {},
        _BAGS,
        {"n_rounds": 5},
    ),
}


def beta_of(settings: DistantSettings) -> float:
    """The weight on precision with which a model was trained; that of F1 if its learner has no such setting."""
    return settings.beta if isinstance(settings, MaxMarginF) else 0.5


def f_loss_of(settings: DistantSettings) -> MaxMarginF:
    """The settings themselves if they are those of the F loss, else its defaults for the same bags."""
    return settings if isinstance(settings, MaxMarginF) else MaxMarginF(bags=settings.bags)
