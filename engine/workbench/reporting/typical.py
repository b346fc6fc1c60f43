"""Typical errors of a report: the surest cases of each stage, drawn where their documents are at hand, and kept while
a corpus is worked through."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from engine.data.document import Document
from engine.metrics.cases import cases, sureness, surest_first
from engine.metrics.errors import Error, Stage
from engine.workbench.reporting.pictures import case_html

TYPICAL: Final = 10
"""Number of cases that a report draws."""

Record: TypeAlias = Mapping[str, Any]
"""A drawn case as a JSON value: its stage, how sure the system was, and the HTML."""

_Place: TypeAlias = tuple[list[Any], int]
"""How sure the system was of a case, and how many cases came before it."""


def typical_records(documents: Sequence[Document], errors: Sequence[Error]) -> Iterator[Record]:
    """The cases of some documents that can be among the typical ones of a corpus, the surest first."""
    by_id = {document.id: document for document in documents}
    seen: Counter[Stage] = Counter()
    for case in surest_first(cases(errors)):
        seen[case.main.stage] += 1
        if seen[case.main.stage] <= TYPICAL:
            drawn = case_html(case, by_id[case.main.document])
            yield {"stage": case.main.stage, "sure": list(sureness(case)), "html": drawn}


@dataclass
class Typical:
    """The surest cases so far."""

    _taken: int = 0
    _by_stage: dict[Stage, list[tuple[_Place, str]]] = field(default_factory=dict)

    def take(self, records: Iterable[Record]) -> None:
        """Add the cases of the next documents."""
        for record in records:
            place = list(record["sure"]), self._taken
            own = self._by_stage.setdefault(record["stage"], [])
            own.append((place, record["html"]))
            own.sort()
            del own[TYPICAL:]
            self._taken += 1

    def shown(self) -> list[str]:
        """The most confident of each stage in turn, so that no stage hides the others."""
        waiting = [list(own) for own in sorted(self._by_stage.values())]
        shown: list[str] = []
        while len(shown) < TYPICAL and any(waiting):
            shown += [own.pop(0)[1] for own in waiting if own]
        return shown[:TYPICAL]
