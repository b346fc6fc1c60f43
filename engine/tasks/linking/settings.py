"""The learners of linking with their settings. All are trained on identical instances.

As everywhere in engine/learners, a learner is a frozen dataclass of settings with a method `rounds`; here each is
combined with the settings of linking itself.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from engine.learners.base import Instance, Round, Saved, Scorer
from engine.learners.linear.online import Online
from engine.learners.margin.polynomial import PolynomialSSVM
from engine.learners.margin.ssvm import SSVM
from engine.learners.ranking.lambdarank import LambdaRank
from engine.learners.trees.linear_start import LinearStartBoosting
from engine.settings import Settings, setting
from engine.structures.base import Structure
from engine.tasks.base import LearnerInfo
from engine.workers.crews import ALONE, Crew


@dataclass(frozen=True, kw_only=True)
class LinkingSettings(Settings, ABC):
    """The settings that every learner of linking has besides its own."""

    stages: ClassVar[int] = 1
    """Scorers that are trained one after the other; each sees what the one before it found."""

    own_tags: tuple[str, ...] = setting(
        ("tweets_train",),
        "Sources of the lexicon that may contain annotations of the training texts; these are counted leave-one-out.",
    )
    blocks: int = setting(
        10,
        (
            "Number of blocks of training texts that are left out of the counts together; with 0, each text is left out"
            " alone with its copies."
        ),
        low=0,
    )
    entities: int = setting(
        12, ("The largest number of entities per mention; the likeliest by counts and renown are kept."), low=1
    )
    folds: int = setting(
        3, "Parts of the training set for choosing the abstain bias by cross-validation; 0 keeps bias 0.", low=0
    )

    @property
    @abstractmethod
    def n_rounds(self) -> int:
        """The expected number of rounds of one stage."""

    @abstractmethod
    def rounds(
        self, instances: Sequence[Instance[Structure]], *, resume: Saved | None = None, crew: Crew = ALONE
    ) -> Iterator[Round[Scorer]]:
        """Run the learner, one round after another."""

    def for_folds(self) -> LinkingSettings:
        """The learner for one fold, whose scores are used only to choose the bias."""
        return self


@dataclass(frozen=True, kw_only=True)
class SMart(LinearStartBoosting, LinkingSettings):
    """S-MART: boosted trees on the lattice."""

    rate: float = setting(0.05, "The share of each tree that is added; 1 in the paper.", low=1e-4, high=1.0)
    forests: int = setting(
        2, "Number of separate forests, each grown on its own sample of features; their mean is the scorer.", low=1
    )
    max_leaves: int = setting(32, "The largest number of leaves of a tree, grown best first.", low=2, high=1024)
    column_share: float = setting(0.3, "Share of the features that each tree may use.", low=0.01, high=1.0)

    @property
    def n_rounds(self) -> int:
        return self.trees

    def for_folds(self) -> SMart:
        """With a single forest, which is enough to choose the bias; only the model needs the mean of several."""
        return dataclasses.replace(self, forests=1)


@dataclass(frozen=True, kw_only=True)
class TwoStageSMart(SMart):
    """S-MART twice: the second one sees how entities fit those that the first one found."""

    stages: ClassVar[int] = 2


@dataclass(frozen=True, kw_only=True)
class LinkingPerceptron(Online, LinkingSettings):
    """Structured perceptron."""

    n_rounds: int = setting(15, "Passes over the documents.", low=1)


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


SSVM_GRID: Final[Mapping[str, tuple[str, ...]]] = {"C": ("0.5", "1", "5", "10")}
"""The values that the S-MART paper tries for both structured SVMs."""
NETWORK_GRID: Final[Mapping[str, tuple[str, ...]]] = {
    "hidden": ("10", "20", "30", "40"),
    "rate": ("0.1", "0.01", "0.001"),
}
"""The values that it tries for LambdaRank."""

# 300 trees with at least 30 rows per leaf, as everywhere here; rate 1, mean-valued leaves, from zero, all features.
_TREES: Final = {
    "linear": False,
    "rate": 1.0,
    "newton": False,
    "prior": False,
    "nil": "trees",
    "forests": 1,
    "column_share": 1.0,
}
_FEW_TREES: Final = {"trees": 60, "rate": 0.2, "forests": 1, "folds": 2}
# With C = 10 it takes more than 500 planes to close the gap.
_PLANES: Final = {"n_rounds": 2000}
_FEW_PLANES: Final = {"n_rounds": 60, "folds": 2}

LEARNERS: Final[Mapping[str, LearnerInfo[LinkingSettings]]] = {
    info.name: info
    for info in (
        LearnerInfo[LinkingSettings](
            "s-mart",
            "S-MART",
            "Boosted trees on top of a linear SSVM, trained on the likelihood of the whole lattice.",
            SMart(),
            paper=_TREES,
            quick=_FEW_TREES,
        ),
        LearnerInfo[LinkingSettings](
            "s-mart-hinge",
            "S-MART, hinge",
            "Boosted trees on top of a linear SSVM, trained for a margin on the lattice.",
            SMart(loss="hinge"),
            paper=_TREES,
            quick=_FEW_TREES,
        ),
        LearnerInfo[LinkingSettings](
            "s-mart-2",
            "S-MART, two stages",
            "A second S-MART that also uses how well entities fit those the first one found.",
            TwoStageSMart(),
            paper=_TREES,
            quick=_FEW_TREES,
        ),
        LearnerInfo[LinkingSettings](
            "mart",
            "MART",
            "Like S-MART, but trained with a softmax per mention. Decoded on the lattice, as all learners are.",
            SMart(excludes="mention"),
            paper=_TREES,
            quick=_FEW_TREES,
        ),
        LearnerInfo[LinkingSettings](
            "perceptron",
            "Structured perceptron",
            "Linear, averaged, on the lattice.",
            LinkingPerceptron(),
            quick={"n_rounds": 4, "folds": 2},
        ),
        LearnerInfo[LinkingSettings](
            "ssvm",
            "Linear SSVM",
            "Linear, large margin on the lattice.",
            LinkingSSVM(),
            SSVM_GRID,
            _PLANES,
            _FEW_PLANES,
        ),
        LearnerInfo[LinkingSettings](
            "poly-ssvm",
            "Polynomial SSVM",
            "Products of two features, large margin on the lattice.",
            LinkingPolynomial(),
            SSVM_GRID,
            _PLANES,
            _FEW_PLANES,
        ),
        LearnerInfo[LinkingSettings](
            "lambdarank",
            "LambdaRank",
            "A small network that ranks each mention's entities in training. Decoded on the lattice.",
            LinkingLambdaRank(),
            NETWORK_GRID,
            {"optimiser": "sgd", "rate": 0.01},
            {"n_rounds": 5, "folds": 2},
        ),
    )
}
