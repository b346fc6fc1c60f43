"""The five ways to train a disambiguator, and what can be set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from engine.learners.sgtb.blocks import Policy, Search
from engine.learners.sgtb.learner import SGTB
from engine.settings import setting
from engine.tasks.base import LearnerInfo


@dataclass(frozen=True, kw_only=True)
class DisambiguationSettings(SGTB):
    """Boosting, and what it looks at."""

    features: Literal["local", "graph"] = setting(
        "graph", "local: a mention and its candidates only. graph: also how candidates of other mentions link to them."
    )
    leave_out: float = setting(
        0.15,
        "Share of the training documents, on either side of a document, that it leaves out of its statistics besides"
        " itself. News of the same days repeat each other; later news do not.",
        low=0.0,
        high=0.4,
    )
    candidates: int = setting(30, "Candidates taken from the lexicon where the corpus gives none.", low=1, high=100)
    source: Literal["given", "lexicon"] = setting(
        "given",
        "Where candidates come from: given with the mentions, and from lexicon and training links where none are; or"
        " always from lexicon and training links.",
    )
    own_tags: tuple[str, ...] = setting(
        ("aida",), "Sources of the lexicon that hold the links of the training documents, which are then subtracted."
    )
    ignored_tags: tuple[str, ...] = setting(
        ("ppr", "title"), "Sources of the lexicon that its prior leaves out, where they stand alone."
    )
    backward: float = setting(
        0.3, "bibsg: what backward scores count against forward ones in the final choice.", low=0.01, high=2.0
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
    return Search(policy, settings.beam, settings.backward if policy == "bidirectional" else 0.0)


LEARNERS: Final[Mapping[str, LearnerInfo[DisambiguationSettings]]] = {
    info.name: info
    for info in (
        LearnerInfo(
            "local",
            "Local boosting",
            "Gradient tree boosting that decides every mention alone.",
            DisambiguationSettings(features="local", rate=0.5),
        ),
        LearnerInfo(
            "bs",
            "SGTB, early update (BS)",
            "Beam search that learns from each document up to the step at which the right sequence falls out.",
            DisambiguationSettings(),
        ),
        LearnerInfo(
            "laso",
            "SGTB, LaSO",
            "As BS, but where the right sequence falls out the search goes on from it.",
            DisambiguationSettings(),
        ),
        LearnerInfo(
            "bsg",
            "SGTB, gold path (BSG)",
            "Beam search that keeps the right sequence and learns at every step.",
            DisambiguationSettings(),
        ),
        LearnerInfo(
            "bibsg",
            "SGTB, both directions (BiBSG)",
            "Two BSGs, from the left and from the right, each with trees of its own. Deciding, backward search looks"
            " ahead to forward's best scores, and the sequence with the best sum of both is chosen.",
            DisambiguationSettings(),
        ),
    )
}
