"""The learners of distant relations with their settings. All of them learn on the same bags and features."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

from engine.learners.bags import BagSettings
from engine.learners.linear.hoffmann import Hoffmann
from engine.learners.margin.cccp import MaxMarginF, MaxMarginHamming
from engine.tasks.base import LearnerInfo

DistantSettings: TypeAlias = BagSettings
"""What every learner of bags can be told."""

F_LOSS: Final = "mm-f"
"""The learner that is told how precision counts against recall."""

LEARNERS: Final[Mapping[str, LearnerInfo[DistantSettings]]] = {
    F_LOSS: LearnerInfo(
        F_LOSS,
        "Max-margin, F-beta loss",
        "Trains for the balance of precision and recall you ask for.",
        MaxMarginF(),
    ),
    "mm-hamming": LearnerInfo(
        "mm-hamming",
        "Max-margin, Hamming loss",
        "Every wrong and every missing label costs the same.",
        MaxMarginHamming(),
    ),
    "hoffmann": LearnerInfo(
        "hoffmann",
        "Perceptron (MultiR)",
        "Corrects itself bag by bag; the baseline of the paper.",
        Hoffmann(),
    ),
}


def beta_of(settings: DistantSettings) -> float:
    """The weight on precision that a model was trained for; F1's where its learner knows none."""
    return settings.beta if isinstance(settings, MaxMarginF) else 0.5


def f_loss_of(settings: DistantSettings) -> MaxMarginF:
    """The settings themselves where they are those of the F loss, else its defaults for the same bags."""
    return settings if isinstance(settings, MaxMarginF) else MaxMarginF(bags=settings.bags)
