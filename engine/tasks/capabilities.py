"""Capabilities that only some systems have, as protocols.

Pages and commands test for a capability before they use it, so the base class needs no methods that raise for the other
systems: `if isinstance(task, Constrained): ...`
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

from engine.data.document import Document, Layer
from engine.data.pins import Pin
from engine.metrics.distant import Ranking
from engine.metrics.tally import Tally
from engine.tasks.base import AnyModel, Report, TrainingRound
from engine.tasks.explanation import Explanation


@runtime_checkable
class Constrained(Protocol):
    """Decides under constraints that can be replaced without retraining (joint)."""

    def with_constraints(self, model: AnyModel, path: Path) -> AnyModel:
        """The model with the constraints of a file instead of its own."""
        ...

    def constrained(self, scored: Any, path: Path) -> Any:
        """Scores from any source, to be decided under the constraints of a file."""
        ...


@runtime_checkable
class TakesLexicon(Protocol):
    """Looks names up in a lexicon that can be replaced without retraining (disambiguation)."""

    def with_lexicon(self, model: AnyModel, paths: Sequence[Path]) -> AnyModel:
        """The model with another lexicon instead of its own, either already built or given as files."""
        ...


@runtime_checkable
class ForcesDecisions(Protocol):
    """Can be tested on sentences that are known to contain a relation (joint)."""

    def forced_decisions(self, scored: Any, relation: str) -> Report:
        """How often each system names the right pair in sentences that are known to contain the relation."""
        ...

    def forced_tally(self, scored: Any, relation: str) -> Tally:
        """What these documents contribute to that report."""
        ...

    def forced_told(self, found: Tally) -> Report:
        """The report of `forced_decisions` from the sum of all tallies."""
        ...


@runtime_checkable
class RanksEntities(Protocol):
    """Can rank the entities that a span may name (linking, disambiguation)."""

    def rank_entities(self, scored: Any, span: tuple[int, int]) -> list[tuple[str, float]]:
        """Entities for this span of a one-document corpus with their probabilities, best first."""
        ...


@runtime_checkable
class FindsEntities(Protocol):
    """Has a knowledge base to search (linking, disambiguation)."""

    def find_entities(self, model: AnyModel, words: str, limit: int = 20) -> list[str]:
        """Entities of the model's knowledge base that match what somebody typed."""
        ...


@runtime_checkable
class HasBeam(Protocol):
    """Decides by beam search whose width can be changed without training (disambiguation)."""

    def with_width(self, scored: Any, width: int) -> Any:
        """The same scores, to be searched with another beam width."""
        ...


@runtime_checkable
class Retrains(Protocol):
    """Can continue a model's training with another balance of precision and recall (distant)."""

    def beta_of(self, model: AnyModel) -> float:
        """The weight on precision, from 0 to 1, with which a model was trained."""
        ...

    def retrain(
        self, train: Sequence[Document], dev: Sequence[Document], model: AnyModel, beta: float
    ) -> Iterator[TrainingRound[Any, Any]]:
        """The rounds of a training with this weight; `train` is the data on which the model was trained."""
        ...


@runtime_checkable
class Ranks(Protocol):
    """Can rank all its possible answers by score (distant)."""

    def ranking(self, scored: Any) -> Ranking: ...


@dataclass(frozen=True)
class ListedPart:
    """One possible decision, in terms of the document; `number` is the argument that `explain` takes."""

    number: int
    says: Mapping[str, Any]
    """What the part means, as JSON values; null means declining."""
    score: float
    chosen: bool
    probability: float | None = None
    """None if the system has no probabilities."""


@runtime_checkable
class ListsParts(Protocol):
    """Can list all parts that it chose from (all five systems)."""

    def list_parts(self, scored: Any, *, pins: Sequence[Pin] = ()) -> list[ListedPart]:
        """All parts of a one-document corpus, marking those in the best output."""
        ...


@runtime_checkable
class NamesLabels(Protocol):
    """Chooses among learnt names, such as types or relations (distant, joint)."""

    def names_known(self, model: AnyModel) -> Mapping[str, frozenset[str]]:
        """The kinds of names, and for each kind the names that a model trained here can predict."""
        ...

    def names_wanted(self, document: Document) -> Mapping[str, frozenset[str]]:
        """The names in the gold of a document, by kind."""
        ...


class Weighed(NamedTuple):
    """The score of the best output under some pins, at the bias."""

    value: float
    exact: bool
    """Whether it is certain that no legal output under the pins scores higher; a search that prunes cannot know."""


@runtime_checkable
class WeighsOutputs(Protocol):
    """Can compute the score of its best output (all five systems)."""

    def weigh(self, scored: Any, *, pins: Sequence[Pin] = ()) -> Weighed:
        """The score of the best output of a one-document corpus under the pins; raises Infeasible if there is none."""
        ...


class Against(NamedTuple):
    """Why a part scores higher or lower than another part for the same place."""

    explanation: Explanation
    rival: int


@runtime_checkable
class ExplainsAgainst(Protocol):
    """Scores the options for one place relative to each other, so that a part can be explained by comparison with the
    one that it replaces (distant, joint)."""

    def explain_against(self, scored: Any, model: AnyModel, part: int, others: Collection[int]) -> Against | None:
        """Compares a part with the one among `others` that has the same place; None if none of them has."""
        ...


@runtime_checkable
class RanksOutputs(Protocol):
    """Can list the next best outputs (linking, disambiguation)."""

    def best_outputs(self, scored: Any, k: int, *, pins: Sequence[Pin] = ()) -> list[tuple[float, Layer]]:
        """At most k outputs of a one-document corpus with their scores, best first."""
        ...
