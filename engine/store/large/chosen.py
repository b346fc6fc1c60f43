"""Queries on the errors that pass some conditions: their number, cases, confusions and documents.

The errors may be in memory (`Held...`) or in a file (engine/store/large/casebook.py); the interface is the same.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Protocol, TypeAlias

from engine.metrics.cases import Case, cases, surest_first, with_any
from engine.metrics.errors import Error, Filter, Stage, attributes, confusions, select, stage_table

Kind: TypeAlias = Literal["all", "miss", "false alarm"]


class Listed(ABC):
    """An ordered list of cases, of which a page shows some."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def of_kind(self, kind: str) -> int:
        """The number of cases that count as a "miss" or as a "false alarm"."""

    @property
    @abstractmethod
    def counted(self) -> int:
        """The number of cases that the main score counts."""

    @abstractmethod
    def index_of(self, key: str) -> int | None:
        """The position of the case with this key; None if it is not in the list."""

    @abstractmethod
    def part(self, first: int, last: int) -> Sequence[Case]:
        """The cases first to last - 1."""


class HeldCases(Listed):
    """Cases in memory."""

    def __init__(self, found: Sequence[Case]) -> None:
        self.found = found

    def __len__(self) -> int:
        return len(self.found)

    def of_kind(self, kind: str) -> int:
        return sum(case.of_kind(kind) for case in self.found)

    @property
    def counted(self) -> int:
        return sum(case.counts for case in self.found)

    @cached_property
    def _places(self) -> Mapping[str, int]:
        return {case.key: i for i, case in reversed(list(enumerate(self.found)))}

    def index_of(self, key: str) -> int | None:
        return self._places.get(key)

    def part(self, first: int, last: int) -> Sequence[Case]:
        return self.found[first:last]


class Chosen(Protocol):
    """Some errors of a run."""

    def __len__(self) -> int: ...
    def cases(self, kind: Kind = "all", *, counted: bool = False) -> Listed: ...
    def confusions(self) -> Counter[tuple[str, str]]: ...
    def by_document(self, most: int = ...) -> tuple[int, dict[str, Counter[str]]]: ...


class Digest(Protocol):
    """All errors of a run on a corpus."""

    @property
    def n_errors(self) -> int: ...
    @property
    def table(self) -> Mapping[Stage, Counter[str]]: ...
    @property
    def attributes(self) -> Mapping[str, Sequence[Any]]: ...
    def select(self, filters: Sequence[Filter]) -> Chosen: ...


@dataclass(frozen=True)
class HeldChosen:
    """Some errors in memory, and the cases of all."""

    errors: Sequence[Error]
    all: Sequence[Case]

    def __len__(self) -> int:
        return len(self.errors)

    def cases(self, kind: Kind = "all", *, counted: bool = False) -> HeldCases:
        found = with_any(self.all, self.errors)
        return HeldCases([one for one in found if (kind == "all" or one.of_kind(kind)) and (one.counts or not counted)])

    def confusions(self) -> Counter[tuple[str, str]]:
        return confusions(self.errors)

    def by_document(self, most: int = 1_000_000) -> tuple[int, dict[str, Counter[str]]]:
        found: dict[str, Counter[str]] = {}
        for error in self.errors:
            found.setdefault(error.document, Counter())[error.stage] += 1
        return len(found), found


class HeldDigest:
    """All errors of a run in memory, most confident first, with cached answers for redraws of a page."""

    def __init__(self, errors: Sequence[Error]) -> None:
        self.errors = tuple(errors)
        self.all_cases = tuple(surest_first(cases(errors)))
        self.table, self.attributes = stage_table(errors), attributes(errors)

    @property
    def n_errors(self) -> int:
        return len(self.errors)

    def select(self, filters: Sequence[Filter]) -> HeldChosen:
        return HeldChosen(select(self.errors, filters), self.all_cases)
