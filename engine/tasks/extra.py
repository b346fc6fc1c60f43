"""A system's own tables for a report, collected while a corpus is worked through in blocks."""

from __future__ import annotations

from typing import Any, Generic, TypeAlias, TypeVar

from engine.metrics.tally import Tally
from engine.tasks.scored import Scored

D = TypeVar("D", bound=Scored)

Rows: TypeAlias = list[dict[str, Any]]


class ExtraTables:
    """The tables so far. Each block's tally (`extra_tally`) is taken once, in the order of the documents; this
    class is that of a system without tables of its own."""

    def take(self, found: Tally) -> None:
        """Add the tally of the next block."""
        return None

    def tables(self) -> dict[str, Rows]:
        """The rows of each table, by its name."""
        return {}


class HasTables(Generic[D]):
    """A system that may have tables of its own, such as a ledger of constraints or a ranking; a part of `Task`."""

    def extra_tally(self, scored: D) -> Tally:
        """What these documents add to the task's own tables."""
        return Tally()

    def extra(self) -> ExtraTables:
        """The task's own tables for a report, to be collected from such tallies."""
        return ExtraTables()

    def extra_tables(self, scored: D) -> dict[str, Rows]:
        """The task's own tables for a report on a scored corpus, by name."""
        found = self.extra()
        found.take(self.extra_tally(scored))
        return found.tables()
