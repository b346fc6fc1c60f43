"""The learners of linking with their settings. All are trained on identical instances."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from engine.learners.linear.online import Online
from engine.learners.margin.polynomial import PolynomialSSVM
from engine.learners.margin.ssvm import SSVM
from engine.learners.ranking.lambdarank import LambdaRank
from engine.learners.trees.linear_start import LinearStartBoosting
from engine.settings import Settings, setting
from engine.tasks.base import LearnerInfo


@dataclass(frozen=True, kw_only=True)
class LinkingSettings(Settings):
    """What every learner of linking can be told besides its own settings."""

    own_tags: tuple[str, ...] = setting(
        ("tweets_train",),
        "Sources of the lexicon that may hold annotation of the training texts: counted leave-one-out.",
    )
    blocks: int = setting(
        10,
        "Blocks of training texts left out of the counts together; 0 leaves out each text with its copies alone.",
        low=0,
    )
    entities: int = setting(12, "Entities per mention at most, the likeliest by counts and renown.", low=1)
    folds: int = setting(
        3, "Parts of the training set for choosing the Nil bias by cross-validation; 0 keeps bias 0.", low=0
    )


@dataclass(frozen=True, kw_only=True)
class SMart(LinearStartBoosting, LinkingSettings):
    """S-MART: boosted trees on the lattice."""

    rate: float = setting(0.05, "How much of each tree is added; 1 as in the paper.", low=1e-4, high=1.0)
    forests: int = setting(
        2, "Forests that grow apart, each on its own sample of features; their mean is the scorer.", low=1
    )
    max_leaves: int = setting(32, "Leaves of a tree at most, grown best first.", low=2, high=1024)
    column_share: float = setting(0.3, "Share of the features each tree may ask about.", low=0.01, high=1.0)


@dataclass(frozen=True, kw_only=True)
class LinkingPerceptron(Online, LinkingSettings):
    """Structured perceptron."""

    epochs: int = setting(15, "Passes over the documents.", low=1)


@dataclass(frozen=True, kw_only=True)
class LinkingSSVM(SSVM, LinkingSettings):
    """Linear structured SVM."""

    C: float = setting(
        0.5, "Weight of each document's loss against small weights; the paper tries 0.5, 1, 5, 10.", low=1e-9
    )


@dataclass(frozen=True, kw_only=True)
class LinkingPolynomial(PolynomialSSVM, LinkingSettings):
    """Structured SVM on products of two features."""


@dataclass(frozen=True, kw_only=True)
class LinkingLambdaRank(LambdaRank, LinkingSettings):
    """Two-layer network that ranks the entities of a mention."""


def n_rounds(settings: Any) -> int:
    """How many rounds these settings allow."""
    for name in ("trees", "epochs", "most_rounds"):
        if hasattr(settings, name):
            return int(getattr(settings, name))
    raise TypeError(f"{type(settings).__name__} does not say how many rounds it makes")


SSVM_GRID: Final[Mapping[str, tuple[str, ...]]] = {"C": ("0.5", "1", "5", "10")}
"""What the S-MART paper tries for both structured SVMs."""

LEARNERS: Final[Mapping[str, LearnerInfo]] = {
    info.name: info
    for info in (
        LearnerInfo("s-mart", "S-MART", "Boosted trees, likelihood of the whole lattice.", SMart()),
        LearnerInfo("s-mart-hinge", "S-MART, hinge", "Boosted trees, margin on the lattice.", SMart(loss="hinge")),
        LearnerInfo(
            "s-mart-2",
            "S-MART, two stages",
            "A second S-MART sees how entities fit those the first one found.",
            SMart(),
        ),
        LearnerInfo(
            "mart", "MART", "Boosted trees, a softmax per mention, no structure in training.", SMart(excludes="mention")
        ),
        LearnerInfo("perceptron", "Structured perceptron", "Linear, averaged, on the lattice.", LinkingPerceptron()),
        LearnerInfo("ssvm", "Linear SSVM", "Linear, large margin on the lattice.", LinkingSSVM(), SSVM_GRID),
        LearnerInfo(
            "poly-ssvm",
            "Polynomial SSVM",
            "Products of two features, large margin on the lattice.",
            LinkingPolynomial(),
            SSVM_GRID,
        ),
        LearnerInfo(
            "lambdarank", "LambdaRank", "A small network that ranks each mention's entities.", LinkingLambdaRank()
        ),
    )
}
