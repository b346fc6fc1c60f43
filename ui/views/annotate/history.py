"""What every edit changed, in words: who, when, what stood there before and what stands there after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from engine.data import edits
from engine.data.document import Document
from engine.data.edits import EditRefused, State, Together, apply
from engine.store.annotations import LogRow, fold
from engine.workbench.team.changes import changes
from ui.shell import layout

SHOWN: Final = 300
"""Edits listed, the latest first; a document that was edited more often keeps them all in the log."""


def history(document: Document, rows: Sequence[LogRow], layer: str) -> list[dict[str, Any]]:
    """One line per edit, the latest first."""
    lines = []
    state = fold(document, (), layer)
    for i, row in enumerate(rows):
        before, state = state, _after(document, rows[: i + 1], layer, state)
        if i < len(rows) - SHOWN:
            continue
        changed = list(changes(document, before, state))
        lines.append(
            {
                "no.": row.number,
                "when (UTC)": layout.moment(row.time),
                "who": row.user,
                "what": describe(row.edit, row.undoes),
                "before": "; ".join(old for old, _ in changed if old),
                "after": "; ".join(new for _, new in changed if new),
            }
        )
    return lines[::-1]


def _after(document: Document, rows: Sequence[LogRow], layer: str, before: State) -> State:
    """The state after the last of the rows; only an undo needs them all."""
    last = rows[-1]
    if last.edit is None:
        return fold(document, rows, layer)
    try:
        return apply(before, last.edit)
    except EditRefused:
        return before  # an undo took away what it was about; a redo brings it back


def describe(edit: edits.Edit | None, undoes: int | None) -> str:
    """An edit in words."""
    if edit is None:
        return f"takes back no. {undoes}"
    if isinstance(edit, Together):
        single = list(edits.parts(edit))
        kinds = list(dict.fromkeys(describe(one, None) for one in single))
        return f"{len(single)} edits together: {', '.join(kinds)}"
    return "".join(f" {c.lower()}" if c.isupper() else c for c in type(edit).__name__).strip()
