"""Settings and learners of the coreference task."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Literal

from engine.learners.laso.learner import POLICIES, Policy, TreeSettings
from engine.settings import setting
from engine.tasks.base import LearnerInfo


@dataclass(frozen=True, kw_only=True)
class CoreferenceSettings(TreeSettings):
    """The settings of a coreference model."""

    features: Literal["nonlocal", "local"] = setting(
        "nonlocal", "Whether features of an arc may use the cluster of its antecedent, or only the two mentions."
    )
    mentions: Literal["predicted", "gold"] = setting(
        "predicted", "Mentions extracted from the parse, or those given in the data."
    )
    language: str = setting("english", "Language pack: english, chinese, arabic, or a file added there.")
    window: int = setting(
        120, "Antecedents further away than this many mentions must share a word with the anaphor.", low=1
    )
    templates: str | None = setting(
        None, "File of feature templates, as `select-features` writes it.", names_a_file=True
    )
    keep: Literal["best", "last"] = setting(
        "best",
        (
            "Which pass becomes the model if there is a dev corpus: the one with the best CoNLL average on dev, or the"
            " last."
        ),
    )
    tune: bool = setting(True, "Choose the abstain bias on dev, if there is a dev corpus.")

    def decided(self) -> CoreferenceSettings:
        """The settings with `auto` resolved."""
        if self.history != "auto":
            return self
        return replace(self, history="own" if self.mentions == "predicted" else "gold")


@dataclass(frozen=True, kw_only=True)
class LocalSettings(CoreferenceSettings):
    """The baseline finds the best tree exactly, so its features are local."""

    features: Literal["local"] = setting("local", "The baseline decodes exactly, so it has local features only.")
    beam: int = setting(
        20, "Partial clusterings kept where pins must be obeyed; everything else is exact.", low=1, high=500
    )
    history: Literal["auto", "gold", "own"] = setting(
        "auto", "Clusters that non-local features see while training: the baseline has no such features."
    )


# More mentions than any document has.
_EVERY: Final = 1_000_000
# As in the paper: all earlier mentions are candidates, agendas of trees, no loss while searching, gold prefixes for all
# mentions, the last of 25 passes, no bias.
_EXACT: Final = {"augment": 0.0, "history": "gold", "keep": "last", "tune": False, "window": _EVERY}
_PAPER: Final = {**_EXACT, "agenda": "trees"}
_QUICK: Final = {"n_rounds": 4, "beam": 5}

LEARNERS: Final[dict[str, LearnerInfo[CoreferenceSettings]]] = {
    info.name: info
    for info in (
        LearnerInfo[CoreferenceSettings](
            "delayed-laso",
            "Delayed LaSO",
            "One update per document, summed over all places where gold was lost. With given mentions: beam search"
            " that continues from the gold clustering. With predicted mentions: no beam and no gold prefixes, but one"
            " greedy pass with the model's own clusters (history=own), which is not the paper's delayed LaSO. As in"
            " the paper (history=gold agenda=trees augment=0): two agendas of trees for all mentions.",
            CoreferenceSettings(),
            paper=_PAPER,
            quick=_QUICK,
        ),
        LearnerInfo[CoreferenceSettings](
            "laso",
            "LaSO",
            "Beam search with an update wherever no right item is left; it then continues from the gold clustering.",
            CoreferenceSettings(),
            paper=_PAPER,
            quick=_QUICK,
        ),
        LearnerInfo[CoreferenceSettings](
            "max-violation",
            "Max-violation",
            "Beam search with one update, on the prefix where the wrong item has the largest lead.",
            CoreferenceSettings(),
            paper=_PAPER,
            quick=_QUICK,
        ),
        LearnerInfo[CoreferenceSettings](
            "early",
            "Early update",
            "Beam search with one update, where no right item is left; the rest of the document is skipped.",
            CoreferenceSettings(),
            paper=_PAPER,
            quick=_QUICK,
        ),
        LearnerInfo[CoreferenceSettings](
            "baseline",
            "Best-first baseline",
            "Compares exact best-first trees with latent trees; local features only.",
            LocalSettings(),
            paper=_EXACT,
            quick=_QUICK,
        ),
    )
}


def policy_of(learner: str, settings: CoreferenceSettings) -> Policy:
    """How a learner updates; TypeError if these settings belong to another learner."""
    kind = type(LEARNERS[learner].settings)
    if not isinstance(settings, kind):
        raise TypeError(f"{learner} is trained with {kind.__name__}, not with {type(settings).__name__}")
    return next(policy for policy in POLICIES if policy == learner)
