"""What only some systems can do. Pages and commands ask for a capability; nothing in the base raises for the others.

if isinstance(task, Constrained): ...
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
    """Decides under constraints that can be exchanged without training (joint)."""

    def with_constraints(self, model: AnyModel, path: Path) -> AnyModel:
        """The model under the constraints of a file in place of its own."""
        ...

    def constrained(self, scored: Any, path: Path) -> Any:
        """Scores from anywhere, decided under the constraints of a file."""
        ...


@runtime_checkable
class TakesLexicon(Protocol):
    """Looks names up in a lexicon that can be exchanged without training (disambiguation)."""

    def with_lexicon(self, model: AnyModel, paths: Sequence[Path]) -> AnyModel:
        """The model with another lexicon in place of its own, built or given as files."""
        ...


@runtime_checkable
class ForcesDecisions(Protocol):
    """Can be tested where a relation is known to hold somewhere (joint)."""

    def forced_decisions(self, scored: Any, relation: str) -> Report:
        """How often the right pair is named where a relation is known to hold, by system."""
        ...

    def forced_tally(self, scored: Any, relation: str) -> Tally:
        """What these documents add to it."""
        ...

    def forced_told(self, found: Tally) -> Report:
        """The same from what all documents add."""
        ...


@runtime_checkable
class RanksEntities(Protocol):
    """Knows which entities a span may name (linking, disambiguation)."""

    def rank_entities(self, scored: Any, span: tuple[int, int]) -> list[tuple[str, float]]:
        """Entities for this span of a corpus of one document with their probabilities, best first."""
        ...


@runtime_checkable
class FindsEntities(Protocol):
    """Has a knowledge base to search (linking, disambiguation)."""

    def find_entities(self, model: AnyModel, words: str, limit: int = 20) -> list[str]:
        """Entities of the model's knowledge base for what somebody types."""
        ...


@runtime_checkable
class HasBeam(Protocol):
    """Decides by beam search whose width can be changed without training (disambiguation)."""

    def with_width(self, scored: Any, width: int) -> Any:
        """The same scores, to be searched with another beam."""
        ...


@runtime_checkable
class Retrains(Protocol):
    """Can train for another balance of precision and recall, from where a model's training stood (distant)."""

    def beta_of(self, model: AnyModel) -> float:
        """The weight on precision, from 0 to 1, that a model was trained for."""
        ...

    def retrain(
        self, train: Sequence[Document], dev: Sequence[Document], model: AnyModel, beta: float
    ) -> Iterator[TrainingRound[Any, Any]]:
        """The rounds of a training for this weight; `train` is what the model was trained on."""
        ...


@runtime_checkable
class Ranks(Protocol):
    """Can rank all its possible answers by score (distant)."""

    def ranking(self, scored: Any) -> Ranking: ...


@dataclass(frozen=True)
class ListedPart:
    """One thing that could be decided, in the terms of the document; `number` is what `explain` takes."""

    number: int
    says: Mapping[str, Any]
    """What the part means, as JSON values; null is declining."""
    score: float
    chosen: bool
    probability: float | None = None
    """None where the system has no probabilities."""


@runtime_checkable
class ListsParts(Protocol):
    """Can say what it chose from (all five systems)."""

    def list_parts(self, scored: Any, *, pins: Sequence[Pin] = ()) -> list[ListedPart]:
        """All parts of a corpus of one document, and which of them the best output has."""
        ...


@runtime_checkable
class NamesLabels(Protocol):
    """Chooses among names that it learnt: types, relations (distant, joint)."""

    def names_known(self, model: AnyModel) -> Mapping[str, frozenset[str]]:
        """What kinds of names there are, and which of each the model can give; empty where nobody can tell."""
        ...

    def names_wanted(self, document: Document) -> Mapping[str, frozenset[str]]:
        """The names that gold of a document asks for, by kind."""
        ...


class Weighed(NamedTuple):
    """What the best output under some pins scores, at the bias."""

    value: float
    exact: bool
    """Whether no legal output under the pins scores higher; a search that prunes cannot tell."""


@runtime_checkable
class WeighsOutputs(Protocol):
    """Can say what its best output scores (all five systems)."""

    def weigh(self, scored: Any, *, pins: Sequence[Pin] = ()) -> Weighed:
        """The best output of a corpus of one document under the pins; Infeasible where there is none."""
        ...


class Against(NamedTuple):
    """Why a part scores as it does against another of the same place."""

    explanation: Explanation
    rival: int


@runtime_checkable
class ExplainsAgainst(Protocol):
    """Scores options of one place against each other, so that a part is explained against the one that it replaces
    (distant, joint)."""

    def explain_against(self, scored: Any, model: AnyModel, part: int, others: Collection[int]) -> Against | None:
        """Why a part scores as it does against the one of the others that has its place; None where none has."""
        ...


@runtime_checkable
class RanksOutputs(Protocol):
    """Knows the next best outputs (linking, disambiguation)."""

    def best_outputs(self, scored: Any, k: int, *, pins: Sequence[Pin] = ()) -> list[tuple[float, Layer]]:
        """At most k outputs of a corpus of one document with their scores, best first."""
        ...
