"""Which system found or wrongly predicted what: in memory, or in files for a large corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from engine.data.document import Document
from engine.metrics.cases import cases, surest_first
from engine.metrics.differences import Decision, DecisionKind
from engine.metrics.errors import Doubts
from engine.store.large.chosen import HeldCases, Listed
from engine.store.large.shown import ShownDecisions, key_of
from engine.workbench.comparison import Shared, found_by_both
from engine.workbench.large.together import GROUPS, KeptComparison


class Found(Protocol):
    """Which system found or wrongly predicted what, and the cases behind each number."""

    @property
    def numbers(self) -> Mapping[str, int]:
        """The size of each group of engine.workbench.comparison.Shared."""

    def cases(self, group: str) -> Listed:
        """The errors of a group as cases, the most confident first."""

    def both(self) -> Both:
        """The items that both found, in corpus order."""


class Both(Protocol):
    """Decisions of gold, of which a page shows some."""

    def __len__(self) -> int: ...
    def index_of(self, key: str) -> int | None: ...
    def part(self, first: int, last: int) -> Sequence[tuple[str, Decision]]: ...


@dataclass(frozen=True)
class HeldFound:
    """For a corpus in memory."""

    shared: Shared
    decides: Sequence[DecisionKind]
    documents: Sequence[Document]

    @property
    def numbers(self) -> Mapping[str, int]:
        return {"both": self.shared.both, **{name: len(getattr(self.shared, name)) for name in GROUPS}}

    def cases(self, group: str) -> HeldCases:
        return HeldCases(surest_first(cases(getattr(self.shared, group))))

    def both(self) -> HeldBoth:
        missed = [*self.shared.only_first, *self.shared.only_second, *self.shared.neither]
        found = found_by_both(self.decides, self.documents, missed)
        return HeldBoth([(document.id, one) for document, one in found])


class HeldBoth:
    """Decisions in memory."""

    def __init__(self, found: Sequence[tuple[str, Decision]]) -> None:
        self._found = found
        self._places = {key_of(*one): i for i, one in reversed(list(enumerate(found)))}

    def __len__(self) -> int:
        return len(self._found)

    def index_of(self, key: str) -> int | None:
        return self._places.get(key)

    def part(self, first: int, last: int) -> Sequence[tuple[str, Decision]]:
        return self._found[first:last]


@dataclass(frozen=True)
class KeptFound:
    """For a large corpus."""

    kept: KeptComparison
    doubts: Mapping[str, Doubts]
    version: str

    @property
    def numbers(self) -> Mapping[str, int]:
        return self.kept.numbers

    def cases(self, group: str) -> Listed:
        book = self.kept.group(group)
        book.doubt(self.doubts, self.version)
        return book.select([]).cases()

    def both(self) -> ShownDecisions:
        return self.kept.both
