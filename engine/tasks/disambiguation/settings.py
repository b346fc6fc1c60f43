"""The five ways to train a disambiguator, and what can be set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from engine.learners.sgtb.blocks import Policy, Search
from engine.learners.sgtb.learner import SGTB
from engine.settings import setting
from engine.tasks.base import LearnerInfo
from engine.tasks.disambiguation.search.steps import MOST_ROUNDS


@dataclass(frozen=True, kw_only=True)
class DisambiguationSettings(SGTB):
    """The settings of boosting and of its features."""

    features: Literal["local", "graph", "portable"] = setting(
        "graph",
        "local: only a mention and its candidates. graph: also how candidates of other mentions link to them."
        " portable: for texts unlike the training documents; only features that mean the same everywhere, without"
        " rates in training.",
    )
    start: Literal["zero", "prior"] = setting(
        "zero", "The score that boosting starts from: zero or, if there is a lexicon, the logarithm of the prior."
    )
    leave_out: float = setting(
        0.15,
        "Share of the training documents, on either side of a document, that are left out of its statistics besides"
        " the document itself. News from the same days repeat each other; later news do not.",
        low=0.0,
        high=0.4,
    )
    candidates: int = setting(
        30, "Number of candidates taken from the lexicon if the corpus has none.", low=1, high=100
    )
    source: Literal["given", "lexicon"] = setting(
        "given",
        "Where candidates come from: those given with the mentions and, if there are none, the lexicon and training"
        " links; or always the lexicon and training links.",
    )
    own_tags: tuple[str, ...] = setting(
        ("aida",),
        ("Sources of the lexicon that contain the links of the training documents, which are then subtracted."),
    )
    ignored_tags: tuple[str, ...] = setting(
        ("ppr", "title"), "Sources of the lexicon that are left out of the prior where no other source has the entry."
    )
    lookup: Literal["exact", "forms"] = setting(
        "exact",
        "How names are looked up in the lexicon and the training links. exact: as written. forms: names that are not"
        " found are also tried as hashtags, without accents or possessive, as a piece or the initials of a title, and"
        " as a title.",
    )
    backward: float = setting(
        0.3,
        "bibsg without look-ahead: the weight of backward scores relative to forward ones in the final choice.",
        low=0.01,
        high=2.0,
    )
    look_ahead: int = setting(
        0,
        "bibsg: number of rounds in which forward and backward search look ahead to each other's scores, in training"
        " and decisions, with the same trees; the likelier of their two answers is taken (2 in the paper). With 0,"
        " each direction learns alone, with its own trees, and the best sum of both is taken.",
        low=0,
        high=MOST_ROUNDS,
    )


POLICIES: Final[Mapping[str, Policy]] = {
    "local": "local",
    "bs": "early",
    "laso": "laso",
    "bsg": "gold-path",
    "bibsg": "bidirectional",
}


def search_of(learner: str, settings: DisambiguationSettings) -> Search:
    policy = POLICIES[learner]
    if policy != "bidirectional":
        return Search(policy, settings.beam)
    return Search(policy, settings.beam, settings.backward, settings.look_ahead)


_DEFAULT: Final = DisambiguationSettings(lookup="forms", start="prior")

GRID: Final[Mapping[str, tuple[str, ...]]] = {"depth": ("3", "5", "8"), "beam": ("3", "4", "5", "6")}
"""The values that the paper tries on AIDA's dev set."""

# Rate 1, all rows and columns, scikit-learn's smallest leaf, start from zero; only a candidate's own features.
_WHOLE: Final = {
    "rate": 1.0,
    "columns": 1.0,
    "documents": 1.0,
    "min_leaf": 1,
    "start": "zero",
    "features": "local",
    "lookup": "exact",
}
_FEW: Final = {"trees": 100, "rate": 0.5, "patience": 2}

LEARNERS: Final[Mapping[str, LearnerInfo[DisambiguationSettings]]] = {
    info.name: info
    for info in (
        LearnerInfo(
            "local",
            "Local boosting",
            "Gradient tree boosting that decides every mention alone.",
            replace(_DEFAULT, features="local", rate=0.5),
            {"depth": GRID["depth"]},
            _WHOLE,
            _FEW,
        ),
        LearnerInfo(
            "bs",
            "SGTB, early update (BS)",
            (
                "Beam search that learns from each document up to the step at which the right sequence falls out of the"
                " beam."
            ),
            _DEFAULT,
            GRID,
            _WHOLE,
            _FEW,
        ),
        LearnerInfo(
            "laso",
            "SGTB, LaSO",
            "Like BS, but when the right sequence falls out, the search continues from it.",
            _DEFAULT,
            GRID,
            _WHOLE,
            _FEW,
        ),
        LearnerInfo(
            "bsg",
            "SGTB, gold path (BSG)",
            "Beam search that keeps the right sequence and learns at every step.",
            _DEFAULT,
            GRID,
            _WHOLE,
            _FEW,
        ),
        LearnerInfo(
            "bibsg",
            "SGTB, both directions (BiBSG)",
            "Two BSGs, from the left and from the right, each with its own trees; the backward search looks ahead to"
            " the forward search's best scores, and the sequence with the best sum is chosen. Preset Paper: one set of"
            " trees, two rounds in which each direction looks ahead to the other, and the likelier answer is taken.",
            _DEFAULT,
            GRID,
            {**_WHOLE, "look_ahead": 2},
            _FEW,
        ),
    )
}
