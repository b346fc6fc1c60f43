"""A system's own tables for a report, collected while a corpus is worked through in blocks."""

from __future__ import annotations

from typing import Any, TypeAlias

from engine.metrics.tally import Tally

Rows: TypeAlias = list[dict[str, Any]]


class ExtraTables:
    """The tables so far. Each block's tally (`Task.extra_tally`) is taken once, in the order of the documents; this
    class is that of a system without tables of its own."""

    def take(self, found: Tally) -> None:
        """Add the tally of the next block."""
        return None

    def tables(self) -> dict[str, Rows]:
        """The rows of each table, by its name."""
        return {}
