"""Errors by stage and type: a table of counts, each of which can be chosen.

A table of Streamlit's waits 150 ms after a click before it tells the server; a cell has to open faster than that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from ui.components import mount
from ui.shell import messages


@dataclass(frozen=True)
class StageRow:
    name: str
    counts: tuple[int, ...]
    """One per column that can be chosen; the first is the total."""
    facts: tuple[str, ...] = ()
    """What stands behind the total, as text."""
    help: str = ""
    """A sentence on the row, shown when its name is pointed at or has the focus."""


Cell = tuple[int, int]
"""Row and column of a count."""


def stages(
    heads: Sequence[str],
    rows: Sequence[StageRow],
    *,
    key: str,
    chosen: Cell | None,
    on_choose: Callable[[Cell | None], None],
) -> None:
    """Draw the table; `on_choose` gets the cell that was clicked, None where the chosen one was clicked again.

    `heads` name the rows, the total, the facts, then the other counts: what many columns push out of sight stands last.
    """

    def choose(message: messages.Message) -> None:
        cell = message["cell"]
        if cell is None:
            on_choose(None)
        elif cell[0] < len(rows) and cell[1] < len(rows[cell[0]].counts):
            on_choose((int(cell[0]), int(cell[1])))

    data = {
        "heads": list(heads),
        "rows": [asdict(row) for row in rows],
        "chosen": None if chosen is None else list(chosen),
    }
    mount("stages", key=key, data=data, hear=messages.each(choose=choose))
